"""Distance of the table of gnomon's core from that of the T13x: on the same runs, by event."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from gnomon.base.content import content
from gnomon.base.frames import frame
from gnomon.base.tables import read_yaml_table
from gnomon.cost.energy.gate_fit import CYCLE, count_term
from gnomon.sim import BUSES, Work

from .fit import Fitted, terms
from .measure import Measured

Prices = Mapping[str, float]
"""What an event costs in all units together, in pJ."""


@dataclass(frozen=True, slots=True, eq=False)
class Distance:
    """Two tables of the same form, in one library.

    Attributes:
        table: name of the table of gnomon's core, with its own errors and prices.
        factor: energy of the training programs over the prediction of gnomon's table.
        programs: held-out ones, with the errors of both tables, and of gnomon's times the factor.
        events: cost of each in all units, and its share of the training programs.
    """

    table: str
    own_errors: Mapping[str, float]
    ours: Prices
    factor: float
    programs: pd.DataFrame
    events: pd.DataFrame

    @classmethod
    def of(cls, core: Fitted) -> "Distance":
        """Compare the table of gnomon's core, as it is shipped, with one of the T13x.

        Raises:
            GnomonError: if there is no such table.
        """
        name = f"{core.machine.library.name.split('_')[0]}-{core.machine.architecture.name}"
        table: Any = read_yaml_table(content("models", "power", f"{name}.yaml"), "power table").data
        ours = _prices_of(table["units"])
        known = sum(each.pj for each in core.own_errors)
        factor = known / sum(_said(ours, each.works) for each in core.training)
        rows = []
        for did, off in zip(core.held_out, core.errors, strict=True):
            ratio = _said(ours, did.works) / off.pj
            errors = (off.fitted, ratio - 1, factor * ratio - 1)
            rows.append((did.program, *(f"{100 * each:.1f}" for each in errors)))
        heads = ["program", "error_percent", "our_table_percent", "by_factor_percent"]
        every = [prices.items() for prices in core.fit.prices.values()]
        own = _summed([(term, price.value) for prices in every for term, price in prices])
        return cls(name, table["errors"], ours, factor, frame(heads, rows),
                   _events(core.training, own, ours))  # fmt: skip

    def sizes(self, column: str) -> tuple[float, float]:
        """Return median and largest size of errors, in percent."""
        off = self.programs[column].astype(float).abs()
        return float(off.median()), float(off.max())


def _said(prices: Prices, works: Sequence[Work]) -> float:
    return sum(count_term(work, term) * pj for work in works for term, pj in prices.items() if pj)


def _prices_of(units: Mapping[str, Any]) -> Prices:
    rows = [(CYCLE, keys.get(CYCLE, {"value": 0.0})["value"]) for keys in units.values()]
    for keys in units.values():
        for kind in ("value", "toggle"):
            rows += [(f"{kind}.{bus}", each["value"]) for bus, each in keys.get(kind, {}).items()]
    return _summed(rows)


def _summed(rows: Sequence[tuple[str, float]]) -> Prices:
    found = dict.fromkeys(terms(BUSES), 0.0)
    for term, pj in rows:
        found[term] += pj
    return found


def _events(programs: Sequence[Measured], own: Prices, ours: Prices) -> pd.DataFrame:
    works = [work for each in programs for work in each.works]
    whole = [_said(prices, works) for prices in (own, ours)]
    rows = []
    for term in own:
        shares = [_said({term: prices[term]}, works) / total
                  for prices, total in zip((own, ours), whole, strict=True)]  # fmt: skip
        if any(shares):
            rows.append([term, f"{own[term]:.3f}", f"{ours[term]:.3f}",
                         *(f"{100 * each:.1f}" for each in shares)])  # fmt: skip
    heads = ["event", "t13x_pj", "our_core_pj", "t13x_share_percent", "our_core_share_percent"]
    return frame(heads, rows)
