"""Tables 2 and 3 on the Cortex-M4 and the Cortex-A72: counts, prices, page."""

from __future__ import annotations

from gnomon.report.platforms._cells import PLATFORMS, PlatformCell, PlatformFit, fit_platform
from gnomon.report.platforms._counts import (
    Counted,
    counts_csv,
    counts_steps,
    read_counts,
    run_counts,
)
from gnomon.report.platforms._files import write_platforms
from gnomon.report.platforms._print import print_platform, print_platform_runs
from gnomon.report.platforms._rows import platform_rows
from gnomon.report.platforms._selection import (
    Selection,
    read_selection,
    run_selection,
    selection_csv,
)
from gnomon.report.platforms._text import platforms_markdown

__all__ = [
    "PLATFORMS",
    "Counted",
    "PlatformCell",
    "PlatformFit",
    "Selection",
    "counts_csv",
    "counts_steps",
    "fit_platform",
    "platform_rows",
    "platforms_markdown",
    "print_platform",
    "print_platform_runs",
    "read_counts",
    "read_selection",
    "run_counts",
    "run_selection",
    "selection_csv",
    "write_platforms",
]
