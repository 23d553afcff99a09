"""Finished builds, kept by the digest of everything that went into them.

An entry is a file and a note beside it with the file's own digest. Both are written aside and
renamed, the note last, so that readers and writers in several processes need no lock: an entry
is whole, or absent, or damaged, and a damaged one counts as absent.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.errors import GnomonError
from gnomon.files import write_aside

if TYPE_CHECKING:
    from pathlib import Path

_PRIVATE = 0o600


@dataclass(frozen=True, slots=True)
class Stored:
    """A finished build: its file, the bytes in it, and what the compiler said."""

    path: Path
    data: bytes
    warnings: str


def load(folder: Path, key: str, suffix: str) -> Stored | None:
    """The entry of this key, or None if it is absent or damaged."""
    path = folder / f"{key}{suffix}"
    try:
        data = path.read_bytes()
        note = json.loads(path.with_suffix(".json").read_bytes())
        whole = note["sha256"] == hashlib.sha256(data).hexdigest()
        warnings = note["warnings"]
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return Stored(path, data, warnings) if whole and isinstance(warnings, str) else None


def store(folder: Path, key: str, suffix: str, data: bytes, warnings: str) -> Stored:
    """Keep a finished build.

    Raises:
        GnomonError: the cache folder cannot be written.
    """
    path = folder / f"{key}{suffix}"
    note = {"sha256": hashlib.sha256(data).hexdigest(), "warnings": warnings}
    try:
        write_aside(path, data, mode=_PRIVATE)
        note_data = json.dumps(note, sort_keys=True).encode()
        write_aside(path.with_suffix(".json"), note_data, mode=_PRIVATE)
    except OSError as error:
        raise GnomonError(
            f"{folder}: cannot write to the cache folder: {error.strerror}"
            " (GNOMON_CACHE names another)"
        ) from None
    return Stored(path, data, warnings)
