"""Two issue logs of ``gnomon run --trace log=`` compared, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import csv

from gnomon.diff._result import Difference, Issue, changes_of, kind_of
from gnomon.errors import GnomonError
from gnomon.trace import LOG_COLUMNS

if TYPE_CHECKING:
    from pathlib import Path

_SHOWN_BEFORE = 10
_COMPARED = ("issue_cycle", "hart", "pc", "word")
_TEXTS = ("pc", "word", "kind", "function", "disassembly")


def diff_logs(a: Path, b: Path) -> Difference:
    """Compare two logs; a name that ends in ``.gz`` is unpacked.

    Raises:
        GnomonError: a file cannot be read or is no issue log.
    """
    tables = _read(a), _read(b)
    shared = min(len(tables[0]), len(tables[1]))
    differs = np.zeros(shared, dtype=bool)
    for name in _COMPARED:
        columns = [table[name].slice(0, shared).to_numpy() for table in tables]
        differs |= columns[0] != columns[1]
    places = np.flatnonzero(differs)
    place = int(places[0]) if len(places) else shared
    cycles = _end(tables[0]), _end(tables[1])
    changes = changes_of(_by_function(tables[0]), _by_function(tables[1]))
    names = str(a), str(b)
    if not len(places) and len(tables[0]) == len(tables[1]):
        return Difference(names, cycles, None, (None, None), (), changes)
    pair = _issue(tables[0], place), _issue(tables[1], place)
    before = [_issue(tables[0], k) for k in range(max(0, place - _SHOWN_BEFORE), place)]
    return Difference(
        names, cycles, kind_of(pair), pair, tuple(each for each in before if each), changes
    )


def _read(path: Path) -> pa.Table:
    types = {name: pa.string() if name in _TEXTS else pa.int64() for name in LOG_COLUMNS}
    try:
        table = csv.read_csv(path, convert_options=csv.ConvertOptions(column_types=types))
    except FileNotFoundError:
        raise GnomonError(f"{path}: no such file") from None
    except (OSError, pa.ArrowInvalid) as error:
        raise GnomonError(f"{path}: no issue log: {str(error).splitlines()[0]}") from None
    if tuple(table.column_names) != LOG_COLUMNS:
        raise GnomonError(
            f"{path}:1: no issue log: its columns are not {', '.join(LOG_COLUMNS)}; write one with"
            " gnomon run --trace log=FILE"
        )
    return table


def _issue(table: pa.Table, place: int) -> Issue | None:
    if place >= len(table):
        return None
    row = table.slice(place, 1).to_pylist()[0]
    return Issue(
        cycle=row["issue_cycle"],
        hart=row["hart"],
        pc=int(row["pc"], 16),
        word=int(row["word"], 16),
        function=row["function"],
        disassembly=row["disassembly"],
    )


def _end(table: pa.Table) -> int:
    return int(table["end_cycle"].to_numpy().max()) if len(table) else 0


def _by_function(table: pa.Table) -> dict[str, int]:
    """Cycles in execute and in waits of what does not sleep, by function."""
    awake = table.filter(pa.array(table["kind"].to_numpy() != "sleep"))
    spent = awake["end_cycle"].to_numpy() - awake["issue_cycle"].to_numpy()
    spent = spent + awake["slots"].to_numpy() - 1
    for name in LOG_COLUMNS:
        if name.startswith("wait_"):
            spent = spent + awake[name].to_numpy()
    sums = pa.table({"function": awake["function"], "spent": spent})
    grouped = sums.group_by("function").aggregate([("spent", "sum")]).to_pylist()
    return {row["function"]: int(row["spent_sum"]) for row in grouped}
