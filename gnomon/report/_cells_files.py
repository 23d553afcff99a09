"""The files of the table cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.files import write_file
from gnomon.report._cells_text import cells_csv, cells_markdown

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.report._cells import Cells


def write_cells(cells: Cells, folder: Path) -> tuple[Path, ...]:
    """Write table and page into a folder; the same cells give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files = {"cells.csv": cells_csv(cells), "cells.md": cells_markdown(cells)}
    return tuple(write_file(folder / name, text.encode()) for name, text in files.items())
