"""Results of a sweep, read from ``results.parquet``: points by column, in bounded memory."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from gnomon.base.errors import GnomonError
from gnomon.explore._outcomes import PointOutcome
from gnomon.explore._result import SLICE, SweepResult, axis_column
from gnomon.explore._runs import Counts
from gnomon.explore._spec import Axis, SearchKeys, Sweep
from gnomon.explore.columns import Ints, PointCollector, metric_names, places_of
from gnomon.explore.files import PARQUET, SWEEP_KEY
from gnomon.explore.metrics import ENERGY_FACTS, parse_constraint, parse_objective
from gnomon.explore.settings import SETTINGS

_FACTS = ("arm", "exit_code", "build", "binary")
_NOTES = ("energy", "area", "regret")


def read_results(path: Path | str) -> SweepResult:
    """Read the results of ``gnomon sweep``, without evaluating a point.

    Args:
        path: ``results.parquet``, or the folder that holds it.

    Raises:
        GnomonError: if pyarrow is missing, or the file is not a result of a sweep.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise GnomonError(
            "results of sweeps need pyarrow: python -m pip install 'gnomon[sweep]'"
        ) from None
    file = Path(path) / PARQUET if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise GnomonError(f"{file}: no such file")
    try:
        with pq.ParquetFile(file) as opened:
            metadata = opened.schema_arrow.metadata or {}
            if SWEEP_KEY not in metadata:
                raise ValueError(f"its metadata have no {SWEEP_KEY.decode()}")
            there = opened.schema_arrow.names
            sweep = _in_order(_sweep_of(json.loads(metadata[SWEEP_KEY])), there)
            collector = PointCollector(sweep)
            columns = [name for name in _columns(sweep) if name in there]
            for batch in opened.iter_batches(SLICE, columns=columns):
                _collect(batch, sweep, collector)
    except OSError as error:
        raise GnomonError(f"{file}: {error.strerror or error}") from None
    except (pa.ArrowException, GnomonError, ValidationError, *_DAMAGED) as error:
        raise GnomonError(f"{file}: is damaged, or not a result of a sweep: {error}") from None
    points = collector.points()
    twice = points.numbers[1:][np.diff(points.numbers) == 0]
    if len(twice):
        raise GnomonError(f"{file}: is damaged: point {twice[0]} is there more than once")
    return SweepResult(sweep, points, Counts(cached=len(points)))


_DAMAGED = (KeyError, TypeError, ValueError, AttributeError, RecursionError)


def _sweep_of(data: Mapping[str, Any]) -> Sweep:
    """Return the sweep whose ``to_json`` gives the data."""
    workload = data["workload"]
    if workload not in SETTINGS:
        raise ValueError(f"workload {workload!r}")
    return Sweep(
        name=data["name"],
        workload=workload,
        arch=data["arch"],
        fixed=tuple((name, _value(value)) for name, value in data["fixed"].items()),
        axes=tuple(Axis(name, tuple(map(_value, of))) for name, of in data["axes"].items()),
        constraints=tuple(parse_constraint(text, workload) for text in data["constraints"]),
        objectives=tuple(parse_objective(text, workload) for text in data["objectives"]),
        per=tuple(data["per"]),
        search=SearchKeys(**data["search"]),
    )


def _in_order(sweep: Sweep, columns: Sequence[str]) -> Sweep:
    """Return the sweep with its axes in the order of their columns, which numbers points."""
    axes = sorted(sweep.axes, key=lambda axis: columns.index(f"axis.{axis.name}"))
    return replace(sweep, axes=tuple(axes))


def _value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _columns(sweep: Sweep) -> list[str]:
    """Return the columns of points and outcomes; the others follow from the sweep."""
    notes = [f"note.{name}" for name in _NOTES]
    axes = [f"axis.{axis.name}" for axis in sweep.axes]
    rest = ("point", *axes, "failed", "reason", "arch.name", *_FACTS, *ENERGY_FACTS, *notes)
    return list(dict.fromkeys((*rest, *metric_names(sweep))))


def _collect(batch: Any, sweep: Sweep, collector: PointCollector) -> None:
    """Add the points of some rows, a record batch of pyarrow."""
    there = {*batch.schema.names}
    numbers = _numbers(batch, sweep)
    metrics = np.full((batch.num_rows, len(metric_names(sweep))), np.nan)
    for place, name in enumerate(metric_names(sweep)):
        if name in there:
            metrics[:, place] = batch.column(name).to_numpy(zero_copy_only=False)
    names = [*_FACTS, *ENERGY_FACTS, *(f"note.{each}" for each in _NOTES)]
    empty = [None] * batch.num_rows
    columns = [
        batch.column(name).to_pylist() if name in there else empty
        for name in ("reason", "arch.name", *names)
    ]
    known: dict[tuple[Any, ...], PointOutcome] = {}
    outcomes, made = [], []
    for row in zip(*columns, strict=True):
        if row not in known:
            known[row] = _outcome(row[0] or "", dict(zip(names, row[2:], strict=True)))
        outcomes.append(known[row])
        made.append(row[1] is not None)
    collector.add_columns(numbers.tolist(), outcomes, metrics, made)


def _numbers(batch: Any, sweep: Sweep) -> Ints:
    """Return the numbers of the points of a record batch.

    Raises:
        ValueError: if a number is outside the grid, or a point has other values on the axes.
    """
    import pyarrow as pa

    column = batch.column("point")
    if column.null_count or not pa.types.is_integer(column.type):
        raise ValueError("a point has no number")
    numbers: Ints = column.to_numpy(zero_copy_only=False).astype(np.int64)
    if ((numbers < 0) | (numbers >= sweep.grid_points)).any():
        raise ValueError("a point is outside of the grid of the sweep")
    for place, axis in enumerate(sweep.axes):
        expected = pa.array(axis_column(axis).values).take(places_of(sweep, numbers, place))
        if not batch.column(f"axis.{axis.name}").equals(expected):
            raise ValueError(f"the values of axis {axis.name} are not those of the sweep")
    return numbers


def _outcome(reason: str, of: Mapping[str, Any]) -> PointOutcome:
    """Return the part of an outcome that many points share."""
    facts = {name: of[name] for name in _FACTS if of[name] is not None}
    if of["energy_kind"] is not None:
        facts |= {name: of[name] or "" for name in ENERGY_FACTS}
    notes = {name: of[f"note.{name}"] for name in _NOTES if of[f"note.{name}"] is not None}
    return PointOutcome({}, notes, facts, reason)
