"""Studies as commands: found by name when they are asked for, imported when they run."""

import ast
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from gnomon.base.content import Found
from gnomon.base.errors import GnomonError, known
from gnomon.base.files import read_text
from gnomon.cli._late import Late, as_command


class ProjectStudy(Late):
    """A study that gnomon does not ship: its code runs with the command, and not for its help."""

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        if "--help" not in args:
            return super().make_context(info_name, args, parent, **extra)
        for line in self._described():
            print(line)
        raise typer.Exit

    def _described(self) -> Iterator[str]:
        yield f"{self.name}: {self.help}"
        yield ""
        yield f"A study of this project; the command runs main of {self.file}."
        for each in _parameters(self.file):
            yield f"  {each}"


def _parameters(file: Path) -> list[str]:
    """Return the parameters of main as its file writes them; the file is read and not run."""
    try:
        tree = ast.parse(read_text(file))
    except (GnomonError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "main":
            given = node.args
            return [ast.unparse(each) for each in (*given.args, *given.kwonlyargs)]
    return []


class Studies(TyperGroup):
    """The commands that are written here, and a command for each study that names this group."""

    @property
    def command(self) -> str:
        """What ``study.yaml`` says of the studies that are here."""
        return str(self.name)

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *_studies(self.command)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        written = super().get_command(ctx, cmd_name)
        if written is not None:
            return written
        from gnomon.base.content import find, found

        titles = _studies(self.command)
        if cmd_name not in titles and cmd_name in found("reports"):
            group, _ = _described(find("reports", cmd_name))
            where = "gnomon" if group == TopStudies.command else f"gnomon {group}"
            raise GnomonError(f"the study {cmd_name!r} is run by `{where} {cmd_name}`")
        known(str(self.name), cmd_name, self.list_commands(ctx))
        title = titles[cmd_name]
        study = find("reports", cmd_name)
        kind = Late if study.shipped else ProjectStudy
        return kind(cmd_name, title, partial(_load, study, title), study.folder / "study.py")


class TopStudies(Studies):
    """The same of the command line itself: a study may be a command of its own."""

    command = "study"

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.commands or cmd_name in self.list_commands(ctx):
            return super().get_command(ctx, cmd_name)
        return None


def _load(study: Found, title: str) -> Any:
    from gnomon.base.loading import load

    main = getattr(load(study.folder, "study"), "main", None)
    if not callable(main):
        raise GnomonError(
            f"{study.folder / 'study.py'}: has no function main, which is the command"
        )
    return as_command(study.name, main, title)


def _studies(command: str) -> dict[str, str]:
    """Titles of the studies that a command runs, by name."""
    from gnomon.base.content import found

    described = {name: _described(each) for name, each in found("reports").items()}
    return {name: title for name, (group, title) in described.items() if group == command}


def _described(study: Found) -> tuple[str, str]:
    """Command and title, without the checks of every key that a run makes: this is for lists."""
    import yaml

    try:
        told = yaml.safe_load(read_text(study.folder / "study.yaml"))
        return str(told.get("command", "experiment")), str(told["title"])
    except (GnomonError, yaml.YAMLError, LookupError, AttributeError, RecursionError):
        from gnomon.report.study import describe

        described = describe(study)  # says what is wrong
        return described.command, described.title
