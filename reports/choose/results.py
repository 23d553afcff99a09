"""All results of the study: measured or committed tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from gnomon.base.content import content
from gnomon.base.frames import frame
from gnomon.explore.learner_costs import MODELED
from gnomon.explore.learners import LearnerTables

from . import fit
from .checking import Checked

PLACES: Final = {
    **{name: ("models", "learners", f"{name}.csv") for name in ("costs", "cells", "laws")},
    **{name: ("models", "learners", f"{name}.csv.xz")
       for name in ("counts", "regret", "switching")},
    **{name: ("reports", "choose", f"{name}.csv")
       for name in ("held_out", "skipped")},
    **{name: ("reports", "choose", f"{name}.csv.xz") for name in ("checked", "orders", "priced")},
}  # fmt: skip
"""Committed files of the tables; the largest ones are packed."""

CHECKED_COLUMNS = ("configuration", "first", "learner", "variant", "settings", "quantity",
                   "measured", "low", "high", "within", "breaks", "over_best")  # fmt: skip


@dataclass(frozen=True)
class Results:
    """Tables of the study, by name.

    Attributes:
        costs: cost models of slowest step, RAM and flash.
        counts: laws of event counts.
        cells: conditions of the cells.
        regret: regret by cell, policy and checkpoint, with the seeds.
        laws: laws of regret.
        held_out: sizes held out of the cost models.
        priced: counts of simulated rounds by cell and implementation.
        switching: switching on buses, by implementation, machine and size.
        skipped: policies without runs in a cell, with the reason.
        checked: held-out configurations.
        orders: claimed orders on fresh seeds.
    """

    costs: pd.DataFrame
    counts: pd.DataFrame
    cells: pd.DataFrame
    regret: pd.DataFrame
    laws: pd.DataFrame
    held_out: pd.DataFrame
    priced: pd.DataFrame
    switching: pd.DataFrame
    skipped: pd.DataFrame
    checked: pd.DataFrame
    orders: pd.DataFrame

    @classmethod
    def committed(cls) -> "Results":
        """Read the committed tables, all cells text."""
        return cls(**{name: _read(*place) for name, place in PLACES.items()})

    def tables(self) -> LearnerTables:
        """Return the tables that a ranking reads."""
        return LearnerTables.from_rows(
            *(fit.texts(each) for each in (self.costs, self.counts, self.cells, self.regret,
                                           self.laws, self.switching))
        )  # fmt: skip


def _read(*parts: str) -> pd.DataFrame:
    return pd.read_csv(content(*parts), dtype=str, keep_default_na=False)


def held_out_table(measured: pd.DataFrame, laws: pd.DataFrame) -> pd.DataFrame:
    """Return measured costs with the intervals of the models, and whether all are within.

    A size that does not build is within if the model predicts this. A size without a model is not.
    """
    known = fit.by_key(laws)
    rows: list[tuple[Any, ...]] = []
    for row in measured.fillna({"settings": "", "refused": ""}).to_dict("records"):
        model = known.get(fit.key_of(row))
        d, arms, machine, settings = row["d"], row["arms"], row["machine"], row["settings"]
        head = (row["learner"], row["variant"], settings, machine, d, arms)
        if row["refused"] or model is None:
            right = yes(model is not None and model.refuses(settings, d, arms))
            rows.append((*head, *[""] * (3 * len(MODELED)), right))
            continue
        cells: list[str] = []
        within = True
        for name in MODELED:
            cost = model.cost(name, machine, settings, d, arms)
            three = [f"{each:.5g}" for each in (float(row[name]), cost.low, cost.high)]
            value, low, high = map(float, three)
            within &= low <= value <= high
            cells += three
        rows.append((*head, *cells, yes(within)))
    ends = [f"{name}{end}" for name in MODELED for end in ("", "_low", "_high")]
    return frame(("learner", "variant", "settings", "machine", "d", "arms", *ends, "within"), rows)


def checked_table(checked: Iterable[Sequence[Checked]]) -> pd.DataFrame:
    """Return a row for each quantity of each measured candidate of a held-out configuration."""
    rows = []
    for each in (one for found in checked for one in found):
        over = "" if each.over_best is None else f"{each.over_best:.4g}"
        if not each.compared:
            rows.append((each.number, "no", *[""] * 8, each.breaks, ""))
        for name, value, low, high in each.compared:
            rows.append((each.number, yes(each.first), each.learner, each.variant, each.settings,
                         name, f"{value:.5g}", f"{low:.5g}", f"{high:.5g}",
                         yes(low <= value <= high), each.breaks, over))  # fmt: skip
    return pd.DataFrame(rows, columns=list(CHECKED_COLUMNS))


def yes(value: object) -> str:
    """Return yes or no."""
    return "yes" if value else "no"
