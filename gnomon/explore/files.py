"""The files of a finished sweep: results as CSV and Parquet, a summary; the same bytes always.

CSV needs nothing that is not there anyway. Parquet, which keeps types and nulls, is written too
where pyarrow is installed.
"""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from gnomon.arch.keys import key_paths, written
from gnomon.base.errors import GnomonError
from gnomon.base.files import write_file
from gnomon.base.values import to_json_data
from gnomon.explore._result import SweepResult
from gnomon.explore.metrics import ENERGY_FACTS, METRICS
from gnomon.explore.settings import BUILD, SETTINGS

CSV, PARQUET, SUMMARY = "results.csv", "results.parquet", "summary.json"
_KINDS = {int: "int64", bool: "bool", float: "float64"}
_SETTINGS = {"int": "int64", "bool": "bool"}


@dataclass(frozen=True, slots=True)
class Column:
    """Values of one kind, ``int64``, ``bool``, ``float64`` or ``string``; None where not known."""

    kind: str
    values: list[Any]


def check_parquet(*, wanted: bool | None) -> bool:
    """Whether Parquet is written: as asked for, or where pyarrow is installed.

    Raises:
        GnomonError: it is asked for, and there is no pyarrow.
    """
    try:
        there = find_spec("pyarrow") is not None
    except ValueError:  # somebody has put something else in its place
        there = False
    if wanted and not there:
        raise GnomonError("--parquet needs pyarrow: python -m pip install 'gnomon[sweep]'")
    return there if wanted is None else wanted


def write_results(result: SweepResult, folder: Path, *, parquet: bool) -> tuple[Path, ...]:
    """Write all files aside and rename them.

    Raises:
        GnomonError: they cannot be written.
    """
    table = columns(result)
    files = {CSV: _csv(table)}
    if parquet:
        files[PARQUET] = _parquet(table, result)
    summary = json.dumps(result.summary(), indent=1, sort_keys=True)
    files[SUMMARY] = f"{summary}\n".encode()
    return tuple(write_file(folder / name, data) for name, data in files.items())


def columns(result: SweepResult) -> dict[str, Column]:
    """One row per point: its number, its axes, what came of it, all settings, the whole machine.

    Columns: ``point``; ``axis.NAME`` as the sweep says it; ``failed`` and ``reason``; ``meets`` all
    constraints; the metrics, null where not known; ``energy_kind``, ``energy_library`` and, of a
    stale table, ``energy_stale``: what the energy is of; ``note.NAME`` why not known; facts; the
    settings by name; every key of the machine by its dotted path, sizes in bytes, clock in hertz.
    """
    rows, workload = result.rows, result.sweep.workload
    made = {"point": _column([row.index for row in rows])}
    for place, axis in enumerate(result.sweep.axes):
        values = [_same_kind(axis.values, row.values[place]) for row in rows]
        made[f"axis.{axis.name}"] = _column(values)
    made["failed"] = _column([row.failed for row in rows])
    made["reason"] = _column([row.outcome.reason for row in rows])
    made["meets"] = _column([result.meets(row) for row in rows])
    for metric in METRICS:
        if workload in metric.of:
            made[metric.name] = Column("float64", [row.metric(metric) for row in rows])
    for name in ENERGY_FACTS:
        if name != "operands":  # a setting, below
            made[name] = Column("string", [row.outcome.facts.get(name) or None for row in rows])
    for name in ("energy", "area", *(("regret",) if workload == "learner" else ())):
        made[f"note.{name}"] = Column("string", [row.outcome.notes.get(name) for row in rows])
    for name, kind in (("arm", "int64"), ("exit_code", "int64"), ("build", "string")):
        made[name] = Column(kind, [row.outcome.facts.get(name) for row in rows])
    for setting in SETTINGS[workload]:
        values = [None if row.task is None else row.task.setting(setting.name) for row in rows]
        if setting.name == "operands":  # what the energy assumes where the sweep does not say
            assumed = [row.outcome.facts.get("operands") for row in rows]
            values = [a if v is None else v for v, a in zip(values, assumed, strict=True)]
        if setting not in BUILD or any(value is not None for value in values):
            texts = [_text(v) if isinstance(v, tuple) else v for v in values]
            made[setting.name] = Column(_SETTINGS.get(setting.kind, "string"), texts)
    machines = [dict(_flat(row.task.architecture.to_dict())) if row.task else {} for row in rows]
    for key in key_paths():
        made[f"arch.{key}"] = _column([machine.get(key) for machine in machines])
    return made


def _csv(table: dict[str, Column]) -> bytes:
    """As text: nothing where a value is not known, ``true`` and ``false``, all digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    cells = [
        [str(v).lower() if isinstance(v, bool) else v for v in column.values]
        for column in table.values()
    ]
    writer.writerows(zip(*cells, strict=True))
    return out.getvalue().encode()


def _parquet(table: dict[str, Column], result: SweepResult) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"int64": pa.int64(), "bool": pa.bool_(), "float64": pa.float64()}
    arrays = {
        name: pa.Array.from_buffers(
            types.get(column.kind, pa.string()),
            len(column.values),
            [each if each is None else pa.py_buffer(each) for each in _buffers(column)],
        )
        for name, column in table.items()
    }
    metadata = {"gnomon.sweep": json.dumps(result.sweep.to_json(), sort_keys=True)}
    buffer = io.BytesIO()
    pq.write_table(pa.table(arrays).replace_schema_metadata(metadata), buffer)
    return buffer.getvalue()


def _buffers(column: Column) -> list[bytes | None]:
    """As Arrow lays out a column; ``pyarrow.array`` would import pandas for it."""
    known = [value is not None for value in column.values]
    valid = None if all(known) else _bits(known)
    kind = {"int64": "<i8", "float64": "<f8"}.get(column.kind)
    if kind is not None:
        return [valid, np.array([value or 0 for value in column.values], kind).tobytes()]
    if column.kind == "bool":
        return [valid, _bits([bool(value) for value in column.values])]
    texts = [(value or "").encode() for value in column.values]
    ends = np.cumsum([0, *map(len, texts)], dtype="<i4")
    return [valid, ends.tobytes(), b"".join(texts)]


def _bits(values: list[bool]) -> bytes:
    return np.packbits(np.array(values, bool), bitorder="little").tobytes()


def _same_kind(values: tuple[Any, ...], value: Any) -> Any:
    """A value of an axis as it is, if all of its values are of one plain kind; else as text."""
    kinds = {type(each) for each in values}
    return value if kinds in ({int}, {bool}, {float}) else written(value)


def _column(values: list[Any]) -> Column:
    """A column of the kind that all its values have; text where they have several, or none."""
    kinds = {type(value) for value in values if value is not None}
    kind = _KINDS.get(next(iter(kinds))) if len(kinds) == 1 else None
    if kind is not None:
        return Column(kind, values)
    return Column("string", [value if value is None else _text(value) for value in values])


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(to_json_data(value))


def _flat(section: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every key of a machine by its dotted path."""
    for name, value in section.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value
