"""Reading the measured divisions."""

from __future__ import annotations

import csv
import functools
import lzma
from pathlib import Path

REFERENCE = Path(__file__).parents[1] / "reference" / "vdiv"

Row = dict[str, str]


@functools.cache
def rows_of(name: str) -> list[Row]:
    path = REFERENCE / name
    raw = path.read_bytes()
    text = (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode()
    return list(csv.DictReader(text.splitlines()))


def signed(hexadecimal: str) -> int:
    return (int(hexadecimal, 16) ^ 0x80000000) - 0x80000000
