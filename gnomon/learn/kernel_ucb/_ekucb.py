"""EK-UCB as published: projected on a dictionary that only grows, matrices in kernel values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn.kernel_ucb._kernels import dots, grown, rank_one, times
from gnomon.learn.kernel_ucb._pairs import Rows, appended
from gnomon.learn.kernel_ucb._sampling import Sampling

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class EfficientKernelUCB(Sampling):
    """Zenati et al., algorithm 2.

    Attributes:
        played: all states, (t, D): the dictionary's new columns need them.
        rewards: (t).
        columns: kernel values of states and anchors, (t, m).
        inverse: Lambda, of K_ZS K_SZ + lambda K_ZZ, (m, m).
        sums: Gamma = K_ZS Y, (m).
        kernel_inverse: of K_ZZ, (m, m).
    """

    name: ClassVar[str] = "ek-ucb"
    variant: ClassVar[str] = "standard"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._played, self._rewards, self._kernel_rows = Rows(self.length), Rows(), Rows(0)
        self.inverse: Floats = np.zeros((0, 0))
        self.sums: Floats = np.zeros(0)
        self.kernel_inverse: Floats = np.zeros((0, 0))

    @property
    def state(self) -> dict[str, Floats]:
        return {
            **super().state,
            "played": self._played.all,
            "rewards": self._rewards.all,
            "columns": self._kernel_rows.all,
            "inverse": self.inverse,
            "sums": self.sums,
            "kernel_inverse": self.kernel_inverse,
        }

    @property
    def state_shapes(self) -> dict[str, tuple[int | str, ...]]:
        return {
            **super().state_shapes,
            "played": ("t", self.length),
            "rewards": ("t",),
            "columns": ("t", "m"),
            "inverse": ("m", "m"),
            "sums": ("m",),
            "kernel_inverse": ("m", "m"),
        }

    def _restore(self, arrays: dict[str, Floats]) -> None:
        super()._restore(arrays)
        for name, rows in (
            ("played", self._played),
            ("rewards", self._rewards),
            ("columns", self._kernel_rows),
        ):
            rows.replace(arrays[name])
        for name in ("inverse", "sums", "kernel_inverse"):
            setattr(self, name, np.array(arrays[name]))

    def _moments(self, columns: Floats) -> tuple[Floats, Floats]:
        """Means and variances of states with these kernel values, one row each."""
        weights = times(self.sums[None], self.inverse)[0]
        spread = times(columns, self.inverse - self.kernel_inverse / self.regularisation)
        variances = 1.0 / self.regularisation + dots(columns, spread)
        return dots(columns, weights), variances

    def _scores(self, contexts: Floats) -> Floats:
        return self._bounds(*self._moments(self._columns(self.anchors, self._states(contexts))))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        state = self._state_of(contexts, arm)
        column = self._columns(self.anchors, state)[0]
        chance = self._drawn(column)
        if len(self.anchors):
            rank_one(self.inverse, column)
            self.sums = self.sums + reward * column
        self._kernel_rows.append(column)
        self._played.append(state[0])
        self._rewards.append(reward)
        if chance is not None:
            self._grow(state, column, chance)

    def _grow(self, state: Floats, column: Floats, chance: float) -> None:
        novelty = 1.0 - float(dots(column, times(column[None], self.kernel_inverse)[0]))
        if not self._is_new(novelty):
            return
        values = self._columns(self._played.all, state)[0]
        ridge = self.regularisation
        new = ridge * column + times(values[None], self._kernel_rows.all)[0]
        self.inverse = grown(self.inverse, new, ridge + float(dots(values, values)))
        self.kernel_inverse = grown(self.kernel_inverse, column, 1.0)
        self.sums = appended(self.sums, dots(values, self._rewards.all))
        self._kernel_rows.widen(values)
        self._add_anchor(state, column, chance)
