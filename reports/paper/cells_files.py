"""The files of the table cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import read_text, write_files

from .cells_merge import others_of_cells
from .cells_text import cells_csv, cells_markdown

if TYPE_CHECKING:
    from pathlib import Path

    from .cells import Cells


def write_cells(cells: Cells, folder: Path) -> tuple[Path, ...]:
    """Write table and page into a folder; the same cells give the same bytes.

    What another part of the report has written into the table stays there, behind these lines.

    Raises:
        GnomonError: a file cannot be read or written.
    """
    table = folder / "cells.csv"
    before = read_text(table) if table.exists() else ""
    files = {
        "cells.csv": cells_csv(cells) + others_of_cells(before, _is_own),
        "cells.md": cells_markdown(cells),
    }
    return write_files(folder, files)


def _is_own(row: dict[str, str]) -> bool:
    return (row["platform"], row["metric"]) == ("t13", "cycles")
