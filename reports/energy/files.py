"""The files of the energy page, and the energy lines of the paper's table of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError
from gnomon.base.files import Content, read_text, write_file, write_files
from gnomon.content.reports.paper.cells_merge import merged_cells

from .factors import energy_factors, factors_csv
from .page import energy_page
from .pictures import factors_figure, kernels_figure, power_figure
from .rows import energy_rows, is_energy_row
from .tables import kernels_csv, scalar_csv, vector_csv

if TYPE_CHECKING:
    from pathlib import Path

    from .measure import EnergyStudy


def write_energy(study: EnergyStudy, folder: Path, paper: Path) -> tuple[Path, ...]:
    """Write page, tables and pictures; the same study gives the same bytes.

    Args:
        study: what to show.
        folder: where the page goes.
        paper: folder of the paper's report; its ``cells.csv`` gets the time and energy lines of
            the T13, and the cells of the other platforms in Figure 10 are read there.

    Raises:
        GnomonError: a file cannot be read or written.
    """
    table = paper / "cells.csv"
    if not table.is_file():
        raise GnomonError(f"{table}: is not there; `gnomon report paper` makes it")
    cells = merged_cells(read_text(table), energy_rows(study.cells), is_energy_row)
    factors = energy_factors(study.cells, cells)
    files: dict[str, Content] = {
        "energy.md": energy_page(study, factors).encode(),
        "figures10-12.csv": factors_csv(factors).encode(),
        "instructions.csv": scalar_csv(study.scalar).encode(),
        "vector-instructions.csv": vector_csv(study.vector).encode(),
        "kernels.csv": kernels_csv(study.kernels).encode(),
        "figures10-12": factors_figure(factors),
        "power": power_figure(study.cells),
        "kernels": kernels_figure(study.kernels),
    }
    return (write_file(table, cells.encode()), *write_files(folder, files))
