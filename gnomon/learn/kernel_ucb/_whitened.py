"""EK-UCB in orthonormal coordinates of the dictionary: LinUCB of growing dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn.kernel_ucb._kernels import dots, grown, rank_one, solve_lower, times
from gnomon.learn.kernel_ucb._pairs import Rows, appended
from gnomon.learn.kernel_ucb._sampling import Sampling

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class Whitened(Sampling):
    """Features f(s) = L^-1 k_Z(s) with K_ZZ = L L^T; mean theta^T f, variance below.

    Nothing here grows as the anchors come near each other but the rows of L^-1, which is not kept:
    P is never above I / lambda.

    Attributes:
        factor: L, (m, m).
        covariance: P, the inverse of sum f f^T + lambda I, (m, m).
        sums: y = sum r f, (m).
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.factor: Floats = np.zeros((0, 0))
        self.covariance: Floats = np.zeros((0, 0))
        self.sums: Floats = np.zeros(0)

    @property
    def state(self) -> dict[str, Floats]:
        return {
            **super().state,
            "factor": self.factor,
            "covariance": self.covariance,
            "sums": self.sums,
        }

    @property
    def state_shapes(self) -> dict[str, tuple[int | str, ...]]:
        square = ("m", "m")
        return {**super().state_shapes, "factor": square, "covariance": square, "sums": ("m",)}

    def _restore(self, arrays: dict[str, Floats]) -> None:
        super()._restore(arrays)
        for name in ("factor", "covariance", "sums"):
            setattr(self, name, np.array(arrays[name]))

    def _features(self, states: Floats) -> Floats:
        """One row per state."""
        return solve_lower(self.factor, self._columns(self.anchors, states))

    def _scores(self, contexts: Floats) -> Floats:
        features = self._features(self._states(contexts))
        theta = times(self.sums[None], self.covariance)[0]
        inside = dots(features, times(features, self.covariance))
        outside = np.maximum(1.0 - dots(features, features), 0.0) / self.regularisation
        return self._bounds(dots(features, theta), inside + outside)

    def _widen_factor(self, features: Floats, novelty: float) -> float:
        """L with the row of a new anchor; returns its last element."""
        size, last = len(features), float(np.sqrt(novelty))
        factor: Floats = np.zeros((size + 1, size + 1))
        factor[:size, :size] = self.factor
        factor[size, :size], factor[size, size] = features, last
        self.factor = factor
        return last


class WhitenedKernelUCB(Whitened):
    """The same choices as ``EfficientKernelUCB`` up to rounding.

    Attributes:
        played: all states, (t, D).
        rewards: (t).
        features: of all states, (t, m).
    """

    name: ClassVar[str] = "ek-ucb"
    variant: ClassVar[str] = "optimized"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._played, self._rewards, self._rows = Rows(self.length), Rows(), Rows(0)

    @property
    def state(self) -> dict[str, Floats]:
        return {
            **super().state,
            "played": self._played.all,
            "rewards": self._rewards.all,
            "features": self._rows.all,
        }

    @property
    def state_shapes(self) -> dict[str, tuple[int | str, ...]]:
        more = {"played": ("t", self.length), "rewards": ("t",), "features": ("t", "m")}
        return {**super().state_shapes, **more}

    def _restore(self, arrays: dict[str, Floats]) -> None:
        super()._restore(arrays)
        self._played.replace(arrays["played"])
        self._rewards.replace(arrays["rewards"])
        self._rows.replace(arrays["features"])

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        state = self._state_of(contexts, arm)
        column = self._columns(self.anchors, state)[0]
        chance = self._drawn(column)
        features = solve_lower(self.factor, column[None])[0]
        if len(self.anchors):
            rank_one(self.covariance, features)
            self.sums = self.sums + reward * features
        self._rows.append(features)
        self._played.append(state[0])
        self._rewards.append(reward)
        novelty = 1.0 - float(dots(features, features))
        if chance is not None and self._is_new(novelty):
            self._grow(state, column, features, novelty, chance)

    def _grow(
        self, state: Floats, column: Floats, features: Floats, novelty: float, chance: float
    ) -> None:
        last = self._widen_factor(features, novelty)
        values = self._columns(self._played.all, state)[0]
        rows = self._rows.all
        new = (values - dots(rows, features)) / last
        coupling = times(new[None], rows)[0]
        corner = float(dots(new, new)) + self.regularisation
        self.covariance = grown(self.covariance, coupling, corner)
        self.sums = appended(self.sums, dots(new, self._rewards.all))
        self._rows.widen(new)
        self._add_anchor(state, column, chance)
