"""What a sweep hands back: one row per point, in the order of the grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gnomon.base.frames import Framed
from gnomon.explore._spec import plain

if TYPE_CHECKING:
    import pandas as pd

    from gnomon.explore._evaluate import Outcome
    from gnomon.explore._spec import Sweep
    from gnomon.explore._task import Task
    from gnomon.explore.metrics import Metric
    from gnomon.explore.settings import Value


@dataclass(frozen=True, slots=True)
class Row:
    """One point.

    Attributes:
        index: its number in the grid.
        values: of the axes, in their order.
        task: what was evaluated; None where the values make no machine.
        outcome: what came of it.
    """

    index: int
    values: tuple[Value, ...]
    task: Task | None
    outcome: Outcome

    @property
    def failed(self) -> bool:
        """There are no metrics."""
        return bool(self.outcome.reason)

    def metric(self, metric: Metric) -> float | None:
        """A metric, or None if it is not known."""
        value = self.outcome.metrics.get(metric.name)
        return None if value is None else float(value)


@dataclass(frozen=True, slots=True)
class Counts:
    """How a sweep came by its points.

    Attributes:
        cached: taken from the cache.
        computed: evaluated now.
        simulated: runs made for them.
        recorded: paths recorded for them besides; each takes two runs.
        retimed: points priced from a recorded path, which is exact.
        alike: points taken from a run on another machine that the program cannot tell apart.
    """

    cached: int = 0
    computed: int = 0
    simulated: int = 0
    recorded: int = 0
    retimed: int = 0
    alike: int = 0


@dataclass(frozen=True, slots=True)
class SweepResult(Framed):
    """All visited points of a sweep.

    Attributes:
        sweep: what was asked.
        rows: the points in the order of the grid, failed ones included.
        counts: how they were come by; the only part that depends on what was done before.
    """

    sweep: Sweep
    rows: tuple[Row, ...]
    counts: Counts

    def caption(self) -> str:
        """Name, points, how many failed."""
        return f"{self.sweep.name}: {len(self.rows)} points, {len(self.failed)} failed"

    def frame(self) -> pd.DataFrame:
        """One row per point: number, axes, what came of it, metrics, settings, the machine."""
        from gnomon.explore.files import results_table

        table: pd.DataFrame = results_table(self).to_pandas()
        return table

    @property
    def failed(self) -> tuple[Row, ...]:
        """Points without metrics."""
        return tuple(row for row in self.rows if row.failed)

    def meets(self, row: Row) -> bool:
        """Whether a point keeps every constraint."""
        return not row.failed and all(
            limit.met_by(row.metric(limit.metric)) for limit in self.sweep.constraints
        )

    def named(self, row: Row) -> dict[str, Any]:
        """The values of a point by axis."""
        return {
            axis.name: plain(value) for axis, value in zip(self.sweep.axes, row.values, strict=True)
        }
