"""Policies that ARES is compared with, each for many runs at once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gnomon.content.algorithms.ares.models import DELTA
from gnomon.content.algorithms.ares.policy import Ares, AresP, Pies, Policy, WindowLinUCB
from gnomon.content.algorithms.ares.system import Trajectory
from gnomon.learn.kernels import Floats

LONG, SHORT = 20, 1
"""c_E of PIES: rounds of exploration for each arm and weight; the paper's figure shows LONG."""


def pies(window: int, exploration: int) -> str:
    """Return the name of PIES(s) in results."""
    return f"pies-{window}" if exploration == LONG else f"pies-short-{window}"


def policies(windows: int) -> dict[str, Callable[[Trajectory], Policy]]:
    """Return the policies compared with ARES, by name; ``windows`` is the largest of PIES."""
    rng = np.random.default_rng(5)
    made: dict[str, Callable[[Trajectory], Policy]] = {
        "oracle": lambda played: Predictor(played, played.predicted),
        "ares-posterior": lambda played: Ares(played, posterior=True),
        "ares-p": AresP,
        "ucb": UpperBound,
        "ucb-growing": lambda played: UpperBound(played, growing=True),
        "d-ucb": lambda played: UpperBound(played, growing=True, discount=0.99, scale=0.1),
        "sw-ucb": lambda played: UpperBound(played, growing=True, window=100, scale=0.1),
        "random": lambda played: Random(played, rng),
    }
    for window in (1, 2, 3):
        made[f"linucb-{window}"] = lambda played, s=window: WindowLinUCB(played, s)  # type: ignore[misc]
    for exploration in (LONG, SHORT):
        for window in range(windows + 1):
            made[pies(window, exploration)] = (
                lambda played, s=window, c=exploration: Pies(played, s, c)  # type: ignore[misc]
            )
    return made


class Predictor(Policy):
    """Policy that plays the largest prediction: the oracle, or the true weights of a window."""

    def __init__(self, trajectory: Trajectory, predicted: Floats) -> None:
        super().__init__(trajectory)
        self._predicted = predicted

    def scores(self, at: int, _features: Floats) -> Floats:
        return np.asarray(self._predicted[at])


class Random(Policy):
    """Policy that plays each arm with the same probability."""

    def __init__(self, trajectory: Trajectory, rng: np.random.Generator) -> None:
        super().__init__(trajectory)
        self._rng = rng

    def choose(self, _at: int, _features: Floats) -> Any:
        return self._rng.integers(0, self.arms, self.runs)


class UpperBound(Policy):
    """UCB without contexts; optionally discounted (D-UCB) or over a sliding window (SW-UCB).

    Args:
        growing: 2 ln n in place of 2 ln(1 / delta): n is t, at most the window, or the sum of the
            discounted counts.
        discount: of the past, each round.
        window: rounds that count.
        scale: of the width; 0.1 for the two that forget.
    """

    def __init__(
        self, trajectory: Trajectory, *, growing: bool = False, discount: float = 1.0,
        window: int | None = None, scale: float = 1.0,
    ) -> None:  # fmt: skip
        super().__init__(trajectory)
        self._growing, self._discount, self._window, self._scale = growing, discount, window, scale
        self.count, self._sum = np.zeros((2, self.runs, self.arms))
        self._past: list[tuple[Any, Floats]] = []

    def scores(self, at: int, _features: Floats) -> Floats:
        growth = 2.0 * np.log(1.0 / DELTA)
        if self._growing:
            rounds: Any = min(at + 1, self._window or at + 1)
            if self._discount < 1.0:
                rounds = np.maximum(self.count.sum(axis=1, keepdims=True), 1.0)
            growth = 2.0 * np.log(rounds)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = self._sum / self.count
            score = mean + self._scale * np.sqrt(growth / self.count)
        return np.where(self.count == 0, np.inf, score)

    def learn(self, _at: int, _features: Floats, arms: Any, rewards: Floats) -> None:
        runs = np.arange(self.runs)
        self.count *= self._discount
        self._sum *= self._discount
        self.count[runs, arms] += 1.0
        self._sum[runs, arms] += rewards
        if self._window is not None:
            self._past.append((arms, rewards))
            if len(self._past) > self._window:
                old, reward = self._past.pop(0)
                self.count[runs, old] -= 1.0
                self._sum[runs, old] -= reward
