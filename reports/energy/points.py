"""The measured points of Tables 2 and 3 as files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import write_files

from .cells import activity_csv, power_csv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.content.reports.paper.cells import Cell


def write_points(cells: Sequence[Cell], folder: Path) -> tuple[Path, ...]:
    """Write activity and power of the cells; the same cells give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files = {"t13-activity.csv": activity_csv(cells),
             "t13-power.csv": power_csv(cells)}  # fmt: skip
    return write_files(folder, files)
