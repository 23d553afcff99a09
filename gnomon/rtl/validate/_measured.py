"""The measurements that the simulator is held against: ``tests/reference`` of a checkout.

The one place that knows how these files are kept. A wheel does not have them.
"""

from __future__ import annotations

import csv
import lzma
import zipfile
from functools import cache
from typing import TYPE_CHECKING

from gnomon.base.content import content
from gnomon.base.errors import GnomonError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CORE, DIVIDERS = "t13x", "vdiv"
"""Folders: measurements of the T13 core, and of the dividers of its group."""

Issue = tuple[int, int, int, int]
"""Cycle, hart, pc and word."""


def measured_rows(folder: str, name: str) -> list[Mapping[str, str]]:
    """The rows of a table, plain or packed with xz.

    Raises:
        GnomonError: it is not there, as in an installed wheel, or cannot be read.
    """
    return list(csv.DictReader(_text(measured(folder, name)).splitlines()))


@cache
def measured_bench(name: str) -> bytes:
    """One ELF file of ``bench.zip``.

    Raises:
        GnomonError: it is not there or cannot be read.
    """
    path = measured(CORE, "programs/bench.zip")
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(name)
    except (OSError, zipfile.BadZipFile, KeyError) as error:
        raise GnomonError(f"{path}: {name} cannot be read: {error}") from None


def measured_trace(name: str) -> list[Issue]:
    """Every issue of a complete program.

    Raises:
        GnomonError: it is not there or cannot be read.
    """
    lines = _text(measured(CORE, f"programs/{name}.trace.csv.xz")).splitlines()[1:]
    fields = (line.split(",") for line in lines)
    return [(int(c), int(h), int(pc, 16), int(word, 16)) for c, h, pc, word in fields]


def measured(folder: str, name: str) -> Path:
    """Path of a file of measurements.

    Raises:
        GnomonError: it is not there, as in an installed wheel.
    """
    root = content("tests", "reference")
    if not root.is_dir():
        raise GnomonError(
            "the measurements are not part of the wheel: use a checkout of gnomon,"
            " where they are in tests/reference"
        )
    path = root / folder / name
    if not path.is_file():
        raise GnomonError(f"{path}: no such file; this checkout of gnomon is not complete")
    return path


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
        return (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode()
    except (OSError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise GnomonError(f"{path}: cannot be read: {error}") from None
