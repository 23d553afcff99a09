"""``gnomon report platforms``: Tables 2 and 3 on the Cortex-M4 and the Cortex-A72."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from gnomon.base.content import find
from gnomon.base.files import read_text, write_files
from gnomon.base.frames import csv_text
from gnomon.content.reports.paper.cells_file import merged_cells
from gnomon.report.study import Json, Out, Pages, default_out, finish, steps_progress

from .cells import PLATFORMS, fit_platform, platform_rows
from .counts import run_counts
from .page import platforms_markdown
from .selection import run_selection

if TYPE_CHECKING:
    from pathlib import Path

COUNTS, SELECTION = "platform-mixes.csv", "platform-functions.csv"


def main(*, pages: Pages = False, out: Out = None, as_json: Json = False) -> None:
    """Count, compile and write; the cells go into the table of the paper's report."""
    if pages:
        folder = find("reports", "paper").folder
        counts, selection = (pd.read_csv(folder / name) for name in (COUNTS, SELECTION))
    else:
        with steps_progress("counting") as progress:
            counts = run_counts(progress)
        selection = run_selection()
    finish({}, write_platforms(counts, selection, out or default_out("paper")), as_json=as_json)


def write_platforms(
    counts: pd.DataFrame, selection: pd.DataFrame, folder: Path
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
        COUNTS: csv_text(counts),
        SELECTION: csv_text(selection),
        "platforms.md": platforms_markdown(fits, counts, selection),
    }
    return write_files(folder, files)
