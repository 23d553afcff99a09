"""What the published cells themselves say about the programs that ran on the boards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

from gnomon.bench.learners import find_learner

from .counts import (
    BUILDS,
    LEARNERS,
    VARIANTS,
    sizes_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cells import PlatformFit
    from .counts import Counted


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
    rows, published = [], []
    for cell in fit.known:
        if cell.key.table != 2:
            continue
        variant = find_learner(LEARNERS[2]).variant(VARIANTS[cell.key.variant])
        assert variant.counts is not None
        counts = variant.counts(sizes_of(2, cell.key.param))
        both = counts.select + counts.update
        rows.append((both.products, both.divisions, 1))
        published.append(cell.published["cycles"])
    matrix = np.array(rows, dtype=np.float64) / np.array(published, dtype=np.float64)[:, None]
    solution, _ = nnls(matrix, np.ones(len(matrix)))
    error = float(np.abs(matrix @ solution - 1).mean())
    product, division, step = (float(value) for value in solution)
    return PerOperation(product, division, step, error)


def published_ratio(
    slow: PlatformFit, fast: PlatformFit, *, documented: bool
) -> tuple[float, float]:
    """Lowest and highest ratio of the cycles of two platforms, over cells that both have."""
    of_fast = {cell.key._replace(platform=""): cell for cell in fast.known}
    ratios = []
    for cell in slow.known:
        other = of_fast[cell.key._replace(platform="")]
        if documented:
            ratios.append(cell.documented.value / other.documented.value)
        else:
            ratios.append(cell.published["cycles"] / other.published["cycles"])
    return min(ratios), max(ratios)


def memory_needs(counts: Sequence[Counted]) -> dict[tuple[str, int], tuple[int, ...]]:
    """Bytes that the larger cases of Table 3 need, by variant and f, one per build."""
    needs: dict[tuple[str, int], tuple[int, ...]] = {}
    for param in sorted({row.param for row in counts})[-2:]:
        for variant in VARIANTS:
            by_build = {
                row.build: row.needed_bytes
                for row in counts
                if (row.table, row.variant, row.param) == (3, variant, param)
            }
            needs[variant, param] = tuple(by_build[build] for build in BUILDS)
    return needs
