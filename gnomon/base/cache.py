"""The user's cache folder, and the results in it by the digest of what decides them.

``GNOMON_CACHE`` names the folder; else it is ``gnomon`` under ``XDG_CACHE_HOME`` or ``~/.cache``.
Everything in it can be computed again, so the user may delete it at any time. A file
``CACHEDIR.TAG`` (https://bford.info/cachedir) marks the folder for other programs. In a folder
without the file, such as one that held other files before, gnomon deletes nothing.

The folder must belong to the user or to root. ``GNOMON_CACHE_SHARED`` names a second folder that is
read and never written, such as one of an administrator. An entry of it is used if it is absent in
the user's own folder, belongs to the user or root, and no other user may write it.

:mod:`gnomon.base.cache_entry` describes the files of an entry. A damaged entry counts as absent,
with a warning (logger ``gnomon.base.cache``, which writes to stderr by default).
"""

import logging
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType

from gnomon.base.cache_entry import (
    DAY_S,
    NOTE,
    PRIVATE,
    TAG,
    DamagedError,
    Entry,
    read_entry,
    write_entry,
)
from gnomon.base.errors import GnomonError
from gnomon.base.files import write_aside
from gnomon.base.upkeep import limit_bytes, prune

_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55\n"
_OTHERS_WRITE = 0o022
_NOTHING: Mapping[str, str] = MappingProxyType({})
_log = logging.getLogger("gnomon.base.cache")


def cache_root() -> Path:
    """Return the cache root, which need not exist."""
    chosen = os.environ.get("GNOMON_CACHE")
    if chosen:
        return Path(chosen)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path("~/.cache").expanduser()) / "gnomon"


def untrusted_reason(path: Path) -> str:
    """Return why a file is untrusted: who may have written it; empty if it is trusted."""
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
    """Take the right to write from others, such as from a group that has it by default."""
    mode = path.stat().st_mode
    if hasattr(os, "getuid") and mode & _OTHERS_WRITE:
        with suppress(OSError):
            path.chmod(mode & ~_OTHERS_WRITE)


def cache_folder(kind: str) -> Path:
    """Return the folder of one kind of result, such as ``program``; create it if it is absent.

    Raises:
        GnomonError: if the folder cannot be created or belongs to another user.
    """
    root = cache_root()
    folder = root / kind
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not (root / TAG).exists() and _is_ours(root):
            write_aside(root / TAG, _SIGNATURE, mode=PRIVATE)
        folder.mkdir(exist_ok=True, mode=0o700)
        for each in (root, folder) if hasattr(os, "getuid") else ():
            if each.stat().st_uid not in {os.getuid(), 0}:
                raise GnomonError(
                    f"{each}: belongs to another user, whose results these would be (GNOMON_CACHE"
                    " names another cache folder, GNOMON_CACHE_SHARED one to read from)"
                )
        if folder.stat().st_mode & _OTHERS_WRITE:
            folder.chmod(0o700)
    except OSError as error:
        raise GnomonError(
            f"{folder}: cannot make the cache folder: {error.strerror} (GNOMON_CACHE names another)"
        ) from error
    return folder


def _is_ours(root: Path) -> bool:
    """Return whether all files there are gnomon's: the folder has its name, or is empty."""
    return not os.environ.get("GNOMON_CACHE") or not any(root.iterdir())


class Store:
    """Results of one kind, by key."""

    def __init__(self, kind: str, suffix: str) -> None:
        """Open the store.

        Args:
            kind: names its folder.
            suffix: of the files with data, such as ``.elf``.

        Raises:
            GnomonError: if the folder cannot be created.
        """
        self.folder = cache_folder(kind)
        self._suffix = suffix
        shared = os.environ.get("GNOMON_CACHE_SHARED")
        self._folders = (self.folder, Path(shared) / kind) if shared else (self.folder,)

    def load(self, key: str) -> Entry | None:
        """Return the entry of a key; None if it is absent or damaged."""
        for folder in self._folders:
            path = folder / f"{key}{NOTE}"
            try:
                entry = read_entry(path, self._suffix)
                if entry is None:
                    continue
                if folder == self.folder:
                    _touch(path)
                    return entry
                reason = untrusted_reason(entry.path)
                if not reason:
                    return entry
                _log.warning("%s: %s; it is not used", entry.path, reason)
            except FileNotFoundError:
                pass
            except DamagedError as error:
                _log.warning("%s: is damaged; it is regenerated", error.args[0])
                if folder == self.folder:
                    path.unlink(missing_ok=True)
            except OSError as error:
                _log.warning(
                    "%s: cannot be read: %s; it is regenerated", error.filename, error.strerror
                )
        return None

    def keys(self, beginning: str) -> list[str]:
        """Return the keys that begin with a text, damaged entries included."""
        notes = (note for each in self._folders for note in each.glob(f"{beginning}*{NOTE}"))
        return sorted({note.stem for note in notes})

    def keep(self, key: str, data: bytes, note: Mapping[str, str] = _NOTHING) -> Entry:
        """Cache a result, and replace the entry of its key.

        Raises:
            GnomonError: if the folder cannot be written, such as on a full disk; no partial file
                remains.
        """
        tidy()
        try:
            return write_entry(self.folder, key, data, self._suffix, dict(note))
        except OSError as error:
            raise GnomonError(
                f"{self.folder}: cannot write to the cache folder: {error.strerror}"
                " (GNOMON_CACHE names another)"
            ) from None


def _touch(path: Path) -> None:
    """Set the time of a file to the day of its last use."""
    with suppress(OSError):
        if abs(time.time() - path.stat().st_mtime) > DAY_S:
            os.utime(path)


@cache
def tidy() -> None:
    """Prune the cache to its limit, at most once a day and once in a process."""
    root, limit = cache_root(), limit_bytes()
    stamp = root / ".tidied"
    if not (root / TAG).exists():
        return
    with suppress(OSError):
        try:
            if abs(time.time() - stamp.stat().st_mtime) < DAY_S:  # a clock may go back
                return
        except FileNotFoundError:
            pass
        stamp.touch(PRIVATE)
        prune(root, limit)
