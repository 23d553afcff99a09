"""The files of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.files import Content, write_files
from gnomon.report.linucb._figures import drift_figure, memory_figure, operations_figure
from gnomon.report.linucb._page import page
from gnomon.report.linucb._reward_figure import reward_figure
from gnomon.report.linucb._tables import (
    claims_csv,
    complexity_csv,
    disagreements_csv,
    drift_csv,
    memory_csv,
    operations_csv,
)

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.learn import LinucbExperiment


def write_linucb(experiment: LinucbExperiment, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and figures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    tables = {
        "claims": claims_csv,
        "complexity": complexity_csv,
        "operations": operations_csv,
        "memory": memory_csv,
        "drift": drift_csv,
        "disagreements": disagreements_csv,
    }
    figures = {
        "operations": operations_figure,
        "memory": memory_figure,
        "drift": drift_figure,
        "reward": reward_figure,
    }
    files: dict[str, Content] = {"linucb.md": page(experiment).encode()}
    for name, table in tables.items():
        files[f"{name}.csv"] = table(experiment).encode()
    for name, figure in figures.items():
        files[name] = figure(experiment)
    return write_files(folder, files)
