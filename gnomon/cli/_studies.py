"""Studies as commands: found by name when they are asked for, imported when they run."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from gnomon.base.errors import GnomonError, known


class Studies(TyperGroup):
    """The commands that are written here, and a command for each study that names this group."""

    @property
    def command(self) -> str:
        """What ``study.yaml`` says of the studies that are here."""
        return str(self.name)

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all, those written here first."""
        from gnomon.report.study import studies

        return [*super().list_commands(ctx), *studies(self.command)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of them.

        Raises:
            GnomonError: there is none, or importing the study fails.
        """
        written = super().get_command(ctx, cmd_name)
        if written is not None:
            return written
        from gnomon.base.content import find, found
        from gnomon.base.loading import load
        from gnomon.report.study import describe

        if cmd_name not in (names := self.list_commands(ctx)) and cmd_name in found("reports"):
            group = describe(find("reports", cmd_name)).command
            where = "gnomon" if group == TopStudies.command else f"gnomon {group}"
            raise GnomonError(f"the study {cmd_name!r} is run by `{where} {cmd_name}`")
        known(str(self.name), cmd_name, names)
        study = find("reports", cmd_name)
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        title = describe(study).title
        app.command(cmd_name, help=title)(load(study.folder, "study").main)
        return typer.main.get_command(app)


class TopStudies(Studies):
    """The same of the command line itself: a study may be a command of its own."""

    command = "study"

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """One of them; None if there is none."""
        if cmd_name in self.commands or cmd_name in self.list_commands(ctx):
            return super().get_command(ctx, cmd_name)
        return None
