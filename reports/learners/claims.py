"""Orders that the page claims, as rows that other pages are compared with."""

from typing import Any

import pandas as pd

from gnomon.base.frames import rows_of

from .drift import DRIFTING_SYSTEMS, LEARNERS, MANY, drift_orders
from .orders import distinct_orders
from .points import Comparison
from .problems import LINEAR, TITLES

COLUMNS = ("better", "worse", "exception", "problem", "contexts", "shared", "system", "d", "arms",
           "rounds", "cost", "basis")  # fmt: skip

_CONTEXTS = {"linear": "uniform", "fixed": "constant", "chessboard": "chessboard",
             "drifting": "state", MANY: "state"}  # fmt: skip
_SYSTEMS = {"drifting": "17"}


def claimed_table(comparison: Comparison) -> pd.DataFrame:
    """Return every order that is claimed: of fronts, thrifty, windows, hybrid, and drift.

    Learners have their names without an arithmetic, as on other pages: an order in float64 that is
    the opposite of one in fixed point is a contradiction, too.
    """
    rows: list[dict[str, Any]] = []
    if not comparison.orders.empty:
        rows += _of_fronts(comparison)
    names = {problem.name: problem for problem in (*comparison.problems, DRIFTING_SYSTEMS)}
    for table, learner, reference in (
        (comparison.thrifty, "linucb-thrifty", "linucb-disjoint"),
        (comparison.windows, "linucb-windows", "linucb-window"),
    ):
        rows += [
            {**_where(names[row.problem], comparison.size.rounds), **pair,
             "cost": getattr(row, "cost", "")}
            for row in rows_of(table)
            if (pair := _ordered(row, learner, reference))
        ]  # fmt: skip
    rows += [
        {"problem": "linear", "contexts": row.contexts, "shared": _yes(row.shared), "system": "",
         "d": LINEAR.d, "arms": LINEAR.arms, "rounds": row.horizon, **pair}
        for row in rows_of(comparison.hybrid)
        if (pair := _ordered(row, "linucb-hybrid", "linucb-disjoint"))
    ]  # fmt: skip
    rows += of_drift(comparison.drift)
    table = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
    table = table.where(table.notna(), "")
    return table.drop_duplicates(list(COLUMNS[:-1]))


def _yes(value: object) -> str:
    return "yes" if value else "no"


def _ordered(row: Any, learner: str, reference: str) -> dict[str, str]:
    """Return the significant order of a row of differences; empty if there is none."""
    if not row.less and not row.more:
        return {}
    better, worse = (learner, reference) if row.less else (reference, learner)
    return {"better": better, "worse": worse, "basis": f"p = {row.p:.2g} after Holm's correction"}


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
    if table.empty:
        return []
    return [
        {"better": LEARNERS[row.better],
         "worse": LEARNERS[row.other if row.better == row.one else row.one],
         **_where(DRIFTING_SYSTEMS, row.horizon), "basis": f"p = {row.p:.2g}, mean of all systems"}
        for row in rows_of(drift_orders(table))
        if row.better
    ]  # fmt: skip
