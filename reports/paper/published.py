"""Data printed in the LinearUCB paper, for comparison: its tables and the numbers of its text."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from gnomon.base.content import content
from gnomon.base.tables import read_csv_table

ARMS = 8
TABLES = {2: ("Disjoint", "linucb-disjoint", "d"), 3: ("Hybrid", "linucb-hybrid", "f")}


class CellKey(NamedTuple):
    """Position of a cell in its table."""

    table: int
    algorithm: str
    platform: str
    variant: str
    param_name: str
    param: int
    metric: str


def cell_key(
    table: int, platform: str, variant: str, param: int, metric: str = "cycles"
) -> CellKey:
    """Return the key with the names that a table has."""
    algorithm, _, param_name = TABLES[table]
    return CellKey(table, algorithm, platform, variant, param_name, param, metric)


@cache
def _rows(name: str) -> list[Mapping[str, str]]:
    return [row.values for row in read_csv_table(content("models", "published", name))]


@cache
def published_cells() -> Mapping[CellKey, int]:
    """Return all printed cells; those printed as N.A. are not there."""
    known = (row for row in _rows("linucb-tables.csv") if row["value"] != "N.A.")
    return {
        cell_key(int(row["table"]), row["platform"], row["variant"], int(row["param"]),
                 row["metric"]): int(row["value"])
        for row in known
    }  # fmt: skip


@cache
def bands() -> Mapping[tuple[int, str], tuple[float, float]]:
    """Return ratios of hart cycles that count as reproduced, by table and variant.

    The bands were set by hand when the cells were planned; no program derives them.
    """
    return {
        (int(row["table"]), row["variant"]): (float(row["low"]), float(row["high"]))
        for row in _rows("linucb-bands.csv")
    }


@dataclass(frozen=True, slots=True)
class InverseBound:
    """Bounds on one vector inverse of 32 x 32 from the published tables, in cycles.

    ``three_at_least``: std+vcu less opt+vcu at f = 8 (k = 32) is LU(k) and 8 LU(4), less what the
    optimized update does more; all of Table 2 at d = 4 is taken off for the 8 LU(4).
    ``two_at_most``: an eighth of all cycles at d = 32.
    """

    three_at_least: int
    two_at_most: float

    @property
    def factor(self) -> float:
        """Least factor by which the same inverse takes longer in Table 3."""
        return self.three_at_least / self.two_at_most


def published_inverse_bound() -> InverseBound:
    """Return the bounds from the published figures alone."""

    def cycles(table: int, variant: str, param: int) -> int:
        return published_cells()[cell_key(table, "t13", variant, param)]

    difference = cycles(3, "std+vcu", 8) - cycles(3, "opt+vcu", 8)
    return InverseBound(difference - cycles(2, "std+vcu", 4), cycles(2, "std+vcu", 32) / ARMS)


def stated_speedup(
    figure: int, subject: str, platform: str, variant: str, param: int
) -> tuple[float, str]:
    """Return the speed-up that the text states for a point, or for all sizes; NaN if none.

    The second value is the text's qualification. ``variant`` is ``vcu`` in Figure 8.
    """
    asked = (str(figure), subject, platform, variant)
    for row in _rows("linucb-figures.csv"):
        names = tuple(row[name] for name in ("figure", "subject", "platform", "variant"))
        if names == asked and row["param"] in ("", str(param)):
            return float(row["speedup"]), row["meaning"]
    return math.nan, ""
