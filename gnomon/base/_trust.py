"""Which libraries may be loaded: those that nobody else can have written."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from pathlib import Path

_OTHERS_WRITE = 0o022


def open_library(library: Path) -> ctypes.CDLL:
    """Load a library, whoever wrote it.

    Raises:
        GnomonError: the system cannot.
    """
    try:
        return ctypes.CDLL(str(library))
    except OSError as error:
        raise GnomonError(f"{library}: cannot be loaded: {error}") from None


def refused_because(path: Path) -> str:
    """Why a file must not be loaded: who may have written it."""
    if not hasattr(os, "getuid"):
        return ""
    for each in (path, path.parent):
        status = each.stat()
        if status.st_uid not in {os.getuid(), 0}:
            return f"{each.name} belongs to another user"
        if status.st_mode & _OTHERS_WRITE:
            return f"others may write {each.name}"
    return ""


def make_private(path: Path) -> None:
    """Where a group may write by default: what is the user's own stays so."""
    mode = path.stat().st_mode
    if hasattr(os, "getuid") and mode & _OTHERS_WRITE:
        with suppress(OSError):
            path.chmod(mode & ~_OTHERS_WRITE)
