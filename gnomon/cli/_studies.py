"""Studies as commands: listed from their files, imported only to run."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from gnomon.base.content import ContentItem, found
from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text
from gnomon.base.loading import import_content_module
from gnomon.report.study_file import read_study

TOP = "study"
"""The name of the command line itself in ``study.yaml``: such a study is a top-level command."""

experiment_app = typer.Typer(
    name="experiment",
    help="Run learner experiments; rerun to resume.",
    no_args_is_help=True,
)

_FORWARDED = {"ignore_unknown_options": True, "allow_extra_args": True}


@dataclass(frozen=True, slots=True)
class Study:
    """A study as a command.

    Attributes:
        found: folder of the study.
        group: group of commands that contains it, or :data:`TOP`.
        title: one-line help text.
    """

    found: ContentItem
    group: str
    title: str

    @property
    def words(self) -> str:
        """The typed command, without its options."""
        group = "" if self.group == TOP else f" {self.group}"
        return f"gnomon{group} {self.found.name}"

    def app(self) -> typer.Typer:
        """Import the study and return its function ``main`` as a command line.

        Raises:
            GnomonError: if the import fails, or the study has no function ``main``.
        """
        main = getattr(import_content_module(self.found.folder, "study"), "main", None)
        if not callable(main):
            raise GnomonError(
                f"{self.found.folder / 'study.py'}: has no function main, which runs the command"
            )
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command(self.found.name, help=self.title)(main)
        return app


def list_studies() -> dict[str, Study]:
    """Return all studies by name, without importing any.

    Raises:
        GnomonError: if two studies have one name, or a file ``study.yaml`` is invalid.
    """
    return {name: _read_study(each) for name, each in found("reports").items()}


def add_studies(groups: dict[str, typer.Typer]) -> None:
    """Add a command for each study to its group; an existing command of the name stays.

    In the other groups the name prints the right command. The help of each group ends with the
    errors of invalid studies; all other commands still work.

    Args:
        groups: Typer groups by name; :data:`TOP` is the command line itself.
    """
    studies, problems = [], []
    try:
        for each in found("reports").values():
            try:
                studies.append(_read_study(each))
            except GnomonError as error:
                problems.append(str(error))
    except GnomonError as error:  # two studies have one name, or a folder is missing
        problems.append(str(error))
    for app in groups.values() if problems else ():
        app.info.epilog = "\n\n".join(problems)
    for group, app in groups.items():
        written = {each.name or each.callback.__name__ for each in app.registered_commands
                   if each.callback}  # fmt: skip
        written |= {each.name for each in app.registered_groups if isinstance(each.name, str)}
        for study in studies:
            name = study.found.name
            if name in written:
                continue
            if study.group == group:
                app.command(
                    name, help=study.title, short_help=study.title, add_help_option=False,
                    context_settings=_FORWARDED,
                )(_runner(study))  # fmt: skip
            elif group != TOP:
                app.command(name, hidden=True, add_help_option=False, context_settings=_FORWARDED)(
                    _referrer(study)
                )


def _runner(study: Study) -> Callable[..., Any]:
    """Return the function of a command: it imports the study, which parses its own options."""

    def run(ctx: typer.Context) -> Any:
        if "--help" in ctx.args and not study.found.shipped:
            for line in _format_help(study):
                print(line)
            return None
        return study.app()(args=ctx.args, prog_name=ctx.command_path, standalone_mode=False)

    return run


def _referrer(study: Study) -> Callable[[], None]:
    def refer() -> None:
        raise GnomonError(f"the study {study.found.name!r} is run by `{study.words}`")

    return refer


def _format_help(study: Study) -> Iterator[str]:
    """Yield the help of a user-defined study, without running its code."""
    file = study.found.folder / "study.py"
    yield f"{study.found.name}: {study.title}"
    yield ""
    yield f"A study of this project; the command runs main of {file}."
    for each in _read_parameters(file):
        yield f"  {each}"


def _read_parameters(file: Path) -> list[str]:
    """Return the parameters of ``main`` as its file writes them, without running the file."""
    try:
        tree = ast.parse(read_text(file))
    except (GnomonError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "main":
            given = node.args
            return [ast.unparse(each) for each in (*given.args, *given.kwonlyargs)]
    return []


def _read_study(each: ContentItem) -> Study:
    described = read_study(each)
    return Study(each, described.command, described.title)
