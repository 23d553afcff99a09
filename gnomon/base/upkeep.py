"""The cache folder as a whole: its contents, their integrity, and its size limit.

``GNOMON_CACHE_LIMIT`` (8 GiB) limits the size: what was used longest ago, to the day, is deleted
first. Other processes may use the folder at the same time: they compute a deleted entry again.
"""

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from gnomon.base.cache_entry import DAY_S, NOTE, TAG, DamagedError, read_entry
from gnomon.base.errors import GnomonError
from gnomon.base.files import ASIDE
from gnomon.base.units import parse_size

_LIMIT = "8 GiB"


class _Item(NamedTuple):
    """Files that are deleted together: notes and their data, or any other file or folder."""

    kind: str
    used_s: float
    size_bytes: int
    paths: tuple[Path, ...]


def limit_bytes() -> int:
    """Return the size limit of the cache, in bytes.

    Raises:
        GnomonError: if ``GNOMON_CACHE_LIMIT`` is not a size.
    """
    text = os.environ.get("GNOMON_CACHE_LIMIT", _LIMIT)
    try:
        return parse_size(text)
    except GnomonError as error:
        raise GnomonError(f"GNOMON_CACHE_LIMIT: {error}") from None


def usage(root: Path) -> dict[str, tuple[int, int]]:
    """Return the number of files and bytes of each kind."""
    found: dict[str, tuple[int, int]] = {}
    for item in _list_items(root):
        files, size = found.get(item.kind, (0, 0))
        found[item.kind] = (files + len(item.paths), size + item.size_bytes)
    return found


def verify(root: Path) -> tuple[int, list[Path]]:
    """Count the entries, delete damaged ones, and return the count and the deleted notes.

    Raises:
        GnomonError: if the folder may contain other files than the cache's.
    """
    _check_is_cache(root)
    count, damaged = 0, []
    for note in sorted(root.glob(f"*/*{NOTE}")):
        count += 1
        try:
            read_entry(note, _find_suffix(note))
        except (DamagedError, OSError):
            damaged.append(note)
            note.unlink(missing_ok=True)
    return count, damaged


def prune(root: Path, most_bytes: int) -> int:
    """Delete what was used longest ago until at most ``most_bytes`` remain; return bytes deleted.

    Raises:
        GnomonError: if the folder may contain other files than the cache's.
    """
    _check_is_cache(root)
    items = sorted(_list_items(root), key=lambda item: item.used_s)
    size = sum(item.size_bytes for item in items)
    gone = 0
    for item in items:
        left_over = item.paths[0].name.startswith(ASIDE) and time.time() - item.used_s > DAY_S
        if left_over or size - gone > most_bytes:
            with suppress(OSError):
                for path in item.paths:
                    rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
                gone += item.size_bytes
    return gone


def _check_is_cache(root: Path) -> None:
    if root.is_dir() and not (root / TAG).exists():
        raise GnomonError(
            f"{root}: no file {TAG} marks this folder as a cache, so nothing in it is deleted"
            f" (use an empty folder, or one with a file {TAG})"
        )


def _list_items(root: Path) -> Iterator[_Item]:
    for folder in sorted(p for p in root.glob("*") if p.is_dir() and not p.is_symlink()):
        notes: dict[str, list[Path]] = {}
        rest: dict[str, Path] = {}
        for path in sorted(folder.iterdir()):
            if path.name.endswith(NOTE):
                notes.setdefault(_read_data_name(path), []).append(path)
            elif not path.name.endswith(".lock"):  # another process may hold it
                rest[path.name] = path
        data = {path.name.partition(".")[0]: path for path in rest.values()}
        for name, those in notes.items():
            own = rest.pop(data[name].name, None) if name in data else None
            yield _measure_item(folder.name, [*those, *([own] if own else [])])
        for path in rest.values():
            yield _measure_item(folder.name, [path])


def _measure_item(kind: str, paths: list[Path]) -> _Item:
    used, size = 0.0, 0
    for path in paths:
        within = os.walk(path) if not path.is_symlink() else ()  # it may change meanwhile
        for each in (path, *(Path(at, n) for at, *names in within for n in chain(*names))):
            with suppress(OSError):
                status = each.lstat()
                used = max(used, status.st_mtime)
                size += status.st_size
    return _Item(kind, used, size, tuple(paths))


def _read_data_name(note: Path) -> str:
    try:
        return str(json.loads(note.read_bytes())["data"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return ""


def _find_suffix(note: Path) -> str:
    name = _read_data_name(note)
    found = next(note.parent.glob(f"{name}.*"), None) if name.isalnum() else None
    return "" if found is None else found.name[len(name) :]
