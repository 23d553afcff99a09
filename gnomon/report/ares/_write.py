"""The files of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files
from gnomon.report.ares._figures import regret_figure, windows_figure
from gnomon.report.ares._page import page
from gnomon.report.ares._tables import (
    constants_csv,
    regret_csv,
    systems_csv,
    true_windows_csv,
    windows_csv,
)
from gnomon.report.criteria import criteria_csv

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.learn.ares import AresExperiment


def write_ares(experiment: AresExperiment, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and figures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {
        "ares.md": page(experiment).encode(),
        "ares_criteria.csv": criteria_csv(experiment.criteria).encode(),
        "ares_regret.csv": regret_csv(experiment).encode(),
        "ares_windows.csv": windows_csv(experiment).encode(),
    }
    if experiment.many is not None:
        files["ares_constants.csv"] = constants_csv(experiment).encode()
        files["ares_systems.csv"] = systems_csv(experiment).encode()
        files["ares_true_windows.csv"] = true_windows_csv(experiment).encode()
    for name, figure in {"regret": regret_figure, "windows": windows_figure}.items():
        files[f"ares_{name}"] = figure(experiment)
    return write_files(folder, files)
