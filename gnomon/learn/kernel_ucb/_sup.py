"""SupK-UCB: levels of ever narrower widths, each learning from its own steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn.kernel_ucb._growing import GrowingInverse
from gnomon.learn.kernel_ucb._kernels import dots, times
from gnomon.learn.kernel_ucb._pairs import Pairs, Rows
from gnomon.learn.kernels import argmax
from gnomon.learn.learner import positive, whole

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class SupKernelUCB(Pairs):
    """Valko et al. (2013): arms are eliminated level by level; a wide one is played at random.

    Args:
        eta: width over standard deviation; the authors' experiments have 0.1 and 1. Where
            eta / sqrt(lambda) is at most 1 / sqrt(T) no width is ever large: nothing is learned.
        horizon: T; widths below 1 / sqrt(T) are as good as none.
        settings: see ``Pairs``; ``beta`` has no part.

    Attributes:
        played: all states, (t, D).
        rewards: (t).
        levels: level that learned from each step, from 1; 0: none, (t).
        pending: level of the last selection, (1).
    """

    name: ClassVar[str] = "supk-ucb"
    variant: ClassVar[str] = "standard"

    def __init__(self, *, eta: float = 1.0, horizon: int = 1000, **settings: Any) -> None:
        super().__init__(**settings)
        self.eta = positive("eta", eta)
        self.horizon = whole("horizon", horizon)
        self._played, self._rewards, self._levels = Rows(self.length), Rows(), Rows()
        self.pending: Floats = np.ones(1)
        self._own: dict[int, _Level] = {}

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "eta": self.eta, "horizon": self.horizon}

    @property
    def state(self) -> dict[str, Floats]:
        return {
            "played": self._played.all,
            "rewards": self._rewards.all,
            "levels": self._levels.all,
            "pending": self.pending,
        }

    @property
    def state_shapes(self) -> dict[str, tuple[int | str, ...]]:
        return {
            "played": ("t", self.length),
            "rewards": ("t",),
            "levels": ("t",),
            "pending": (1,),
        }

    def _restore(self, arrays: dict[str, Floats]) -> None:
        self._played.replace(arrays["played"])
        self._rewards.replace(arrays["rewards"])
        self._levels.replace(arrays["levels"])
        self.pending = np.array(arrays["pending"])
        # Grown as in the run, not inverted at once: a loaded learner must choose bit for bit alike.
        self._own = {}
        steps = zip(arrays["played"], arrays["rewards"], arrays["levels"], strict=True)
        for state, reward, level in steps:
            self._teach(int(level), state, float(reward))

    def _moments(self, states: Floats, level: int) -> tuple[Floats, Floats]:
        """Means and widths by what a level has learned."""
        own = self._own.get(level)
        if own is None:
            return np.zeros(len(states)), np.full(
                len(states), self.eta / np.sqrt(self.regularisation)
            )
        columns = self._columns(own.points.all, states)
        weights = times(columns, own.inverse.all)
        variances = (1.0 - dots(columns, weights)) / self.regularisation
        widths = self.eta * np.sqrt(np.maximum(variances, 0.0))
        return dots(weights, own.rewards.all), widths

    def _scores(self, contexts: Floats) -> Floats:
        """Upper bounds of the first level."""
        means, widths = self._moments(self._states(contexts), 1)
        return means + widths

    def _choose(self, contexts: Floats) -> int:
        self.pending = np.ones(1)
        if not self.steps:
            return self._random_arm()
        states = self._states(contexts)
        arms = np.arange(self.sizes.arms) if self._on_offer is None else self._on_offer
        level = 1
        while True:
            means, widths = self._moments(states[arms], level)
            if (widths <= 1.0 / np.sqrt(self.horizon)).all():
                self.pending = np.zeros(1)
                return int(arms[argmax(means + widths)])
            wide = widths > 2.0**-level
            if wide.any():
                self.pending = np.full(1, float(level))
                found = arms[wide]
                return int(found[int(self._random()[0] * len(found))])
            bounds = means + widths
            arms = arms[bounds >= bounds.max() - 2.0 ** (1 - level)]
            level += 1

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        state = self._state_of(contexts, arm)[0]
        level = int(self.pending[0])
        self._played.append(state)
        self._rewards.append(reward)
        self._levels.append(float(level))
        self._teach(level, state, reward)
        self.pending = np.ones(1)

    def _teach(self, level: int, state: Floats, reward: float) -> None:
        if not level:
            return
        own = self._own.get(level)
        if own is None:
            own = self._own[level] = _Level(
                Rows(self.length), Rows(), GrowingInverse(self.regularisation)
            )
        own.inverse.grow(self._columns(own.points.all, state[None])[0])
        own.points.append(state)
        own.rewards.append(reward)


@dataclass(frozen=True, slots=True)
class _Level:
    """What one level has learned: states (n, D), rewards (n), inverse of K + lambda I (n, n)."""

    points: Rows
    rewards: Rows
    inverse: GrowingInverse
