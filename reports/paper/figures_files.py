"""The files of the figures."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files

from . import figure8 as _figure8
from .memory_picture import memory_picture
from .memory_section import COLUMNS as MEMORY_COLUMNS
from .memory_section import (
    PYTHON_COLUMNS,
    memory_rows,
    memory_section,
    python_rows,
)
from .points import COLUMNS as SPEEDUP_COLUMNS
from .points import speedup_points
from .speedups import speedups_section
from .speedups_picture import speedups_picture
from .words import HEAD

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .figures import Figures
    from .points import SpeedupPoint


def write_figures(figures: Figures, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and pictures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    tables = {
        "figure8": (_figure8.COLUMNS, _figure8.figure8_rows(figures.kernels)),
        **{
            f"figure{number}": (SPEEDUP_COLUMNS, [p.to_row() for p in _points(figures, number)])
            for number in (9, 11)
        },
        "figure2-4": (MEMORY_COLUMNS, memory_rows(figures.memory)),
        "figure2-4-python": (PYTHON_COLUMNS, python_rows(figures.memory)),
    }
    pictures = {
        "figure8": _figure8.figure8(figures.kernels),
        **{f"figure{number}": speedups_picture(_points(figures, number)) for number in (9, 11)},
        "figure2-4": memory_picture(figures.memory, figures.size),
    }
    files: dict[str, Content] = {"figures.md": page(figures).encode()}
    for name, (header, rows) in tables.items():
        files[f"{name}.csv"] = _csv(header, rows).encode()
    return write_files(folder, files | pictures)


def page(figures: Figures) -> str:
    """The page, in Markdown."""
    return "\n".join(
        [
            HEAD.format(compiler=figures.compiler, size=figures.size.name),
            _figure8.figure8_section(figures.kernels),
            *(speedups_section(number, _points(figures, number)) for number in (9, 11)),
            memory_section(figures.memory, figures.size),
        ]
    )


def _points(figures: Figures, number: int) -> tuple[SpeedupPoint, ...]:
    return speedup_points(number, figures.cells, figures.size.params)


def _csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
