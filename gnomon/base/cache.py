"""The user's cache folder: where it is, and results in it by the digest of what decides them.

``GNOMON_CACHE`` names the folder; else it is ``gnomon`` under ``XDG_CACHE_HOME`` or ``~/.cache``.
All that is in it can be made again: it may be deleted at any time. A file ``CACHEDIR.TAG``, as
https://bford.info/cachedir has it, says so to others; where it is not, as in a folder that held
other files before, nothing is deleted.

The folder is the user's alone: one that belongs to somebody else is refused.
``GNOMON_CACHE_SHARED`` names another one that is read and never written, such as one of an
administrator: what is not in one's own is looked for there, and taken if it is the user's or root's
and nobody else may write it.

An entry is two files: its data, named by their own digest, and a note, named by the key, that says
which data. Both are written aside and renamed, the note last, so that readers and writers in
several processes need no lock, also if two of them find different data for one key: an entry is
whole, or absent, or damaged. A damaged one counts as absent, and that is said (logger
``gnomon.base.cache``, which writes to stderr unless told otherwise).
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
    """The folder that all are in, whether or not it is there."""
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
    """The folder for one kind of cached result, such as ``program`` or ``engine``, made if absent.

    Raises:
        GnomonError: it cannot be made, or belongs to somebody else.
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
    """Whether nobody else can have files there: it is named after us, or empty."""
    return not os.environ.get("GNOMON_CACHE") or not any(root.iterdir())


class Store:
    """Results of one kind, by key."""

    def __init__(self, kind: str, suffix: str) -> None:
        """Open it.

        Args:
            kind: names its folder.
            suffix: of the files with data, such as ``.elf``.

        Raises:
            GnomonError: the folder cannot be made.
        """
        self.folder = cache_folder(kind)
        self._suffix = suffix
        shared = os.environ.get("GNOMON_CACHE_SHARED")
        self._folders = (self.folder, Path(shared) / kind) if shared else (self.folder,)

    def load(self, key: str) -> Entry | None:
        """The entry of this key, or None if it is not there or damaged."""
        for folder in self._folders:
            path = folder / f"{key}{NOTE}"
            try:
                entry = read_entry(path, self._suffix)
                if entry is None:
                    continue
                if folder == self.folder:
                    _used(path)
                    return entry
                reason = untrusted_reason(entry.path)
                if not reason:
                    return entry
                _log.warning("%s: %s; it is not used", entry.path, reason)
            except FileNotFoundError:
                pass
            except DamagedError as error:
                _log.warning("%s: is damaged; it is made again", error.args[0])
                if folder == self.folder:
                    path.unlink(missing_ok=True)
            except OSError as error:
                _log.warning(
                    "%s: cannot be read: %s; it is made again", error.filename, error.strerror
                )
        return None

    def keys(self, beginning: str) -> list[str]:
        """Keys of entries, damaged ones too, that begin so."""
        notes = (note for each in self._folders for note in each.glob(f"{beginning}*{NOTE}"))
        return sorted({note.stem for note in notes})

    def keep(self, key: str, data: bytes, note: Mapping[str, str] = _NOTHING) -> Entry:
        """Keep a result, over what was there.

        Raises:
            GnomonError: the folder cannot be written, such as when the disk is full; nothing is
                left behind.
        """
        tidy()
        try:
            return write_entry(self.folder, key, data, self._suffix, dict(note))
        except OSError as error:
            raise GnomonError(
                f"{self.folder}: cannot write to the cache folder: {error.strerror}"
                " (GNOMON_CACHE names another)"
            ) from None


def _used(path: Path) -> None:
    """Note that a file was used, to the day."""
    with suppress(OSError):
        if abs(time.time() - path.stat().st_mtime) > DAY_S:
            os.utime(path)


@cache
def tidy() -> None:
    """Once a day, and once in a process, hold the whole to its limit."""
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
