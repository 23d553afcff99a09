"""Files of a finished sweep: results as CSV and Parquet, a summary; deterministic bytes.

CSV needs no additional package. Parquet, which preserves types and nulls, is written if pyarrow is
installed.
"""

import csv
import io
import json
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.files import write_file
from gnomon.explore._binaries import find_same_binaries
from gnomon.explore._recommend import recommend
from gnomon.explore._result import ResultColumn, SweepResult
from gnomon.explore._sensitivity import compute_sensitivities

CSV, PARQUET, SUMMARY = "results.csv", "results.parquet", "summary.json"


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


def write_results(result: SweepResult, folder: Path, *, parquet: bool) -> tuple[Path, ...]:
    """Write all files under temporary names and rename them.

    Raises:
        GnomonError: if they cannot be written.
    """
    table = result.columns()
    files = {CSV: _csv(table)}
    if parquet:
        files[PARQUET] = _parquet(table, result)
    summary = json.dumps(summarize(result), indent=1, sort_keys=True)
    files[SUMMARY] = f"{summary}\n".encode()
    return tuple(write_file(folder / name, data) for name, data in files.items())


def summarize(result: SweepResult) -> dict[str, Any]:
    """Return the summary: sweep, counts, failures by reason, recommendations, sensitivities.

    The summary does not depend on the cache.
    """
    reasons = Counter(row.outcome.reason for row in result.failed)
    return {
        "schema": 1,
        "sweep": result.sweep.to_json(),
        "fingerprint": result.sweep.fingerprint,
        "grid_points": result.sweep.grid_points,
        "points": len(result.rows),
        "failed": len(result.failed),
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


def _csv(table: dict[str, ResultColumn]) -> bytes:
    """Return the table as CSV: empty cells if unavailable, ``true`` and ``false``, all digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    cells = [
        [str(v).lower() if isinstance(v, bool) else v for v in column.values]
        for column in table.values()
    ]
    writer.writerows(zip(*cells, strict=True))
    return out.getvalue().encode()


def _parquet(table: dict[str, ResultColumn], result: SweepResult) -> bytes:
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
