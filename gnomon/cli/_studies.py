"""Studies as commands: listed by reading their files, imported when they run."""

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
"""What ``study.yaml`` calls the command line itself: such a study is a command of its own."""

_FORWARDED = {"ignore_unknown_options": True, "allow_extra_args": True}


@dataclass(frozen=True, slots=True)
class Study:
    """A study as a command.

    Attributes:
        found: its folder.
        group: the group of commands that it belongs to, or :data:`TOP`.
        title: what help says of it, in a line.
    """

    found: ContentItem
    group: str
    title: str

    @property
    def words(self) -> str:
        """The command as it is typed, without its options."""
        group = "" if self.group == TOP else f" {self.group}"
        return f"gnomon{group} {self.found.name}"

    def app(self) -> typer.Typer:
        """Import the study and return its function ``main`` as a command line.

        Raises:
            GnomonError: if importing it fails, or it has no function ``main``.
        """
        main = getattr(import_content_module(self.found.folder, "study"), "main", None)
        if not callable(main):
            raise GnomonError(
                f"{self.found.folder / 'study.py'}: has no function main, which is the command"
            )
        made = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        made.command(self.found.name, help=self.title)(main)
        return made


def list_studies() -> dict[str, Study]:
    """Return all studies by name, without importing any.

    Raises:
        GnomonError: if two have one name, or a file ``study.yaml`` is wrong.
    """
    return {name: _study(each) for name, each in found("reports").items()}


def add_studies(groups: dict[str, typer.Typer]) -> None:
    """Add a command for each study to its group; a command that is written there comes first.

    In the other groups the name leads to a message that says where the study is. What is wrong
    with a study is at the end of the help of each group; the other commands stay.

    Args:
        groups: by name; :data:`TOP` is the command line itself.
    """
    studies, problems = [], []
    try:
        for each in found("reports").values():
            try:
                studies.append(_study(each))
            except GnomonError as error:
                problems.append(str(error))
    except GnomonError as error:  # two studies have one name, or a folder is not there
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
                )(_run(study))  # fmt: skip
            elif group != TOP:
                app.command(name, hidden=True, add_help_option=False, context_settings=_FORWARDED)(
                    _refer(study)
                )


def _run(study: Study) -> Callable[..., Any]:
    """Return the function of a command: it imports the study, which reads its own options."""

    def run(ctx: typer.Context) -> Any:
        if "--help" in ctx.args and not study.found.shipped:
            for line in _help(study):
                print(line)
            return None
        return study.app()(args=ctx.args, prog_name=ctx.command_path, standalone_mode=False)

    return run


def _refer(study: Study) -> Callable[[], None]:
    def refer() -> None:
        raise GnomonError(f"the study {study.found.name!r} is run by `{study.words}`")

    return refer


def _help(study: Study) -> Iterator[str]:
    """Return the help of a study of a project, whose code runs only with the command itself."""
    file = study.found.folder / "study.py"
    yield f"{study.found.name}: {study.title}"
    yield ""
    yield f"A study of this project; the command runs main of {file}."
    for each in _parameters(file):
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


def _study(each: ContentItem) -> Study:
    described = read_study(each)
    return Study(each, described.command, described.title)
