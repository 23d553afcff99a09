"""The files of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files
from gnomon.report.fixed_point._figures import (
    inverse_figure,
    life_figure,
    regret_figure,
    reward_figure,
)
from gnomon.report.fixed_point._page import page
from gnomon.report.fixed_point._tables import cells_csv, curves_csv, events_csv, float_csv

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.bench.fixedpoint import FixedPointStudy


def write_fixed_point(study: FixedPointStudy, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and figures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {
        "fixed-point.md": page(study).encode(),
        "cells.csv": cells_csv(study).encode(),
        "events.csv": events_csv(study).encode(),
        "curves.csv": curves_csv(study).encode(),
        "float.csv": float_csv(study).encode(),
    }
    figures = {
        "life": life_figure,
        "regret": regret_figure,
        "reward": reward_figure,
        "inverse": inverse_figure,
    }
    for name, figure in figures.items():
        files[name] = figure(study)
    return write_files(folder, files)
