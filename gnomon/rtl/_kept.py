"""Counts of finished syntheses, kept so that a grid goes on where it was stopped.

The key is the digest of the sources, the steps and the tool. An entry holds a digest of its own; a
damaged one counts as absent.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from gnomon.cache import cache_folder
from gnomon.errors import GnomonError
from gnomon.files import write_aside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_MODE = 0o600


def digest(parts: Iterable[bytes]) -> str:
    """One digest of several strings of bytes; where one ends and the next starts counts."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "little") + part)
    return whole.hexdigest()


def load_cells(key: str) -> dict[str, int] | None:
    """Primitives by name, or None if there is no whole entry."""
    try:
        entry = json.loads(_path(key).read_bytes())
        cells: dict[str, int] = entry["cells"]
        whole = entry["digest"] == _digest_of(key, cells)
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return cells if whole else None


def keep_cells(key: str, cells: Mapping[str, int]) -> None:
    """Keep the primitives of a synthesis.

    Raises:
        GnomonError: the cache folder cannot be written.
    """
    path = _path(key)
    entry = {"cells": dict(cells), "digest": _digest_of(key, cells)}
    try:
        write_aside(path, json.dumps(entry, sort_keys=True).encode(), mode=_MODE)
    except OSError as error:
        raise GnomonError(f"{path}: cannot write to the cache folder: {error.strerror}") from error


def _path(key: str) -> Path:
    return cache_folder("synthesis") / f"{key}.json"


def _digest_of(key: str, cells: Mapping[str, int]) -> str:
    return digest([key.encode(), json.dumps(dict(cells), sort_keys=True).encode()])
