"""The files of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files
from gnomon.report.criteria import criteria_csv
from gnomon.report.softucb._figures import regret_figure, training_figure, width_figure
from gnomon.report.softucb._page import page
from gnomon.report.softucb._tables import (
    curves_csv,
    regret_csv,
    sweep_csv,
    training_csv,
    widths_csv,
)

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.learn.softucb import SoftucbExperiment


def write_softucb(experiment: SoftucbExperiment, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and figures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {
        "softucb.md": page(experiment).encode(),
        "softucb_criteria.csv": criteria_csv(experiment.criteria).encode(),
        "softucb_regret.csv": regret_csv(experiment).encode(),
        "softucb_curves.csv": curves_csv(experiment).encode(),
        "softucb_training.csv": training_csv(experiment).encode(),
        "softucb_sweep.csv": sweep_csv(experiment).encode(),
    }
    if experiment.table_1:
        files["softucb_widths.csv"] = widths_csv(experiment).encode()
    figures = {"regret": regret_figure, "training": training_figure, "width": width_figure}
    for name, figure in figures.items():
        files[f"softucb_{name}"] = figure(experiment)
    return write_files(folder, files)
