"""Modules of found content: imported by the folder they are in, failures blamed on their line."""

import importlib
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from gnomon.base.content import MARKERS, roots
from gnomon.base.errors import GnomonError

_PACKAGE = "gnomon.content"


def load(folder: Path, stem: str) -> ModuleType:
    """A module of a folder of content, such as ``load(find("kernels", "axpy").folder, "model")``.

    Raises:
        GnomonError: the file is not there, or running it fails; says where, ``file:line``.
    """
    file = folder / f"{stem}.py"
    if not file.is_file():
        raise GnomonError(f"{file}: there is no such file")
    name = f"{_PACKAGE}.{folder.parent.name}.{folder.name}.{stem}"
    with blaming(folder):
        return importlib.import_module(name)


@contextmanager
def blaming(folder: Path) -> Iterator[None]:
    """Say where an error of the code in a folder of content comes from, as ``file:line: what``.

    Raises:
        GnomonError: there is one; ending the process is one too, as nothing would be told.
    """
    try:
        yield
    except GnomonError:
        raise
    except (Exception, SystemExit) as error:
        raise GnomonError(_blamed(error, folder)) from error


def users_mistake(error: BaseException) -> GnomonError | None:
    """What to say of an exception that came through a user's content; None if it did not."""
    try:
        places = roots()
    except (GnomonError, OSError):  # this is no time to tell of another
        return None
    frames = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
    for root in places:
        for folder in (root.folder / kind for kind in MARKERS):
            if root.origin != "shipped" and any(each.is_relative_to(folder) for each in frames):
                return GnomonError(_blamed(error, folder))
    return None


def _blamed(error: BaseException, folder: Path) -> str:
    """``file:line: what went wrong`` for an error that came out of a folder of content."""
    place = str(folder)
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{error.filename}:{error.lineno}"
    else:
        for frame in traceback.extract_tb(error.__traceback__):
            if Path(frame.filename).is_relative_to(folder):
                place = f"{frame.filename}:{frame.lineno}"
    if isinstance(error, SystemExit):
        return f"{place}: ends the process with {error.code!r}, which code of content must not"
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{place}: {type(error).__name__}: {message}"
