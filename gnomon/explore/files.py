"""The files of a finished sweep, results.parquet and summary.json: the same bytes always."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from gnomon.arch.keys import key_paths, written
from gnomon.base.errors import GnomonError
from gnomon.base.files import write_file
from gnomon.explore._spec import plain
from gnomon.explore._summary import summarize
from gnomon.explore.metrics import METRICS
from gnomon.explore.settings import SETTINGS

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ModuleNotFoundError:
    raise GnomonError(
        "results of sweeps are Parquet, which needs pyarrow: python -m pip install 'gnomon[sweep]'"
    ) from None

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.explore._result import Row, SweepResult

RESULTS, SUMMARY = "results.parquet", "summary.json"


def write_results(result: SweepResult, folder: Path) -> tuple[Path, Path]:
    """Write both files aside and rename them.

    Raises:
        GnomonError: they cannot be written.
    """
    buffer = io.BytesIO()
    pq.write_table(results_table(result), buffer)
    summary = json.dumps(summarize(result), indent=1, sort_keys=True) + "\n"
    return (
        write_file(folder / RESULTS, buffer.getvalue()),
        write_file(folder / SUMMARY, summary.encode()),
    )


def results_table(result: SweepResult) -> pa.Table:
    """One row per point: its number, its axes, what came of it, all settings, the whole machine.

    Columns: ``point``; ``axis.NAME`` as the sweep says it; ``failed`` and ``reason``; ``meets`` all
    constraints; the metrics, null where not known; ``note.NAME`` why; facts; the settings by name;
    every key of the machine by its dotted path, sizes in bytes, clock in hertz.
    """
    rows = result.rows
    columns: dict[str, list[Any]] = {"point": [row.index for row in rows]}
    for place, axis in enumerate(result.sweep.axes):
        columns[f"axis.{axis.name}"] = [_same_kind(axis.values, row.values[place]) for row in rows]
    columns["failed"] = [row.failed for row in rows]
    columns["reason"] = [row.outcome.reason for row in rows]
    columns["meets"] = [result.meets(row) for row in rows]
    arrays: dict[str, pa.Array] = {name: _array(values) for name, values in columns.items()}
    for metric in METRICS:
        if result.sweep.workload in metric.of:
            figures = [row.metric(metric) for row in rows]
            arrays[metric.name] = pa.array(figures, pa.float64())
    for name in ("energy", "area", *(("regret",) if result.sweep.workload == "learner" else ())):
        arrays[f"note.{name}"] = pa.array(
            [row.outcome.notes.get(name) for row in rows], pa.string()
        )
    for name in ("arm", "exit_code"):
        arrays[name] = pa.array([row.outcome.facts.get(name) for row in rows], pa.int64())
    arrays["build"] = pa.array([row.outcome.facts.get("build") for row in rows], pa.string())
    for setting in SETTINGS[result.sweep.workload]:
        values = [None if row.task is None else row.task.setting(setting.name) for row in rows]
        kind = {"int": pa.int64(), "bool": pa.bool_()}.get(setting.kind, pa.string())
        arrays[setting.name] = pa.array(values, kind)
    machines = [_flat(row) for row in rows]
    for key in key_paths():
        arrays[f"arch.{key}"] = _array([machine.get(key) for machine in machines])
    metadata = {"gnomon.sweep": json.dumps(result.sweep.to_json(), sort_keys=True)}
    return pa.table(arrays).replace_schema_metadata(metadata)


def _same_kind(values: tuple[Any, ...], value: Any) -> Any:
    """A value of an axis as it is, if all of its values are of one plain kind; else as text."""
    kinds = {type(each) for each in values}
    return value if kinds in ({int}, {bool}, {float}) else written(value)


def _array(values: list[Any]) -> pa.Array:
    """A column of the kind that all its values have; text where they have several, or none."""
    kinds = {type(value) for value in values if value is not None}
    plain_kinds: dict[type, pa.DataType] = {
        int: pa.int64(),
        bool: pa.bool_(),
        float: pa.float64(),
    }
    if len(kinds) == 1:
        kind = plain_kinds.get(next(iter(kinds)))
        if kind is not None:
            return pa.array(values, kind)
    return pa.array(
        [value if value is None or isinstance(value, str) else json.dumps(plain(value))
         for value in values],
        pa.string(),
    )  # fmt: skip


def _flat(row: Row) -> dict[str, Any]:
    """Every key of the machine of a point by its dotted path."""
    if row.task is None:
        return {}
    flat: dict[str, Any] = {}

    def walk(section: dict[str, Any], prefix: str) -> None:
        for name, value in section.items():
            if isinstance(value, dict):
                walk(value, f"{prefix}{name}.")
            else:
                flat[prefix + name] = value

    walk(row.task.architecture.to_dict(), "")
    return flat
