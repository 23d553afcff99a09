"""One cell of Tables 2 and 3 reproduced from data neither fitted to it nor read from it."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from gnomon.base.errors import GnomonError, did_you_mean

from .cells import FITTED_D, READINGS, fresh_cell, plan
from .published import CellKey, published_cells
from .results import Results

_COUNTS = "paper/platform-mixes.csv"


def cell_of(name: str) -> CellKey:
    """Return the cell of a ``gnomon explain`` name, such as ``table2/t13/std/d=8/cycles``.

    Raises:
        GnomonError: if the tables have no cell of this name.
    """
    cells = {
        f"table{key.table}/{key.platform}/{key.variant}/{key.param_name}={key.param}/{key.metric}":
        key for key in published_cells()
    }  # fmt: skip
    if name not in cells:
        near = did_you_mean(name, cells)
        raise GnomonError(f"{name}: no published cell; such as table2/t13/std/d=8/cycles{near}")
    return cells[name]


def cell_again(name: str, results: Results) -> list[dict[str, Any]]:
    """Compute gnomon's figures of a cell again, one object for each reading.

    On the T13, cycles need no fit, and power is by the table fitted to the other published table.
    On a board, the function counts the program of the cell again, and fits the factor to the
    committed counts of the other sizes.

    Returns:
        ``reading``, ``published``, ``ours``, ``error`` (ours over published, less 1), ``note``
        (data used), ``committed`` (ours in ``cells.csv``) and ``where``, its place.
    """
    key = cell_of(name)
    answer = []
    keys: dict[str, Any] = {"metric": key.metric, "platform": key.platform}
    for row in _on_t13(key) if key.platform == "t13" else _on_board(key, results):
        if row["metric"] != key.metric:
            continue
        kept = results.cell(key.table, key.variant, key.param, row["reading"], **keys)
        error = float(row["ratio"]) - 1 if row["ratio"] else None
        answer.append({
            "reading": row["reading"], "published": int(row["published"]), "ours": row["ours"],
            "error": error, "note": row["note"], "committed": kept["ours"],
            "where": f"{kept.origin}:ours",
        })  # fmt: skip
    return answer


def cell_lines(name: str, answer: list[dict[str, Any]]) -> list[str]:
    """Return the same as text."""
    lines = [f"{name}: published {answer[0]['published']:,}"]
    for row in answer:
        off = "" if row["error"] is None else f", {row['error']:+.1%}"
        same = "as" if row["ours"] == row["committed"] else f"not {row['committed']} as"
        lines += [f"  {row['reading']}: {row['ours']}{off}; {same} committed", f"    {row['note']}",
                  f"    gnomon explain {row['where']}"]  # fmt: skip
    return lines


def _on_t13(key: CellKey) -> list[Mapping[str, str]]:
    from gnomon.content.reports.energy.cells import energy_cells, energy_rows

    cycles = key._replace(metric="cycles")
    planned = next(each for each in plan((key.table,), (key.param,), (FITTED_D,))
                   if each.line == "paper" and each.key == cycles)  # fmt: skip
    cell = fresh_cell(planned)
    if key.metric != "cycles":
        return [*energy_rows(energy_cells((cell,)))]
    stated = "" if cell.d is None else f"d = {cell.d}; "
    return [
        {"metric": "cycles", "reading": reading, "published": str(cell.published),
         "ours": str(cell.ours(reading)), "ratio": f"{cell.ratio(reading):.4f}",
         "note": f"{stated}a run on {planned.machine}, nothing fitted"}
        for reading in READINGS
    ]  # fmt: skip


def _on_board(key: CellKey, results: Results) -> list[Mapping[str, str]]:
    from gnomon.content.reports.platforms.cells import fit_platform, platform_rows
    from gnomon.content.reports.platforms.counts import run_counts
    from gnomon.cost.platforms import load_platform

    names = ["table", "variant", "param", "build"]
    build = load_platform(key.platform).build.optimization
    cell = (key.table, key.variant)
    now = run_counts(params=(key.param,), cells=(cell,), builds=(build,)).set_index(names)
    read = pd.read_csv(results.folder / _COUNTS).set_index(names)
    counts = pd.concat([now, read.drop(now.index)]).loc[read.index].reset_index()
    own = {"table": str(key.table), "variant": key.variant, "param": str(key.param)}
    rows = platform_rows([fit_platform(key.platform, counts)])
    return [row for row in rows if row.items() >= own.items()]
