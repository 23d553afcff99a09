"""Files of a finished sweep: results as CSV and Parquet, a summary; deterministic bytes.

CSV needs no additional package. Parquet, which preserves types and nulls, is written if pyarrow is
installed.
"""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.files import write_file, writing
from gnomon.explore._binaries import find_same_binaries
from gnomon.explore._recommend import recommend
from gnomon.explore._result import ResultColumn, ResultTable, SweepResult
from gnomon.explore._sensitivity import compute_sensitivities
from gnomon.explore._spec import Sweep

CSV, PARQUET, SUMMARY = "results.csv", "results.parquet", "summary.json"
SWEEP_KEY = b"gnomon.sweep"
"""Key of the sweep, as JSON, in the metadata of Parquet."""
MOST_IN_CSV = 100_000
"""Most points of a result that is also CSV: a million rows of all columns are over 1 GB."""


def check_parquet(*, wanted: bool | None) -> bool:
    """Return whether to write Parquet: as requested, or if pyarrow is installed.

    Raises:
        GnomonError: if it is requested, and pyarrow is missing.
    """
    try:
        there = find_spec("pyarrow") is not None
    except ValueError:  # another module took the place of pyarrow
        there = False
    if wanted and not there:
        raise GnomonError("--parquet needs pyarrow: python -m pip install 'gnomon[sweep]'")
    return there if wanted is None else wanted


def result_files(points: int, *, parquet: bool) -> tuple[str, ...]:
    """Return the names of the files of a result with this number of points.

    Parquet alone holds results of more than ``MOST_IN_CSV`` points, unless it is not wanted.
    """
    tables = (CSV, PARQUET) if parquet else (CSV,)
    return (*(tables if points <= MOST_IN_CSV else tables[-1:]), SUMMARY)


def write_results(result: SweepResult, folder: Path, *, parquet: bool) -> tuple[Path, ...]:
    """Write all files under temporary names and rename them; tables slice by slice.

    Raises:
        GnomonError: if they cannot be written.
    """
    summary = f"{json.dumps(summarize(result), indent=1, sort_keys=True)}\n".encode()
    names, table = result_files(len(result.rows), parquet=parquet), ResultTable(result)
    for name in names[:-1]:
        with writing(folder / name) as out:
            if name == CSV:
                _write_csv(table.slices(), out)
            else:
                write_parquet(table.slices(), result.sweep, out)
    for name in {CSV, PARQUET} - {*names}:  # of an earlier result
        (folder / name).unlink(missing_ok=True)
    write_file(folder / SUMMARY, summary)
    return tuple(folder / name for name in names)


def summarize(result: SweepResult) -> dict[str, Any]:
    """Return the summary: sweep, counts, failures by reason, recommendations, sensitivities.

    The summary does not depend on the cache.
    """
    reasons = result.failures
    return {
        "schema": 1,
        "sweep": result.sweep.to_json(),
        "fingerprint": result.sweep.fingerprint,
        "grid_points": result.sweep.grid_points,
        "points": len(result.rows),
        "failed": sum(reasons.values()),
        "reasons": dict(sorted(reasons.items())),
        "energies": list(result.technologies),
        "choices": [choice.to_json() for choice in recommend(result)],
        "same_binaries": [each.to_json() for each in find_same_binaries(result)],
        "sensitivities": [
            each.to_json()
            for objective in result.sweep.objectives
            for each in compute_sensitivities(result, objective.metric)
        ],
    }


def _write_csv(slices: Iterable[Mapping[str, ResultColumn]], out: IO[bytes]) -> None:
    """Write the table as CSV: empty cells if unavailable, ``true`` and ``false``, all digits."""
    for number, columns in enumerate(slices):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not number:
            writer.writerow(columns)
        cells = [
            [str(v).lower() if isinstance(v, bool) else v for v in column.values]
            for column in columns.values()
        ]
        writer.writerows(zip(*cells, strict=True))
        out.write(text.getvalue().encode())


def write_parquet(
    slices: Iterable[Mapping[str, ResultColumn]], sweep: Sweep, out: IO[bytes]
) -> None:
    """Write slices of a table as row groups of Parquet; all have the same columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"int64": pa.int64(), "bool": pa.bool_(), "float64": pa.float64()}
    metadata = {SWEEP_KEY: json.dumps(sweep.to_json())}  # with the order of the axes
    writer: Any = None
    for columns in slices:
        arrays = {
            name: pa.Array.from_buffers(
                types.get(column.kind, pa.string()),
                len(column.values),
                [each if each is None else pa.py_buffer(each) for each in _buffers(column)],
            )
            for name, column in columns.items()
        }
        made = pa.table(arrays).replace_schema_metadata(metadata)
        writer = writer or pq.ParquetWriter(out, made.schema)
        writer.write_table(made)
    writer.close()


def _buffers(column: ResultColumn) -> list[bytes | None]:
    """Return a column in Arrow's memory layout; ``pyarrow.array`` would import pandas."""
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
