"""Orders that the page claims, as rows that other pages are compared with."""

from typing import Any

import pandas as pd

from gnomon.base.frames import rows_of

from .orders import distinct_orders
from .points import Comparison
from .problems import TITLES

COLUMNS = ("better", "worse", "exception", "problem", "contexts", "shared", "system", "d", "arms",
           "rounds", "basis")  # fmt: skip

_CONTEXTS = {"linear": "uniform", "fixed": "constant", "chessboard": "chessboard",
             "drifting": "state"}  # fmt: skip
_SYSTEMS = {"drifting": "17"}
_DRIFT = "drifting systems"


def claimed_table(comparison: Comparison) -> pd.DataFrame:
    """Return every order that is claimed: of the fronts, of thrifty, of windows, and of drift."""
    rows: list[dict[str, Any]] = []
    if not comparison.orders.empty:
        rows += _of_fronts(comparison)
    names = {problem.name: problem for problem in comparison.problems}
    for table, learner, reference in (
        (comparison.thrifty, "linucb-thrifty", "linucb-disjoint float64"),
        (comparison.windows, "linucb-windows", "linucb-window fixed"),
    ):
        for row in rows_of(table):
            if row.less or row.more:
                better, worse = (learner, reference) if row.less else (reference, learner)
                rows.append(
                    {**_where(names[row.problem], comparison.size.rounds), "better": better,
                     "worse": worse, "basis": f"p = {row.p:.2g} after Holm's correction"}
                )  # fmt: skip
    rows += of_drift(comparison.drift)
    table = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
    table = table.where(table.notna(), "")
    return table.drop_duplicates(list(COLUMNS[:-1]))


def _of_fronts(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the claimed orders of learners, with the number of pairs of implementations."""
    agreed = {(row.problem, row.order)
              for row in rows_of(distinct_orders(comparison.orders)) if row.claimed}  # fmt: skip
    learners = {title: name for name, title in TITLES.items()}

    def learner(title: str) -> str:
        return next(name for start, name in learners.items() if title.startswith(start))

    problems = {problem.name: problem for problem in comparison.problems}
    found: dict[tuple[str, str, str], int] = {}
    for row in rows_of(comparison.orders):
        pair = learner(row.better), learner(row.cheaper)
        if row.claimed and (row.problem, row.order) in agreed and pair[0] != pair[1]:
            key = (row.problem, *pair)
            found[key] = found.get(key, 0) + 1
    return [
        {**_where(problems[problem], comparison.size.rounds), "better": better, "worse": worse,
         "basis": f"{count} claimed orders of implementations"}
        for (problem, better, worse), count in found.items()
    ]  # fmt: skip


def _where(problem: Any, rounds: int) -> dict[str, Any]:
    name = problem.name
    return {"problem": name, "contexts": _CONTEXTS[name], "system": _SYSTEMS.get(name, ""),
            "shared": "yes" if name == "linear" else "",
            "d": problem.changing or problem.d, "arms": problem.arms, "rounds": rounds}  # fmt: skip


def of_drift(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the orders of the means over many drifting systems."""
    rows = []
    for row in rows_of(table):
        if row.system == "all" and row.better:
            pair = ("linucb-window", "linucb-disjoint")
            better, worse = pair if row.better == "windows" else pair[::-1]
            rows.append({"better": better, "worse": worse, "problem": _DRIFT, "contexts": "state",
                         "system": "", "d": 3, "arms": 3, "rounds": row.horizon,
                         "basis": f"p = {row.p:.2g}, mean of all systems"})  # fmt: skip
    return rows
