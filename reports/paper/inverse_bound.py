"""What the published tables alone say of one vector inverse."""

from __future__ import annotations

from dataclasses import dataclass

from .cells import ARMS, TABLES
from .published import CellKey, published_cells


@dataclass(frozen=True, slots=True)
class InverseBound:
    """What the published tables say of one vector inverse of 32 x 32, in cycles.

    ``three_at_least``: std+vcu less opt+vcu at f = 8 (k = 32) is LU(k) and 8 LU(4), less what the
    optimised update does more; all of Table 2 at d = 4 is taken off for the 8 LU(4).
    ``two_at_most``: an eighth of all cycles at d = 32.
    """

    three_at_least: int
    two_at_most: float

    @property
    def factor(self) -> float:
        """How many times as much the same inverse takes in Table 3, at least."""
        return self.three_at_least / self.two_at_most


def published_inverse_bound() -> InverseBound:
    """From the published figures alone."""
    published = published_cells()

    def cycles(table: int, variant: str, param: int) -> int:
        algorithm, _, name = TABLES[table]
        return published[CellKey(table, algorithm, "t13", variant, name, param, "cycles")]

    difference = cycles(3, "std+vcu", 8) - cycles(3, "opt+vcu", 8)
    return InverseBound(difference - cycles(2, "std+vcu", 4), cycles(2, "std+vcu", 32) / ARMS)
