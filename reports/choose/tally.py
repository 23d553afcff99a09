"""Mean curve of a policy in a cell, to which more seeds can be added, also to a committed one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gnomon.base.interval import student_quantile
from gnomon.learn.kernels import Floats

from .playing import LOCKED, Runs

HALF_WIDTH = 0.05
"""Half of the 95 % interval of the mean regret at the horizon, relative to the mean, at which no
more seeds are added."""
_CONFIDENCE = 0.975


@dataclass(frozen=True, slots=True)
class Tally:
    """Runs of a policy in a cell, summed up.

    Attributes:
        mean: relative regret up to each checkpoint, (checkpoints).
        squares: sum of squared deviations from it, (checkpoints).
        locked: runs that are locked in; None: an older table does not state it.
    """

    seeds: int
    mean: Floats
    squares: Floats
    locked: int | None

    @classmethod
    def empty(cls, checkpoints: int) -> "Tally":
        """Return a tally without runs."""
        return cls(0, np.zeros(checkpoints), np.zeros(checkpoints), 0)

    @classmethod
    def from_rows(cls, rows: Sequence[Mapping[str, str]]) -> "Tally":
        """Read the rows of ``regret.csv`` of a policy in a cell, in order of rounds."""
        seeds = int(rows[0]["seeds"])
        mean, high = (np.array([float(row[name]) for row in rows]) for name in ("regret", "high"))
        error = (high - mean) / student_quantile(_CONFIDENCE, seeds - 1)
        runs = rows[-1].get("locked_runs", "")
        if not runs and rows[-1]["locked"]:
            runs = str(round(float(rows[-1]["locked"]) * seeds))
        return cls(seeds, mean, error**2 * seeds * (seeds - 1), int(runs) if runs else None)

    def add(self, runs: Runs) -> "Tally":
        """Return the tally with more runs (Chan, Golub and LeVeque, 1979)."""
        count = len(runs.curves)
        mean = runs.curves.mean(axis=0)
        squares = ((runs.curves - mean) ** 2).sum(axis=0)
        total, gap = self.seeds + count, mean - self.mean
        locked = None if self.locked is None else self.locked + int((runs.late > LOCKED).sum())
        return Tally(
            total, self.mean + gap * (count / total),
            self.squares + squares + gap**2 * (self.seeds * count / total), locked,
        )  # fmt: skip

    @property
    def half(self) -> Floats:
        """Half of the 95 % interval (Student) of the mean, (checkpoints); infinite below 2."""
        if self.seeds < 2:
            return np.full(len(self.mean), np.inf)
        error = np.sqrt(self.squares / (self.seeds - 1) / self.seeds)
        return np.asarray(student_quantile(_CONFIDENCE, self.seeds - 1) * error)

    @property
    def width(self) -> float:
        """Half of the interval at the horizon, relative to the mean; 0 if regret is 0."""
        mean, half = float(self.mean[-1]), float(self.half[-1])
        return half / abs(mean) if mean else (0.0 if self.seeds > 1 else float("inf"))

    @property
    def locked_share(self) -> float | None:
        """Share of runs that stay with bad arms while most do not; None: most do, or unknown."""
        if self.locked is None or not self.seeds or 2 * self.locked > self.seeds:
            return None
        return self.locked / self.seeds
