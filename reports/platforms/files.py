"""The files of the platform cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import read_text, write_files
from gnomon.content.reports.paper.cells_file import merged_cells

from .cells import PLATFORMS, fit_platform
from .counts import counts_csv
from .page import platforms_markdown
from .rows import platform_rows
from .selection import selection_csv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .counts import Counted
    from .selection import Selection


def write_platforms(
    counts: Sequence[Counted], selection: Sequence[Selection], folder: Path
) -> tuple[Path, ...]:
    """Write counts and page into a folder, and the platform lines into its ``cells.csv``.

    Raises:
        GnomonError: a file cannot be read or written, or something executed has no cost.
    """
    fits = [fit_platform(name, counts) for name in PLATFORMS]
    cells = folder / "cells.csv"
    before = read_text(cells) if cells.exists() else ""
    merged = merged_cells(before, platform_rows(fits), lambda row: row["platform"] in PLATFORMS)
    files = {
        "cells.csv": merged,
        "platform-mixes.csv": counts_csv(counts),
        "platform-functions.csv": selection_csv(selection),
        "platforms.md": platforms_markdown(fits, counts, selection),
    }
    return write_files(folder, files)
