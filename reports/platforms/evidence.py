"""What the published cells themselves say about the programs that ran on the boards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

from gnomon.base.frames import rows_of
from gnomon.bench.learners import find_learner
from gnomon.content.reports.paper.published import TABLES

from .counts import VARIANTS, sizes_of

if TYPE_CHECKING:
    import pandas as pd

    from .cells import PlatformFit


@dataclass(frozen=True, slots=True)
class PerOperation:
    """Published cycles of Table 2 as a sum; ``error`` is the mean relative error of it."""

    product: float
    division: float
    step: float
    error: float


def per_operation(fit: PlatformFit) -> PerOperation:
    """Cycles per multiply-accumulate, per division and per step, none below zero.

    Least squares of relative errors through the std and opt columns of Table 2; the numbers of
    operations are those that docs/notes/paper-line.md states.
    """
    cells = fit.known[fit.known["table"] == 2]
    rows = []
    for cell in rows_of(cells):
        variant = find_learner(TABLES[2][1]).variant(VARIANTS[cell.variant])
        assert variant.counts is not None
        counts = variant.counts(sizes_of(2, cell.param))
        both = counts.select + counts.update
        rows.append((both.products, both.divisions, 1))
    matrix = np.array(rows, dtype=np.float64) / cells["cycles"].to_numpy()[:, None]
    solution, _ = nnls(matrix, np.ones(len(matrix)))
    error = float(np.abs(matrix @ solution - 1).mean())
    product, division, step = (float(value) for value in solution)
    return PerOperation(product, division, step, error)


def cycles_ratio(slow: PlatformFit, fast: PlatformFit, column: str) -> tuple[float, float]:
    """Lowest and highest ratio of the cycles of two platforms, over cells that both have."""
    one, two = (
        fit.known.set_index(["table", "variant", "param"])[column] for fit in (slow, fast)
    )  # fmt: skip
    ratios = (one / two).dropna()
    return ratios.min(), ratios.max()


def memory_needs(counts: pd.DataFrame) -> pd.DataFrame:
    """Bytes that the larger cases of Table 3 need: f and variants down, builds across."""
    large = sorted(counts["param"].unique())[-2:]
    own = counts[(counts["table"] == 3) & counts["param"].isin(large)]
    needed = own.assign(bytes=own["static_bytes"] + own["stack_bytes"])
    return needed.pivot_table("bytes", ["param", "variant"], "build", sort=False).astype(int)
