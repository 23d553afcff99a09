"""``gnomon new``: a machine, kernel, learner, study or project that works, to change."""

import re
from pathlib import Path
from typing import Annotated

from gnomon.base.content import PROJECT_FILE, project_folder, where
from gnomon.base.errors import GnomonError, require_known
from gnomon.base.files import write_file
from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import argument

_TEMPLATES = Path(__file__).with_name("templates")
KINDS = ("machine", "kernel", "learner", "study", "project")
_NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
_MARKS = re.compile(r"@(name|folder|title)@")


@answers()
def new(
    kind: Annotated[str, argument("KIND", f"One of: {', '.join(KINDS)}.")],
    name: str = argument("NAME", "Lower-case letters, digits, hyphens."),
) -> Answer:
    """Make a machine, kernel, learner, study or project that works as it is.

    A project is a new folder here; all others go into the project around the current folder.
    """
    require_known("kind", kind, KINDS)
    if not _NAME.fullmatch(name):
        raise GnomonError(
            f"a name has lower-case letters, digits and single hyphens, and starts with a letter;"
            f" not {name!r}"
        )
    folder = Path.cwd() if kind == "project" else project_folder()
    if folder is None:
        raise GnomonError(
            f"there is no project here: no {PROJECT_FILE} in this folder or above it"
            " (gnomon new project NAME makes one)"
        )
    words = {
        "name": name.replace("_", "-"),
        "folder": name if kind == "project" else name.replace("-", "_"),
        "title": name.replace("-", " ").replace("_", " ").capitalize(),
    }
    template = _TEMPLATES / kind
    files = {
        folder / _filled(path.relative_to(template).as_posix(), words): _filled(
            path.read_text(encoding="utf-8"), words
        )
        for path in sorted(template.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }
    there = [path for path in files if path.exists()]
    if there:
        raise GnomonError(f"{there[0]}: is there already; nothing was written")
    taken = None if kind == "project" else where(kind, words["name"])
    if taken is not None:
        raise GnomonError(
            f"there is a {kind} {words['name']!r} already, {taken}, and two of one name would stop"
            " every command here; choose another name (nothing was written)"
        )
    paths = [str(write_file(path, text)) for path, text in files.items()]
    yield {"files": paths}, paths


def _filled(text: str, words: dict[str, str]) -> str:
    return _MARKS.sub(lambda mark: words[mark[1]], text)
