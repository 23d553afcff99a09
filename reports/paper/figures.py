"""All that the figures show: measured, or read from the tables of an earlier run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from gnomon.base.files import read_text

from .cells import DIMENSIONS, FITTED_D, PARAMS, plan, run_cells
from .cells_file import cells_frame, read_cells
from .kernels import MEASURED, run_kernels
from .memory import memory_sizes, run_memory

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.report.study import Steps

    from .cells import Cells


@dataclass(frozen=True, slots=True)
class FigureSize:
    """Which points.

    Attributes:
        name: ``small`` or ``full``.
        kernel_sizes: n of Figure 8.
        params: d of the disjoint and f of the hybrid learner in Figures 9 and 11.
        dimensions: d of the hybrid learner there.
        grid: d and f of Figures 2 and 4.
        arms: N of the disjoint learner there; 8 is one of them.
        largest_k: up to this k = d f a hybrid learner that does not fit is also measured with
            more memory.
    """

    name: str
    kernel_sizes: tuple[int, ...] = (4, 6, 8, 10, 12, 16, 20, 24, 28, 32)
    params: tuple[int, ...] = PARAMS
    dimensions: tuple[int, ...] = DIMENSIONS
    grid: tuple[int, ...] = (4, 8, 16, 32)
    arms: tuple[int, ...] = (4, 8, 16, 32)
    largest_k: int = 128


FIGURE_SIZES = {
    "small": FigureSize("small", (4, 8), (4,), (FITTED_D,), (4,), (8,), largest_k=64),
    "full": FigureSize("full"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """What was measured.

    Attributes:
        size: how much of it.
        compiler: that built the kernels, with its version.
        kernels: Figure 8, as of :func:`.kernels.run_kernels`.
        cells: Figures 9 and 11, as of :func:`.cells_file.cells_frame`.
        memory: Figures 2 and 4, as of :func:`.memory.run_memory`.
        python: likewise of the NumPy learners.
    """

    size: FigureSize
    compiler: str
    kernels: pd.DataFrame
    cells: pd.DataFrame
    memory: pd.DataFrame
    python: pd.DataFrame


def run_figures(
    size: FigureSize, progress: Steps | None = None, cells: Cells | None = None
) -> Figures:
    """Measure everything.

    Args:
        size: how much of it.
        progress: of all runs.
        cells: from :func:`.cells.run_cells` with all sizes, to run them only once.

    Raises:
        CheckFailed: a result differs from its model, or from the same C on this computer.
    """
    kernels, compiler = run_kernels(size.kernel_sizes, progress)
    if cells is None:
        cells = run_cells(plan(params=size.params, dimensions=size.dimensions), progress)
    memory, python = run_memory(memory_sizes(size.grid, size.arms), size.largest_k, progress)
    return Figures(size, compiler, kernels, cells_frame(cells), memory, python)


def read_figures(folder: Path) -> Figures:
    """What an earlier run of the full size measured, from its tables.

    Raises:
        GnomonError: a table cannot be read.
    """
    compiler = pd.read_csv(folder / "platform-mixes.csv")["compiler"].iloc[0]
    return Figures(
        FIGURE_SIZES["full"],
        compiler,
        pd.read_csv(folder / "figure8.csv")[list(MEASURED)],
        read_cells(read_text(folder / "cells.csv")),
        *(_as_measured(folder / f"{name}.csv") for name in ("figure2-4", "figure2-4-python")),
    )


def _as_measured(path: Path) -> pd.DataFrame:
    """Empty texts where there is no f or refusal, None where there are no bytes."""
    table = pd.read_csv(path).convert_dtypes().astype(object)
    texts = [name for name in ("f", "refusal") if name in table]
    table = table.where(table.notna(), None)
    table[texts] = table[texts].fillna("")
    return table
