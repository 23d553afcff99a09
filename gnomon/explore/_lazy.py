"""Points of a sweep one after another: points are evaluated when a loop asks for them."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from gnomon.base.errors import GnomonError
from gnomon.base.values import json_attributes, to_json_data
from gnomon.explore._executor import make_executor
from gnomon.explore._run import PointEvaluator, random_points
from gnomon.explore._spec import Sweep
from gnomon.explore._task import forget_files
from gnomon.explore.columns import Row
from gnomon.explore.settings import Value

_LARGEST = 4096  # points that are evaluated together


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """Point of a sweep, with its metrics or the reason why it has none."""

    number: int  # in the grid
    axes: Mapping[str, Value]  # value by axis
    metrics: Mapping[str, float]  # by column, whose last word is the unit; without unavailable ones
    notes: Mapping[str, str]  # why a metric is unavailable
    facts: Mapping[str, str | int]  # exit code, chosen arm, build, kind of the energy
    reason: str  # why the point failed; empty if it did not
    meets: bool  # whether it meets all constraints

    def to_json(self) -> dict[str, Any]:
        """Return the point as JSON-compatible data."""
        return json_attributes(self, "number metrics notes facts reason meets") | {
            "axes": to_json_data(dict(self.axes))
        }


def iterate_points(sweep: Sweep, *, jobs: int | None = 1) -> Iterator[SweepPoint]:
    """Yield the points of a sweep in grid order; each is evaluated when it is requested.

    The first requests evaluate one point per process, later ones more at a time, so that a loop
    that ends early wastes little. Finished points are cached, and none stays in memory.

    Args:
        sweep: the workload, and the values that vary.
        jobs: number of processes that evaluate points, 1 for this one; None: one per CPU.

    Raises:
        GnomonError: if the sweep is a search whose points depend on the results of others.
    """
    if sweep.search.method == "nsga2":
        raise GnomonError("search: nsga2 chooses points by the results of others; use gnomon.sweep")
    chosen = range(sweep.grid_points) if sweep.search.method == "grid" else random_points(sweep)
    return _iterate(sweep, chosen, jobs)


def _iterate(sweep: Sweep, chosen: range | list[int], jobs: int | None) -> Iterator[SweepPoint]:
    forget_files()
    with closing(make_executor(jobs)) as executor:
        evaluator = PointEvaluator(sweep, executor, lambda *_: None)
        start, count = 0, executor.workers
        while start < len(chosen):
            for row in evaluator.evaluate(chosen[start : start + count]):
                yield _point_of(sweep, row)
            start += count
            count = min(2 * count, _LARGEST)


def _point_of(sweep: Sweep, row: Row) -> SweepPoint:
    outcome = row.outcome
    return SweepPoint(
        number=row.index,
        axes={axis.name: value for axis, value in zip(sweep.axes, row.values, strict=True)},
        metrics=outcome.metrics,
        notes=outcome.notes,
        facts=outcome.facts,
        reason=outcome.reason,
        meets=not row.failed
        and all(limit.met_by(row.metric(limit.metric)) for limit in sweep.constraints),
    )
