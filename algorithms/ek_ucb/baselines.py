"""Baselines of EK-UCB: K-UCB, SupK-UCB, CBKB and CBBKB."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gnomon.learn.kernels import Floats, argmax, lu_invert
from gnomon.learn.settings import positive, whole

from .pairs import GrowingInverse, Pairs, Rows, dots, rank_one, times

_JITTER = 1e-6  # on kernel matrices of the dictionary: it may contain the first state twice
_SAMPLES_PER_BATCH = 10.0  # q / C in the authors' code


class KernelUCB(Pairs):
    """Kernel ridge regression on all past steps; a step costs O(C t^2).

    Also CGP-UCB (Krause and Ong, 2011) with another radius.
    """

    name, variant = "k-ucb", "standard"
    grows: ClassVar[dict[str, str]] = {"played": "tD", "rewards": "t", "inverse": "tt"}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.played, self.rewards = Rows(self.length), Rows()  # all states, (t, D), and (t)
        self.inverse = GrowingInverse(self.regularisation)  # inverse of K + lambda I, (t, t)

    def _scores(self, contexts: Floats) -> Floats:
        columns = self._columns(self.played.all, self._states(contexts))
        weights = times(columns, self.inverse.all)
        variances = (1.0 - dots(columns, weights)) / self.regularisation
        return self._bounds(dots(weights, self.rewards.all), variances)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        state = self._state_of(contexts, arm)
        self.inverse.grow(self._columns(self.played.all, state)[0])
        self.played.append(state[0])
        self.rewards.append(reward)


@dataclass(frozen=True, slots=True)
class _Level:
    """Data of one level: states (n, D), rewards (n), inverse of K + lambda I (n, n)."""

    points: Rows
    rewards: Rows
    inverse: GrowingInverse


class SupKernelUCB(Pairs):
    """Valko et al. (2013): arms are eliminated level by level; a wide one is played at random.

    Args:
        eta: width over standard deviation; the authors' experiments have 0.1 and 1. Where eta /
            sqrt(lambda) is at most 1 / sqrt(T) no width is ever large: nothing is learned.
        horizon: T; widths below 1 / sqrt(T) are as good as none.
        settings: see ``Pairs``; ``beta`` is ignored.
    """

    name, variant = "supk-ucb", "standard"
    grows: ClassVar[dict[str, str]] = {
        "played": "tD", "rewards": "t", "levels": "t", "pending": "1",
    }  # fmt: skip
    leaves = ("pending",)

    def __init__(self, *, eta: float = 1.0, horizon: int = 1000, **settings: Any) -> None:
        super().__init__(**settings)
        self.eta = positive("eta", eta)
        self.horizon = whole("horizon", horizon)
        # All states, (t, D), rewards, (t), and the level that learned each step, 0: none, (t)
        self.played, self.rewards, self.levels = Rows(self.length), Rows(), Rows()
        self.pending: Floats = np.ones(1)  # level of the last selection, (1)
        self._own: dict[int, _Level] = {}

    def _restore(self, arrays: dict[str, Floats]) -> None:
        super()._restore(arrays)
        # Grown as in the run, not inverted at once: a loaded learner must repeat all choices.
        self._own = {}
        steps = zip(arrays["played"], arrays["rewards"], arrays["levels"], strict=True)
        for state, reward, level in steps:
            self._teach(int(level), state, float(reward))

    def _moments(self, states: Floats, level: int) -> tuple[Floats, Floats]:
        """Return means and widths from the data of a level."""
        own = self._own.get(level)
        if own is None:
            widest = self.eta / np.sqrt(self.regularisation)
            return np.zeros(len(states)), np.full(len(states), widest)
        columns = self._columns(own.points.all, states)
        weights = times(columns, own.inverse.all)
        variances = (1.0 - dots(columns, weights)) / self.regularisation
        widths = self.eta * np.sqrt(np.maximum(variances, 0.0))
        return dots(weights, own.rewards.all), widths

    def _scores(self, contexts: Floats) -> Floats:
        """Return the upper bounds of the first level."""
        means, widths = self._moments(self._states(contexts), 1)
        return means if self._exploiting else means + widths

    def _chances(self, contexts: Floats) -> None:
        """Return None: the widths of all arms at all levels are not computed."""

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
        self.played.append(state)
        self.rewards.append(reward)
        self.levels.append(float(level))
        self._teach(level, state, reward)
        self.pending = np.ones(1)

    def _teach(self, level: int, state: Floats, reward: float) -> None:
        if not level:
            return
        if level not in self._own:
            inverse = GrowingInverse(self.regularisation)
            self._own[level] = _Level(Rows(self.length), Rows(), inverse)
        own = self._own[level]
        own.inverse.grow(self._columns(own.points.all, state[None])[0])
        own.points.append(state)
        own.rewards.append(reward)


class BatchKernelBandit(Pairs):
    """CBBKB: a past state stays with probability q variance, resampled each C of variance.

    Between two samplings of the dictionary Sherman-Morrison updates the matrices.

    Args:
        batch: C; q is 10 C.
    """

    name, variant = "cbbkb", "standard"
    grows: ClassVar[dict[str, str]] = {
        "played": "tD", "rewards": "t", "members": "m", "inverse": "mm", "sums": "m",
        "kernel_inverse": "mm", "gathered": "1",
    }  # fmt: skip

    def __init__(self, *, batch: float = 10.0, **settings: Any) -> None:
        super().__init__(**settings)
        self.batch = positive("batch", batch)
        self.played, self.rewards = Rows(self.length), Rows()  # all states, (t, D), and (t)
        self.members: Floats = np.zeros(0)  # numbers of the states in the dictionary, (m)
        self.inverse: Floats = np.zeros((0, 0))  # inverse of K_ZS K_SZ + lambda K_ZZ, (m, m)
        self.sums: Floats = np.zeros(0)  # K_ZS Y, (m)
        self.kernel_inverse: Floats = np.zeros((0, 0))  # of K_ZZ, (m, m)
        self.gathered: Floats = np.zeros(1)  # variance of the states since the last sampling, (1)
        self.draws = 0  # samplings of the dictionary; not part of the state

    @property
    def anchors(self) -> Floats:
        """Dictionary, (m, D)."""
        return np.asarray(self.played.all[self.members.astype(np.int64)])

    def _moments(self, states: Floats) -> tuple[Floats, Floats]:
        columns = self._columns(self.anchors, states)
        weights = times(self.sums[None], self.inverse)[0]
        spread = times(columns, self.inverse - self.kernel_inverse / self.regularisation)
        variances = 1.0 / self.regularisation + dots(columns, spread)
        # The matrices are rebuilt, with a jitter: values below 0, of any size, are rounding errors.
        return dots(columns, weights), np.maximum(variances, 0.0)

    def _scores(self, contexts: Floats) -> Floats:
        return self._bounds(*self._moments(self._states(contexts)))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        state = self._state_of(contexts, arm)
        variance = float(self._moments(state)[1][0])
        first = not len(self.rewards.all)
        if not first:
            column = self._columns(self.anchors, state)[0]
            rank_one(self.inverse, column)
            self.sums = self.sums + reward * column
        self.played.append(state[0])
        self.rewards.append(reward)
        self.gathered = self.gathered + variance
        if first:
            self.members = np.zeros(1)
            self._rebuild()
            self.gathered = np.zeros(1)
        elif self._due():
            self._draw()
            self.gathered = np.zeros(1)

    def _due(self) -> bool:
        return 1.0 + float(self.gathered[0]) > self.batch

    def _draw(self) -> None:
        """Keep every past state with probability q times its variance, and always the first one."""
        self.draws += 1
        variances = self._moments(self.played.all)[1]
        chances = np.minimum(_SAMPLES_PER_BATCH * self.batch * variances, 1.0)
        kept = self._random(len(chances)) < chances
        kept[0] = True
        self.members = np.flatnonzero(kept).astype(np.float64)
        self._rebuild()

    def _rebuild(self) -> None:
        anchors = self.anchors
        kernel = self._columns(anchors, anchors) + _JITTER * np.eye(len(anchors))
        rows = self._columns(anchors, self.played.all)
        self.kernel_inverse = lu_invert(kernel)
        self.inverse = lu_invert(rows.T @ rows + self.regularisation * kernel)
        self.sums = times(self.rewards.all[None], rows)[0]


class KernelBandit(BatchKernelBandit):
    """CBKB: the dictionary is sampled again in every step; C is 1."""

    name: ClassVar[str] = "cbkb"

    def __init__(self, **settings: Any) -> None:
        super().__init__(batch=1.0, **settings)

    @property
    def settings(self) -> dict[str, Any]:
        return {name: value for name, value in super().settings.items() if name != "batch"}

    def _due(self) -> bool:
        return True
