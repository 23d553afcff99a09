"""The files of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.files import write_file
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

    from gnomon.fixedpoint import FixedPointStudy


def write_fixed_point(study: FixedPointStudy, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and figures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files = {
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
        for kind, data in figure(study).items():
            files[f"{name}.{kind}"] = data
    return tuple(write_file(folder / name, data) for name, data in files.items())
