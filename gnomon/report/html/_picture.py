"""Pictures as data URIs, so that a page is one file and no ids of two pictures meet."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text

if TYPE_CHECKING:
    from pathlib import Path

_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)pt"[^>]*?height="([\d.]+)pt"|'
                   r'<svg [^>]*?height="([\d.]+)pt"[^>]*?width="([\d.]+)pt"')  # fmt: skip


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG picture: its address for ``<img>`` and its size in CSS pixels."""

    address: str
    width: int
    height: int


def read_picture(path: Path) -> Picture:
    """Read an SVG picture as matplotlib writes them.

    Raises:
        GnomonError: it cannot be read, or states no size in points.
    """
    return picture_of(read_text(path), str(path))


def picture_of(text: str, where: str) -> Picture:
    """An SVG picture as matplotlib writes them; ``where`` names it in messages.

    Raises:
        GnomonError: it states no size in points.
    """
    found = _SIZE.search(text)
    if found is None:
        raise GnomonError(f"{where}: is no SVG picture with width and height in points")
    width, height = (found[1], found[2]) if found[1] else (found[4], found[3])
    data = base64.b64encode(text.encode()).decode()
    return Picture(f"data:image/svg+xml;base64,{data}", _pixels(width), _pixels(height))


def _pixels(points: str) -> int:
    return round(float(points) * 96 / 72)
