"""What a sweep hands back: one row per point, in the order of the grid."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.base.frames import Framed
from gnomon.base.values import to_json_data
from gnomon.explore.metrics import technology_of

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from gnomon.explore._binaries import SameBinary
    from gnomon.explore._evaluate import Outcome
    from gnomon.explore._recommend import Choice
    from gnomon.explore._runs import Counts
    from gnomon.explore._sensitivity import Sensitivity
    from gnomon.explore._spec import Sweep
    from gnomon.explore._task import Task
    from gnomon.explore.metrics import Metric
    from gnomon.explore.settings import Value


@dataclass(frozen=True, slots=True)
class Row:
    """One point."""

    index: int  # its number in the grid
    values: tuple[Value, ...]  # of the axes, in their order
    task: Task | None  # what was evaluated; None where the values make no machine
    outcome: Outcome  # what came of it

    @property
    def failed(self) -> bool:
        """There are no metrics."""
        return bool(self.outcome.reason)

    @property
    def technology(self) -> str:
        """Kind and library of its energy; empty where the energy is not known."""
        return technology_of(self.outcome.facts)

    def metric(self, metric: Metric) -> float | None:
        """A metric, or None if it is not known."""
        value = self.outcome.metrics.get(metric.name)
        return None if value is None else float(value)


@dataclass(frozen=True, slots=True)
class SweepResult(Framed):
    """All visited points of a sweep."""

    sweep: Sweep  # what was asked
    rows: tuple[Row, ...]  # the points in the order of the grid, failed ones included
    counts: Counts  # how they were come by; the only part that depends on what was done before

    def caption(self) -> str:
        """Name, points, how many failed."""
        return f"{self.sweep.name}: {len(self.rows)} points, {len(self.failed)} failed"

    def frame(self) -> pd.DataFrame:
        """One row per point: number, axes, what came of it, metrics, settings, the machine."""
        import pandas as pd

        from gnomon.explore.files import columns

        made = {}
        for name, column in columns(self).items():
            unknown = any(each is None for each in column.values)  # noqa: PD011 - no pandas
            numbers = column.kind == "float64" or (column.kind == "int64" and unknown)
            kind = "float64" if numbers else "object" if unknown else None
            made[name] = pd.Series(column.values, dtype=kind)
        return pd.DataFrame(made)

    def choices(self) -> tuple[Choice, ...]:
        """A choice for each combination of values of the axes in ``per``, in grid order.

        Where an objective or a constraint is of energy, a choice for each kind and library, too.
        """
        from gnomon.explore._recommend import choices

        return choices(self)

    @staticmethod
    def front_of(costs: npt.NDArray[np.float64]) -> list[int]:
        """Places of the rows that no other row dominates, in order; rows with NaN are not on it.

        A row dominates another if it is nowhere worse and somewhere better. Of equal rows all are
        on the front.
        """
        known = np.flatnonzero(~np.isnan(costs).any(axis=1))
        if not known.size or not costs.shape[1]:
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

    def sensitivities(self, metric: Metric) -> tuple[Sensitivity, ...]:
        """What every axis with two values or more does to a metric, the strongest first.

        Points without the metric, or where it is 0, are left out.
        """
        from gnomon.explore._sensitivity import sensitivities

        return sensitivities(self, metric)

    def unknown_of(self, metric: Metric) -> list[str]:
        """What these do not say of the axes, and why, in words; empty if they say all."""
        from gnomon.explore._sensitivity import notes_of_energy, what_is_unknown

        return [*notes_of_energy(self, metric), *what_is_unknown(self.sensitivities(metric))]

    def same_binaries(self) -> tuple[SameBinary, ...]:
        """Return the values of axes of the build that make the same binary at all points."""
        from gnomon.explore._binaries import same_binaries

        return same_binaries(self)

    def summary(self) -> dict[str, Any]:
        """Plain data: the sweep, its counts, failures by reason, choices and sensitivities.

        Nothing of it depends on the cache.
        """
        reasons = Counter(row.outcome.reason for row in self.failed)
        return {
            "schema": 1,
            "sweep": self.sweep.to_json(),
            "fingerprint": self.sweep.fingerprint,
            "grid_points": self.sweep.grid_points,
            "points": len(self.rows),
            "failed": len(self.failed),
            "reasons": dict(sorted(reasons.items())),
            "energies": list(self.technologies),
            "choices": [choice.to_json() for choice in self.choices()],
            "same_binaries": [each.to_json() for each in self.same_binaries()],
            "sensitivities": [
                each.to_json()
                for objective in self.sweep.objectives
                for each in self.sensitivities(objective.metric)
            ],
        }

    @property
    def technologies(self) -> tuple[str, ...]:
        """Kinds and libraries of the points' energies, which are never ranked against each other.

        In the order of the grid; one or none: all energies compare.
        """
        return tuple(dict.fromkeys(row.technology for row in self.rows if row.technology))

    @property
    def failed(self) -> tuple[Row, ...]:
        """Points without metrics."""
        return tuple(row for row in self.rows if row.failed)

    def meets(self, row: Row) -> bool:
        """Whether a point keeps every constraint."""
        return not row.failed and all(
            limit.met_by(row.metric(limit.metric)) for limit in self.sweep.constraints
        )

    def unsure(self, row: Row) -> bool:
        """Whether a constraint of a point is not known, and it misses no other."""
        values = [(limit, row.metric(limit.metric)) for limit in self.sweep.constraints]
        missed = any(value is not None and not limit.met_by(value) for limit, value in values)
        return not row.failed and not missed and any(value is None for _, value in values)

    def named(self, row: Row) -> dict[str, Any]:
        """The values of a point by axis."""
        return {
            axis.name: to_json_data(value)
            for axis, value in zip(self.sweep.axes, row.values, strict=True)
        }
