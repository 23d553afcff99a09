"""Modules of content folders and files of users; their errors name file and line."""

import importlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from gnomon.base.content import MARKERS, roots
from gnomon.base.errors import GnomonError

_PACKAGE = "gnomon.content"


def import_content_module(folder: Path, stem: str) -> ModuleType:
    """Import a module of a content folder, as in ``load(find("kernels", "axpy").folder, "model")``.

    Raises:
        GnomonError: if the file does not exist, or running it fails; with its ``file:line``.
    """
    file = folder / f"{stem}.py"
    if not file.is_file():
        raise GnomonError(f"{file}: there is no such file")
    name = f"{_PACKAGE}.{folder.parent.name}.{folder.name}.{stem}"
    with locate_errors(folder):
        return importlib.import_module(name)


@contextmanager
def imported_file(file: Path) -> Iterator[ModuleType]:
    """Run a Python file as a module, which can import others of its folder until the block ends.

    Raises:
        GnomonError: if the file does not exist, or its code fails; with its ``file:line``.
    """
    if not file.is_file():
        raise GnomonError(f"{file}: there is no such file")
    name, folder = f"{_PACKAGE}.file.{file.stem}", file.parent.absolute()
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = set(sys.modules)
    sys.modules[name] = module  # which dataclasses look up
    sys.path.insert(0, str(folder))
    try:
        with locate_errors(folder):
            spec.loader.exec_module(module)
            yield module
    finally:
        sys.path.remove(str(folder))
        # A file of another folder may import other modules of the same names.
        for each in set(sys.modules) - before:
            if Path(getattr(sys.modules[each], "__file__", None) or "").is_relative_to(folder):
                del sys.modules[each]


@contextmanager
def locate_errors(folder: Path) -> Iterator[None]:
    """Convert errors of the code in a content folder to ``file:line: message``.

    Raises:
        GnomonError: if the code raises an error or ends the process, which would hide the error.
    """
    try:
        yield
    except GnomonError:
        raise
    except (Exception, SystemExit) as error:
        raise GnomonError(_format_error(error, folder)) from error


def user_content_error(error: BaseException) -> GnomonError | None:
    """Return the error message of an exception that came through user content, else None."""
    try:
        places = roots()
    except (GnomonError, OSError):  # report the original error, not this one
        return None
    frames = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
    for root in places:
        for folder in (root.folder / kind for kind in MARKERS):
            if root.origin != "shipped" and any(each.is_relative_to(folder) for each in frames):
                return GnomonError(_format_error(error, folder))
    return None


def _format_error(error: BaseException, folder: Path) -> str:
    """Return ``file:line: message`` for an error of the code in a content folder."""
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
