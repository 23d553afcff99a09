"""Data of the figures: measured, or read from the tables of an earlier run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pandas as pd

from gnomon import learn
from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.files import read_text
from gnomon.base.frames import frame
from gnomon.measure.learners import (
    EmbeddedLearner,
    EmbeddedSizes,
    LearnerBench,
    LearnerVariant,
    find_embedded_learner,
)
from gnomon.program import refusal_of
from gnomon.report.study import Steps

from .cells import DIMENSIONS, FITTED_D, MACHINES, PARAMS, Cells, plan, run_cells
from .cells_page import cells_frame, read_cells
from .kernels import MEASURED, run_kernels
from .published import ARMS

BUDGET = "128 KiB"
_ROOMY = "4 MiB"  # every size that is run fits
_LARGEST = "64 MiB"  # the static data of every size fits
DISJOINT, HYBRID = "linucb-disjoint", "linucb-hybrid"
SHOWN_D = 4
"""Of the hybrid learners in table and picture: the d that Table 3 fits."""
_COMPARED = ("standard", "optimized", "standard-vector", "optimized-vector")
_KEYS = ["learner", "line", "variant", "arms", "d", "f"]
BYTES = ["static_bytes", "select_stack_bytes", "update_stack_bytes", "stack_bytes", "total_bytes"]
_PYTHON = ["state_size_bytes", "select_peak_bytes", "update_peak_bytes"]


def memory_sizes(grid: Sequence[int], arms: Sequence[int]) -> list[tuple[str, EmbeddedSizes]]:
    """Return learners and sizes: d and N of the disjoint; d and f of the hybrid, N = 8."""
    disjoint = [(DISJOINT, EmbeddedSizes(d, arms)) for arms, d in product(arms, grid)]
    return disjoint + [(HYBRID, EmbeddedSizes(d, ARMS, f)) for d, f in product(grid, repeat=2)]


def run_memory(
    sizes: Sequence[tuple[str, EmbeddedSizes]], largest_k: int, progress: Steps
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Measure learners of these sizes.

    Args:
        sizes: learners and their sizes.
        largest_k: limit of k = d f up to which a learner that does not fit runs with more memory.
        progress: called with their number.

    Returns:
        ``figure2-4.csv``: bytes of data memory. Static ones are those of all symbols of the
        program, None if it cannot be built; peak stacks are from the paint that is left of them,
        None if it was not run; why it does not run in ``BUDGET``. Second, those of the NumPy
        learners.
    """
    rows: list[tuple[object, ...]] = []
    python: list[tuple[object, ...]] = []
    for name, size in progress.over(sizes, lambda each: f"memory, {each[0]}"):
        learner, keys = find_embedded_learner(name), (size.arms, size.d, size.f or "")
        for variant in learner.variants:
            if variant.name in _COMPARED:
                known, refusal = _measure(learner, variant, size, largest_k)
                fits = "no" if refusal else "yes"
                rows.append((name, variant.line, variant.name, *keys, *known, fits, refusal))
        like = learn.Sizes(size.arms, size.d, size.f or 0)
        for variant_name in _COMPARED[:2]:
            held = learn.measure_memory(learn.find_learner(name, variant_name).from_sizes(like))
            python.append((name, variant_name, *keys, *(getattr(held, each) for each in _PYTHON)))
    return (
        frame([*_KEYS, *BYTES, "fits_128_kib", "refusal"], rows),
        frame([*_KEYS[:1], *_KEYS[2:], *_PYTHON], python),
    )


def _measure(
    learner: EmbeddedLearner, variant: LearnerVariant, sizes: EmbeddedSizes, largest_k: int
) -> tuple[list[int | None], str]:
    """Measure in the budget; where that fails, with more memory, if it does not take too long."""

    def bench(memory: str) -> LearnerBench:
        machine = load_architecture(MACHINES[variant.vector], [f"memory.data.size={memory}"])
        return LearnerBench(learner, variant, machine, sizes)

    def measured(memory: str) -> list[int | None]:
        run = bench(memory).measure()
        stack_bytes = run.stack_bytes[0]
        return [run.static_bytes, run.select.stack_bytes, run.update.stack_bytes, stack_bytes,
                run.static_bytes + stack_bytes]  # fmt: skip

    try:
        return measured(BUDGET), ""
    except GnomonError as error:
        refusal = refusal_of(error)
    try:
        if sizes.k <= largest_k:
            return measured(_ROOMY), refusal
        program = bench(_LARGEST).build()
        static_bytes = program.symbol("_data_end").address - program.symbol("_data").address
    except GnomonError as whatever_the_memory:
        return [None] * len(BYTES), refusal_of(whatever_the_memory)
    return [static_bytes, *[None] * 4], refusal


def with_python(memory: pd.DataFrame, python: pd.DataFrame) -> pd.DataFrame:
    """Join both kinds of learners, those in NumPy as a separate line: static is their state.

    ``larger`` is the larger peak of selection and update; numbers are floats, NaN where none is;
    f is 0 of disjoint ones.
    """
    state, select, update = (python[name].astype(float) for name in _PYTHON)
    larger = pd.concat([select, update], axis=1).max(axis=1)
    columns = dict(zip(BYTES, (state, select, update, larger, state + larger), strict=True))
    numpy = python.drop(columns=_PYTHON).assign(line="NumPy", refusal="", **columns)
    table = pd.concat([memory.astype(dict.fromkeys(BYTES, float)), numpy], ignore_index=True)
    peaks = table[["select_stack_bytes", "update_stack_bytes"]]
    f = table["f"].where(table["f"] != "", 0).astype(int)
    return table.assign(f=f, larger=peaks.max(axis=1, skipna=False))


def savings(every: pd.DataFrame) -> pd.DataFrame:
    """Return peaks of the standard program less the optimized one's, by learner and size.

    Args:
        every: as of :func:`with_python`.

    Returns:
        By two levels of columns: of the NumPy learners, of the paper code scalar and vector, and
        ``tuned``, from the standard program of the paper code; and what is saved of ``select``,
        ``update`` and the ``larger`` of them. NaN where it was not run, or there is no such
        program.
    """
    peaks = every.rename(columns=lambda name: name.removesuffix("_stack_bytes"))
    wide = peaks.pivot(  # noqa: PD010 - a key is there once
        index=["learner", "arms", "d", "f"],
        columns=["line", "variant"],
        values=["select", "update", "larger"],
    )
    missing = pd.Series(float("nan"), wide.index)

    def of(peak: str, line: str, variant: str) -> pd.Series[float]:
        return wide.get((peak, line, variant), missing)

    return pd.DataFrame({
        (name, peak): of(peak, from_line, f"standard{end}") - of(peak, line, f"optimized{end}")
        for name, from_line, line, end in (
            ("NumPy", "NumPy", "NumPy", ""), ("scalar", "paper", "paper", ""),
            ("vector", "paper", "paper", "-vector"), ("tuned", "paper", "tuned", ""),
        )
        for peak in ("select", "larger", "update")
    })  # fmt: skip


@dataclass(frozen=True, slots=True)
class FigureSize:
    """Selection of points."""

    name: str  # ``small`` or ``full``
    kernel_sizes: tuple[int, ...] = (4, 6, 8, 10, 12, 16, 20, 24, 28, 32)  # n of Figure 8
    # d of the disjoint and f of the hybrid learner in Figures 9 and 11
    params: tuple[int, ...] = PARAMS
    dimensions: tuple[int, ...] = DIMENSIONS  # d of the hybrid learner there
    grid: tuple[int, ...] = (4, 8, 16, 32)  # d and f of Figures 2 and 4
    arms: tuple[int, ...] = (4, 8, 16, 32)  # N of the disjoint learner there; 8 is one of them
    # up to this k = d f a hybrid learner that does not fit is also measured with more memory
    largest_k: int = 128


FIGURE_SIZES = {
    "small": FigureSize("small", (4, 8), (4,), (FITTED_D,), (4,), (8,), largest_k=64),
    "full": FigureSize("full"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """Measured data."""

    size: FigureSize  # selection of points
    compiler: str  # that built the kernels, with its version
    kernels: pd.DataFrame  # Figure 8, as of :func:`.kernels.run_kernels`
    cells: pd.DataFrame  # Figures 9 and 11, as of :func:`.cells_page.cells_frame`
    memory: pd.DataFrame  # Figures 2 and 4, as of :func:`run_memory`
    python: pd.DataFrame  # as ``memory``, of the NumPy learners


def run_figures(size: FigureSize, progress: Steps, cells: Cells | None = None) -> Figures:
    """Measure everything.

    Args:
        size: how much of it.
        progress: of all runs.
        cells: from :func:`.cells.run_cells` with all sizes, to run them only once.
    """
    kernels, compiler = run_kernels(size.kernel_sizes, progress)
    if cells is None:
        cells = run_cells(plan(params=size.params, dimensions=size.dimensions), progress)
    memory, python = run_memory(memory_sizes(size.grid, size.arms), size.largest_k, progress)
    return Figures(size, compiler, kernels, cells_frame(cells), memory, python)


def read_figures(folder: Path) -> Figures:
    """Read the measurements of an earlier run of the full size from its tables."""
    compiler = pd.read_csv(folder / "platform-mixes.csv")["compiler"].iloc[0]
    return Figures(
        FIGURE_SIZES["full"],
        compiler,
        pd.read_csv(folder / "figure8.csv")[list(MEASURED)],
        read_cells(read_text(folder / "cells.csv")),
        *(_as_measured(folder / f"{name}.csv") for name in ("figure2-4", "figure2-4-python")),
    )


def _as_measured(path: Path) -> pd.DataFrame:
    """Read a table: empty texts without f or refusal, None where there are no bytes."""
    table = pd.read_csv(path).convert_dtypes().astype(object)
    texts = [name for name in ("f", "refusal") if name in table]
    table = table.where(table.notna(), None)
    table[texts] = table[texts].fillna("")
    return table
