"""The files of the figures."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from gnomon.files import write_file
from gnomon.report.figures import _figure8
from gnomon.report.figures._words import HEAD

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from gnomon.report.figures._run import Figures


def write_figures(figures: Figures, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and pictures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files = {"figures.md": page(figures).encode()}
    files["figure8.csv"] = _csv(_figure8.COLUMNS, _figure8.figure8_rows(figures.kernels)).encode()
    for kind, data in _figure8.figure8(figures.kernels).items():
        files[f"figure8.{kind}"] = data
    return tuple(write_file(folder / name, data) for name, data in files.items())


def page(figures: Figures) -> str:
    """The page, in Markdown."""
    head = HEAD.format(compiler=figures.compiler, size=figures.size.name)
    return "\n".join([head, _figure8.figure8_section(figures.kernels)])


def _csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
