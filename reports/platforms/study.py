"""``gnomon report platforms``: Tables 2 and 3 on the Cortex-M4 and the Cortex-A72."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from gnomon.base.content import find
from gnomon.base.files import read_text, write_files
from gnomon.base.frames import csv_text
from gnomon.content.reports.paper.cells_file import merged_cells
from gnomon.report.study import Json, Out, Pages, default_out, finish, steps_progress

from .cells import PLATFORMS, fit_platform
from .counts import counts_csv, counts_steps, read_counts, run_counts
from .page import platforms_markdown
from .rows import platform_rows
from .selection import run_selection

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from .counts import Counted

COUNTS, SELECTION = "platform-mixes.csv", "platform-functions.csv"


def main(*, pages: Pages = False, out: Out = None, as_json: Json = False) -> None:
    """Count, compile and write; the cells go into the table of the paper's report."""
    if pages:
        folder = find("reports", "paper").folder
        counts = read_counts(read_text(folder / COUNTS))
        selection = pd.read_csv(folder / SELECTION)
    else:
        with steps_progress("counting", counts_steps()) as progress:
            counts = run_counts(progress)
        selection = run_selection()
    finish({}, write_platforms(counts, selection, out or default_out("paper")), as_json=as_json)


def write_platforms(
    counts: Sequence[Counted], selection: pd.DataFrame, folder: Path
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
        COUNTS: counts_csv(counts),
        SELECTION: csv_text(selection),
        "platforms.md": platforms_markdown(fits, counts, selection),
    }
    return write_files(folder, files)
