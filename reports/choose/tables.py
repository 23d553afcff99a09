"""The tables of the cells: conditions, regret by checkpoint, and counts of simulated rounds."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from gnomon.content.reports.learners.problems import Setting

from .cells import Cell
from .playing import BATCH, checkpoints, most_seeds
from .policies import POLICIES, Policy
from .pricing import Priced
from .tally import Tally

CELL_COLUMNS = ("cell", "d", "arms", "horizon", "noise", "rate", "contexts", "shared", "most_seeds",
                "budget", "priced")  # fmt: skip
POINT_COLUMNS = ("cell", "learner", "settings", "chosen", "rounds", "regret", "low", "high",
                 "seeds", "locked", "locked_runs")  # fmt: skip
PRICED_COLUMNS = ("cell", "learner", "variant", "settings", "family", "machine", "chosen", "phase",
                  "rounds", "slowest_cycles", "ram_bytes", "flash_bytes", "refused",
                  "counts")  # fmt: skip
SKIPPED_COLUMNS = ("cell", "learner", "settings", "operations", "why")
COLUMNS: Final = {"cells": CELL_COLUMNS, "regret": POINT_COLUMNS, "priced": PRICED_COLUMNS,
                  "skipped": SKIPPED_COLUMNS}  # fmt: skip
"""Columns of the tables of the cells, by name."""

TOO_LONG: Final = "a run takes too long"
NO_TIME: Final = "no time was left"


@dataclass
class CellState:
    """What is known about a cell: settings, runs, prices, and policies that do not run."""

    cell: Cell
    choices: dict[Policy, Setting] = field(default_factory=dict)
    tallies: dict[Policy, Tally] = field(default_factory=dict)
    skipped: dict[Policy, str] = field(default_factory=dict)
    priced: list[tuple[Any, ...]] = field(default_factory=list)

    def tally(self, policy: Policy) -> Tally:
        """Return the runs of a policy so far."""
        return self.tallies.get(policy) or Tally.empty(len(checkpoints(self.cell.at.horizon)))

    @property
    def measured(self) -> bool:
        """Whether a policy has runs."""
        return bool(self.tallies)

    @property
    def implementations(self) -> set[tuple[str, str, str, str]]:
        """Learner, variant, settings and family of what was priced."""
        return {row[1:5] for row in self.priced}


def read_states(cells: Iterable[Cell], tables: Mapping[str, pd.DataFrame]) -> dict[int, CellState]:
    """Return the states of cells by number, with the rows that the tables have of them.

    Policies that were skipped are not kept: another budget may run them.
    """
    states = {cell.number: CellState(cell) for cell in cells}
    policies = {(each.learner, each.settings): each for each in POLICIES}
    by_policy: dict[tuple[int, Policy], list[dict[str, str]]] = {}
    for row in _texts(tables.get("regret")):
        policy = policies.get((row["learner"], row["settings"]))
        if policy is not None and int(row["cell"]) in states:
            by_policy.setdefault((int(row["cell"]), policy), []).append(row)
    for (number, policy), rows in by_policy.items():
        state = states[number]
        state.choices[policy] = policy.setting(rows[0]["chosen"], state.cell.at.arms)
        state.tallies[policy] = Tally.from_rows(rows)
    for row in _texts(tables.get("priced")):
        if int(row["cell"]) in states:
            states[int(row["cell"])].priced.append(
                (int(row["cell"]), *(row[name] for name in PRICED_COLUMNS[1:]))
            )
    return states


def table_rows(states: Iterable[CellState], budget: float) -> dict[str, pd.DataFrame]:
    """Return the tables of all cells with runs, in order of their numbers.

    ``budget``: multiplications of a policy, stated with each cell.
    """
    rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in COLUMNS}
    for state in sorted(states, key=lambda each: each.cell.number):
        if not state.measured:
            continue
        most = max(each.seeds for each in state.tallies.values())
        rows["cells"].append(
            (*cell_row(state.cell), most, f"{budget:g}", len(state.implementations))
        )
        rows["priced"] += state.priced
        for policy in POLICIES:
            if policy in state.tallies:
                rows["regret"] += point_rows(state, policy)
            else:
                can = most_seeds(policy, state.cell, BATCH, budget) > 0
                why = state.skipped.get(policy, NO_TIME if can else TOO_LONG)
                operations = run_operations(state.cell, policy)
                rows["skipped"].append(
                    (state.cell.number, policy.learner, policy.settings, operations, why)
                )
    return {name: pd.DataFrame(rows[name], columns=list(of)) for name, of in COLUMNS.items()}


def run_operations(cell: Cell, policy: Policy) -> str:
    """Return the estimated multiplications of a run, as text."""
    return f"{policy.work(cell.at.d, cell.at.arms) * cell.at.horizon:.3g}"


def cell_row(cell: Cell) -> tuple[Any, ...]:
    """Return the row of a cell's conditions."""
    at = cell.at
    return (cell.number, at.d, at.arms, at.horizon, f"{at.noise:g}", f"{at.rate:g}", at.contexts,
            "yes" if at.shared else "no")  # fmt: skip


def point_rows(state: CellState, policy: Policy) -> Iterator[tuple[Any, ...]]:
    """Return a row for each checkpoint; locked runs stand at the horizon."""
    tally, horizon = state.tallies[policy], state.cell.at.horizon
    share = tally.locked_share
    locked = "" if share is None else f"{share:.3f}"
    runs = "" if tally.locked is None else str(tally.locked)
    values = zip(checkpoints(horizon), tally.mean, tally.half, strict=True)
    for rounds, value, half in values:
        ends = (locked, runs) if rounds == horizon else ("", "")
        yield (state.cell.number, policy.learner, policy.settings, state.choices[policy].title,
               rounds, f"{value:.5g}", f"{np.maximum(value - half, 0.0):.5g}",
               f"{value + half:.5g}", tally.seeds, *ends)  # fmt: skip


def priced_rows(cell: Cell, priced: Priced, chosen: str) -> Iterator[tuple[Any, ...]]:
    """Return a row for each phase, or one row with the reason if it does not run."""
    made = priced.implementation
    head = (cell.number, made.learner, made.variant, made.said, made.family, priced.machine, chosen)
    if priced.refused:
        yield (*head, "", 0, "", "", "", priced.refused, "")
        return
    for phase, rounds, counts in priced.phases:
        said = "; ".join(f"{name}:{count:.6g}" for name, count in counts)
        yield (*head, phase, rounds, priced.slowest_cycles, priced.ram_bytes, priced.flash_bytes,
               "", said)  # fmt: skip


def _texts(table: pd.DataFrame | None) -> Iterator[dict[str, str]]:
    for row in table.to_dict("records") if table is not None else ():
        yield {str(name): str(value) for name, value in row.items()}
