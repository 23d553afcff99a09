"""The user's cache folder: where it is, and results in it by the digest of what decides them.

``GNOMON_CACHE`` names the folder; else it is ``gnomon`` under ``XDG_CACHE_HOME`` or ``~/.cache``.
All that is in it can be made again: it may be deleted at any time.

An entry is two files: its data, named by their own digest, and a note, named by the key, that says
which data. Both are written aside and renamed, the note last, so that readers and writers in
several processes need no lock, also if two of them find different data for one key: an entry is
whole, or absent, or damaged. A damaged one counts as absent, and that is said (logger
``gnomon.base.cache``, which writes to stderr unless told otherwise).
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from gnomon.base.digest import digest
from gnomon.base.errors import GnomonError
from gnomon.base.files import write_aside

if TYPE_CHECKING:
    from collections.abc import Mapping

_PRIVATE = 0o600
_NOTE = ".entry"
_NOTHING: Mapping[str, str] = MappingProxyType({})
_log = logging.getLogger("gnomon.base.cache")


def cache_folder(kind: str) -> Path:
    """The folder for one kind of cached result, such as ``program`` or ``engine``, made if absent.

    Raises:
        GnomonError: it cannot be made.
    """
    chosen = os.environ.get("GNOMON_CACHE")
    if chosen:
        root = Path(chosen)
    else:
        shared = os.environ.get("XDG_CACHE_HOME")
        root = (Path(shared) if shared else Path("~/.cache").expanduser()) / "gnomon"
    folder = root / kind
    try:
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(exist_ok=True, mode=0o700)
    except OSError as error:
        raise GnomonError(
            f"{folder}: cannot make the cache folder: {error.strerror} (GNOMON_CACHE names another)"
        ) from error
    return folder


@dataclass(frozen=True, slots=True)
class Entry:
    """A result that is kept.

    Attributes:
        path: of the file that holds the data and nothing else; do not change it.
        data: its bytes.
        note: what was kept next to them.
    """

    path: Path
    data: bytes = field(repr=False)
    note: Mapping[str, str]


class _DamagedError(Exception):
    """The file given is not as it was written."""


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

    def load(self, key: str) -> Entry | None:
        """The entry of this key, or None if it is not there or damaged."""
        path = self.folder / f"{key}{_NOTE}"
        try:
            return self._entry(key, path)
        except FileNotFoundError:
            return None
        except _DamagedError as error:
            _log.warning("%s: is damaged; it is made again", error.args[0])
        except OSError as error:
            _log.warning("%s: cannot be read: %s; it is made again", error.filename, error.strerror)
        return None

    def _entry(self, key: str, note_path: Path) -> Entry:
        text = note_path.read_bytes()
        try:
            said = json.loads(text)
            name, note = said["data"], said["note"]
            whole = said["seal"] == digest((key, name, note))
        except (ValueError, LookupError, TypeError):
            whole = False
        if not whole:
            raise _DamagedError(note_path)
        path = self.folder / f"{name}{self._suffix}"
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise _DamagedError(path) from None
        if hashlib.sha256(data).hexdigest() != name:
            raise _DamagedError(path)
        return Entry(path, data, note)

    def keep(self, key: str, data: bytes, note: Mapping[str, str] = _NOTHING) -> Entry:
        """Keep a result, over what was there.

        Raises:
            GnomonError: the folder cannot be written, such as when the disk is full; nothing is
                left behind.
        """
        name = hashlib.sha256(data).hexdigest()
        note = dict(note)
        said = {"data": name, "note": note, "seal": digest((key, name, note))}
        path = self.folder / f"{name}{self._suffix}"
        try:
            if data or not path.is_file() or path.stat().st_size:
                write_aside(path, data, mode=_PRIVATE)
            text = json.dumps(said, sort_keys=True).encode()
            write_aside(self.folder / f"{key}{_NOTE}", text, mode=_PRIVATE)
        except OSError as error:
            raise GnomonError(
                f"{self.folder}: cannot write to the cache folder: {error.strerror}"
                " (GNOMON_CACHE names another)"
            ) from None
        return Entry(path, data, note)
