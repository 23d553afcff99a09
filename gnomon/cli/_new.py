"""``gnomon new``: create a working machine, kernel, learner, unit, device, study or project."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from gnomon.base.content import PROJECT_FILE, project_folder, where
from gnomon.base.errors import GnomonError, require_known
from gnomon.base.files import write_file
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import argument, option

_TEMPLATES = Path(__file__).with_name("templates")
KINDS = ("machine", "kernel", "learner", "unit", "device", "study", "project")
_NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
_MARKS = re.compile(r"@(name|folder|title|NAME)@")


@with_json_output()
def new(
    kind: Annotated[str, argument("KIND", f"One of: {', '.join(KINDS)}.")],
    name: str = argument("NAME", "Name: lower-case letters, digits, hyphens."),
    *,
    once: bool = option(
        "--once", "A learner in Python alone, from which gnomon generates the C.", False
    ),
    python: bool = option("--python", "A device in Python instead of C.", False),
) -> CommandOutput:
    """Create a working machine, kernel, learner, unit, device, study or project to edit.

    A project is a new folder in the current folder. All other kinds are added to the project that
    contains the current folder.
    """
    require_known("kind", kind, KINDS)
    check_name(name)
    if once and kind != "learner":
        raise GnomonError(f"--once makes a learner, not a {kind}: gnomon new learner {name} --once")
    if python and kind != "device":
        raise GnomonError(
            f"--python makes a device, not a {kind}: gnomon new device {name} --python"
        )
    if kind == "unit":
        check_unit_name(name)
    if kind == "device":
        check_device_name(name)
    folder = Path.cwd() if kind == "project" else require_project()
    words = {
        "name": name.replace("_", "-"),
        "folder": name if kind == "project" else name.replace("-", "_"),
        "NAME": name.replace("-", "_").upper(),
        "title": name.replace("-", " ").replace("_", " ").capitalize(),
    }
    form = "learner_once" if once else "device_python" if python else kind
    template = _TEMPLATES / form
    files = {
        folder / _fill_marks(path.relative_to(template).as_posix(), words): _fill_marks(
            path.read_text(encoding="utf-8"), words
        )
        for path in sorted(template.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }
    check_free(kind, words["name"], files)
    paths = [str(write_file(path, text)) for path, text in files.items()]
    yield {"files": paths}, paths


def check_name(name: str) -> None:
    """Reject text that is not the name of content.

    Raises:
        GnomonError: if it has other characters.
    """
    if not _NAME.fullmatch(name):
        raise GnomonError(
            f"a name has lower-case letters, digits and single hyphens, and starts with a letter;"
            f" not {name!r}"
        )


def check_unit_name(name: str) -> None:
    """Reject the name of a unit that its instruction cannot have.

    Raises:
        GnomonError: if it is a word of C or a mnemonic.
    """
    from gnomon.arch.units.load import why_not_mnemonic

    if why := why_not_mnemonic(name.replace("-", "_")):
        raise GnomonError(f"a unit cannot be called {name!r}: {why}")


def check_device_name(name: str) -> None:
    """Reject the name of a device that is a kind of the simulator.

    Raises:
        GnomonError: if it is one.
    """
    from gnomon.arch import SHIPPED_KINDS

    if name in SHIPPED_KINDS:
        raise GnomonError(f"a device cannot be called {name!r}: the simulator has a kind {name}")


def require_project() -> Path:
    """Return the project folder.

    Raises:
        GnomonError: if the current folder is in no project.
    """
    folder = project_folder()
    if folder is None:
        raise GnomonError(
            f"no project found: no {PROJECT_FILE} in this folder or above it"
            " (gnomon new project NAME creates one)"
        )
    return folder


def check_free(kind: str, name: str, paths: Iterable[Path]) -> None:
    """Check that new content overwrites no file, and that its name is free.

    Raises:
        GnomonError: if a path exists, or content of this kind and name.
    """
    there = [path for path in paths if path.exists()]
    if there:
        raise GnomonError(f"{there[0]}: exists already; nothing was written")
    taken = None if kind == "project" else where(kind, name)
    if taken is not None:
        raise GnomonError(
            f"the {kind} {name!r} exists already, {taken}, and every command would reject"
            " two of one name; choose another name (nothing was written)"
        )


def _fill_marks(text: str, words: dict[str, str]) -> str:
    return _MARKS.sub(lambda mark: words[mark[1]], text)
