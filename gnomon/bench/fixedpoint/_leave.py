"""When a run leaves another one by more than a share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gnomon.bench.fixedpoint._layout import Floats

TOLERANCE = 0.02


def burn_in(rounds: int) -> int:
    """Rounds that do not count for ``first``, as sums are of few rounds: one in a hundred."""
    return rounds // 100


@dataclass(frozen=True, slots=True)
class Leave:
    """Of a sum over rounds, beside the same sum of float.

    Attributes:
        first: the first round, after the burn-in, with the sum more than the tolerance off, on
            either side; 0: none.
        for_good: the first one from which on it stays off to the end; 0: within at the end.
        ratio: the sum over that of float, at the end.
    """

    first: int
    for_good: int
    ratio: float

    @property
    def side(self) -> str:
        """Where it ended."""
        if not self.for_good:
            return "within"
        return "above" if self.ratio > 1 else "below"


def leave(own: Floats, reference: Floats) -> Leave:
    """Compare sums so far, one per round."""
    off = np.abs(own - reference) > TOLERANCE * np.abs(reference)
    late = np.flatnonzero(off[burn_in(len(own)) :])
    first = burn_in(len(own)) + int(late[0]) + 1 if len(late) else 0
    within = np.flatnonzero(~off)
    last_within = int(within[-1]) if len(within) else -1
    for_good = last_within + 2 if off[-1] else 0
    return Leave(first, for_good, float(own[-1] / reference[-1]) if reference[-1] else float("nan"))
