"""The tables of the cells: conditions, regret by checkpoint, and counts of simulated rounds."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.interval import student_quantile
from gnomon.base.result_cache import Keep
from gnomon.learn.kernels import Floats
from gnomon.report.study import Steps

from .cells import Cell
from .playing import Played, checkpoints, play
from .policies import Policy
from .pricing import Priced, assigned, policy_of, price

CELL_COLUMNS = ("cell", "d", "arms", "horizon", "noise", "rate", "contexts", "shared", "most_seeds",
                "budget")  # fmt: skip
POINT_COLUMNS = ("cell", "learner", "settings", "chosen", "rounds", "regret", "low", "high",
                 "seeds", "locked")  # fmt: skip
PRICED_COLUMNS = ("cell", "learner", "variant", "settings", "family", "machine", "chosen", "phase",
                  "rounds", "slowest_cycles", "ram_bytes", "flash_bytes", "refused",
                  "counts")  # fmt: skip
SKIPPED_COLUMNS = ("cell", "learner", "settings", "operations", "why")
_CONFIDENCE = 0.975


class CellTables:
    """Rows of the cells that were measured so far."""

    def __init__(self) -> None:
        self.rows: dict[str, list[tuple[Any, ...]]] = {
            "cells": [], "points": [], "priced": [], "skipped": [],
        }  # fmt: skip

    def measure(
        self, cell: Cell, seeds: int, budget: float, share: int, keep: tuple[Keep, Keep]
    ) -> None:
        """Play and price a cell; ``keep``: caches of results of the host and of machines."""
        learning, measuring = keep
        played = learning(play, cell, seeds, budget)
        self.rows["cells"].append((*cell_row(cell), seeds, f"{budget:g}"))
        for each in played:
            self.rows["points"] += point_rows(cell, each)
            if each.skipped:
                policy = each.policy
                self.rows["skipped"].append(
                    (
                        cell.number,
                        policy.learner,
                        policy.settings,
                        run_operations(cell, policy),
                        each.skipped,
                    )
                )
        by_policy = {each.policy: each for each in played}
        for implementation, machine in assigned(cell, share):
            own = by_policy[policy_of(implementation)]
            if not own.skipped:
                found = measuring(price, cell, implementation, machine, own.chosen)
                self.rows["priced"] += priced_rows(cell, found, own.chosen.title)

    def table(self, name: str) -> pd.DataFrame:
        """Return a table by name."""
        columns = {"cells": CELL_COLUMNS, "points": POINT_COLUMNS, "priced": PRICED_COLUMNS,
                   "skipped": SKIPPED_COLUMNS}[name]  # fmt: skip
        return pd.DataFrame(self.rows[name], columns=list(columns))


def measure_cells(
    cells: Sequence[Cell], seeds: int, budget: float, share: int, keep: tuple[Keep, Keep],
    progress: Steps,
) -> CellTables:  # fmt: skip
    """Measure all cells in order; finished ones come from the caches."""
    found = CellTables()
    for cell in cells:
        found.measure(cell, seeds, budget, share, keep)
        progress(f"cell {cell.number}")
    return found


def run_operations(cell: Cell, policy: Policy) -> str:
    """Return the estimated multiplications of a run, as text."""
    return f"{policy.work(cell.at.d, cell.at.arms) * cell.at.horizon:.3g}"


def cell_row(cell: Cell) -> tuple[Any, ...]:
    """Return the row of a cell's conditions."""
    at = cell.at
    return (cell.number, at.d, at.arms, at.horizon, f"{at.noise:g}", f"{at.rate:g}", at.contexts,
            "yes" if at.shared else "no")  # fmt: skip


def point_rows(cell: Cell, played: Played) -> Iterator[tuple[Any, ...]]:
    """Return a row for each checkpoint; the share of locked runs stands at the horizon."""
    if played.skipped:
        return
    policy = played.policy
    locked = "" if played.locked is None else f"{played.locked:.3f}"
    for at, rounds in enumerate(checkpoints(cell.at.horizon)):
        values = played.curves[:, at]
        value, half = float(values.mean()), half_of(values)
        yield (cell.number, policy.learner, policy.settings, played.chosen.title, rounds,
               f"{value:.4g}", f"{max(value - half, 0.0):.4g}", f"{value + half:.4g}",
               len(values), locked if rounds == cell.at.horizon else "")  # fmt: skip


def half_of(values: Floats) -> float:
    """Return half of the 95 % interval (Student) of the mean."""
    if len(values) < 2:
        return float("inf")
    error = float(values.std(ddof=1)) / float(np.sqrt(len(values)))
    half: float = student_quantile(_CONFIDENCE, len(values) - 1) * error
    return half


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
