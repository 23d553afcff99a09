"""The two files of a cache entry: its data, and a note that names them.

The data are named by their own digest. The note is named by the key and says which data belong to
it. Both are written aside and renamed, the note last, so that readers and writers in several
processes need no lock, also if two of them find different data for one key: an entry is whole, or
absent, or damaged.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from gnomon.base.digest import digest
from gnomon.base.files import write_aside

NOTE: Final = ".entry"
TAG: Final = "CACHEDIR.TAG"
PRIVATE: Final = 0o600
DAY_S: Final = 86_400
_VERSION = 1
"""Version of the entry format. Entries of another version count as absent."""


class Entry(NamedTuple):
    """A cached result."""

    path: Path  # of the file that holds the data and nothing else; do not change it
    data: bytes
    note: Mapping[str, str]  # what the caller stored next to the data


class DamagedError(Exception):
    """The file given differs from what was written."""


def read_entry(note_path: Path, suffix: str) -> Entry | None:
    """Return the entry of a note; None if its format has another version.

    Raises:
        DamagedError: if a file differs from what was written; its argument is the file.
        OSError: if the note does not exist or cannot be read.
    """
    text = note_path.read_bytes()
    try:
        fields = json.loads(text)
        if fields.get("version") != _VERSION:
            return None
        name, note = fields["data"], fields["note"]
        whole = fields["seal"] == _compute_seal(note_path.stem, name, note)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        whole = False
    if not whole:
        raise DamagedError(note_path)
    path = note_path.with_name(f"{name}{suffix}")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise DamagedError(path) from None
    if hashlib.sha256(data).hexdigest() != name:
        raise DamagedError(path)
    return Entry(path, data, note)


def write_entry(folder: Path, key: str, data: bytes, suffix: str, note: Mapping[str, str]) -> Entry:
    """Write both files of an entry, replacing those that exist.

    Raises:
        OSError: if the folder cannot be written; no partial file remains.
    """
    name = hashlib.sha256(data).hexdigest()
    fields = {
        "data": name,
        "note": note,
        "seal": _compute_seal(key, name, note),
        "version": _VERSION,
    }
    path = folder / f"{name}{suffix}"
    write_aside(path, data, mode=PRIVATE)
    text = json.dumps(fields, sort_keys=True).encode()
    write_aside(folder / f"{key}{NOTE}", text, mode=PRIVATE)
    return Entry(path, data, note)


def _compute_seal(key: str, name: str, note: Mapping[str, str]) -> str:
    return digest((key, name, note, _VERSION))
