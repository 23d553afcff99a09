"""Modules of found content: imported by the folder they are in, failures blamed on their line."""

import importlib
import traceback
from pathlib import Path
from types import ModuleType

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
    try:
        return importlib.import_module(name)
    except GnomonError:
        raise
    except Exception as error:
        raise GnomonError(blamed(error, folder)) from error


def blamed(error: Exception, folder: Path) -> str:
    """``file:line: what went wrong`` for an error that came out of a folder of content."""
    place = str(folder)
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{error.filename}:{error.lineno}"
    else:
        for frame in traceback.extract_tb(error.__traceback__):
            if Path(frame.filename).is_relative_to(folder):
                place = f"{frame.filename}:{frame.lineno}"
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{place}: {type(error).__name__}: {message}"
