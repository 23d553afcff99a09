"""The Pareto front: points that no other beats in every objective."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from gnomon.explore._result import Row
    from gnomon.explore.metrics import Objective


def costs_of(rows: Sequence[Row], objectives: Sequence[Objective]) -> npt.NDArray[np.float64]:
    """What objectives are for each point, less is better; NaN where not known."""
    costs = np.full((len(rows), len(objectives)), np.nan)
    for place, row in enumerate(rows):
        for column, objective in enumerate(objectives):
            value = row.metric(objective.metric)
            if value is not None:
                costs[place, column] = value if objective.minimize else -value
    return costs


def front_of(costs: npt.NDArray[np.float64]) -> list[int]:
    """Places of the rows that no other row dominates, in order; rows with NaN are not on it.

    A row dominates another if it is nowhere worse and somewhere better. Of equal rows all are on
    the front.
    """
    known = np.flatnonzero(~np.isnan(costs).any(axis=1))
    if not known.size:
        return []
    # Sorted by the first objective, a row can only be dominated by one before it, or its equal.
    order = known[np.lexsort(costs[known].T[::-1])]
    kept: list[int] = []
    best = np.empty((0, costs.shape[1]))
    for place in order:
        row = costs[place]
        dominated = (best <= row).all(axis=1) & (best < row).any(axis=1)
        if not dominated.any():
            kept.append(int(place))
            best = np.vstack([best, row])
    return sorted(kept)
