"""The policies that ARES is compared with, each for many runs side by side."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gnomon.learn.ares._models import Bounds, WindowModels, dimension

if TYPE_CHECKING:
    from gnomon.learn.ares._trajectory import Trajectory
    from gnomon.learn.kernels import Floats

DELTA = 0.1


class Shape(NamedTuple):
    """Runs B, arms k and length m of a context."""

    runs: int
    arms: int
    contexts: int


class Policy(ABC):
    """A policy for B runs. ``features`` of a round are 1 and the contexts before it.

    Args:
        trajectory: what is played, or its shape.
    """

    def __init__(self, trajectory: Trajectory | Shape) -> None:
        if isinstance(trajectory, Shape):
            shape = trajectory
        else:
            _, runs, arms = trajectory.expected.shape
            shape = Shape(runs, arms, trajectory.contexts.shape[2])
        self.runs, self.arms, self.contexts = shape

    @abstractmethod
    def choose(self, at: int, features: Floats) -> Any:
        """An arm for each run, (B)."""

    def learn(self, at: int, features: Floats, arms: Any, rewards: Floats) -> None:  # noqa: B027
        """One reward for each run, (B); a policy that does not learn leaves it out."""


def play(trajectory: Trajectory, policy: Policy) -> Floats:
    """Regret of each run against the best arm of every round, (B)."""
    runs = np.arange(trajectory.expected.shape[1])
    lost = np.zeros(len(runs))
    for at in range(trajectory.rounds):
        features = trajectory.features(at)
        arms = policy.choose(at, features)
        means = trajectory.expected[at]
        played = means[runs, arms]
        policy.learn(at, features, arms, played + trajectory.noise[at])
        lost += means.max(axis=1) - played
    return lost


class Predictor(Policy):
    """Plays the largest prediction: the oracle, or the true weights of a window."""

    def __init__(self, trajectory: Trajectory, predicted: Floats) -> None:
        super().__init__(trajectory)
        self._predicted = predicted

    def choose(self, at: int, _features: Floats) -> Any:
        return self._predicted[at].argmax(axis=1)


class Random(Policy):
    """Any arm, each as likely."""

    def __init__(self, trajectory: Trajectory, rng: np.random.Generator) -> None:
        super().__init__(trajectory)
        self._rng = rng

    def choose(self, _at: int, _features: Floats) -> Any:
        return self._rng.integers(0, self.arms, self.runs)


class UpperBound(Policy):
    """UCB without contexts; discounted (D-UCB) and over a sliding window (SW-UCB) where asked.

    Args:
        trajectory: what is played.
        growing: 2 ln t in place of 2 ln(1 / delta).
        discount: of the past, each round.
        window: rounds that count.
        scale: of the width; 0.1 for the two that forget.
    """

    def __init__(
        self,
        trajectory: Trajectory,
        *,
        growing: bool = False,
        discount: float = 1.0,
        window: int | None = None,
        scale: float = 1.0,
    ) -> None:
        super().__init__(trajectory)
        self._growing, self._discount, self._window, self._scale = growing, discount, window, scale
        self._count: Floats = np.zeros((self.runs, self.arms))
        self._sum: Floats = np.zeros((self.runs, self.arms))
        self._past: list[tuple[Any, Floats]] = []

    def choose(self, at: int, _features: Floats) -> Any:
        growth = 2.0 * np.log(1.0 / DELTA)
        if self._growing:
            growth = 2.0 * np.log(min(at + 1, self._window or at + 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = self._sum / self._count
            score = mean + self._scale * np.sqrt(growth / self._count)
        return np.where(self._count == 0, np.inf, score).argmax(axis=1)

    def learn(self, _at: int, _features: Floats, arms: Any, rewards: Floats) -> None:
        runs = np.arange(self.runs)
        self._count *= self._discount
        self._sum *= self._discount
        self._count[runs, arms] += 1.0
        self._sum[runs, arms] += rewards
        if self._window is not None:
            self._past.append((arms, rewards))
            if len(self._past) > self._window:
                old, reward = self._past.pop(0)
                self._count[runs, old] -= 1.0
                self._sum[runs, old] -= reward


class Pies(Policy):
    """PIES(s): a fixed window, exploration of fixed length, then no bonus.

    The algorithm itself was not at hand; this is a reconstruction: round robin for
    k c_E D(s) rounds, then the largest prediction; it learns in every round.
    """

    def __init__(self, trajectory: Trajectory, window: int, exploration: int) -> None:
        super().__init__(trajectory)
        self._models = WindowModels(self.runs, self.arms, window)
        self._first = window + self.arms * exploration * dimension(window)

    def choose(self, at: int, features: Floats) -> Any:
        if at < self._first:
            return np.full(self.runs, at % self.arms)
        return _means(self._models, features).argmax(axis=1)

    def learn(self, at: int, features: Floats, arms: Any, rewards: Floats) -> None:
        if at >= self._models.window:
            self._models.learn(features, arms, rewards)


class WindowLinUCB(Policy):
    """LinUCB(s): one fixed window and the index of ARES without its truncation term."""

    def __init__(self, trajectory: Trajectory, window: int, bound: float = 0.1) -> None:
        super().__init__(trajectory)
        self._models = WindowModels(self.runs, self.arms, window)
        self._bounds = Bounds(DELTA, bound, 0.0, bound)

    def choose(self, at: int, features: Floats) -> Any:
        if at < self._models.window:
            return np.full(self.runs, at % self.arms)
        runs, arms = _pairs(self.runs, self.arms)
        mean, variance = self._models.predict(features, runs, arms)
        score = mean + self._models.width(self._bounds, runs, arms) * np.sqrt(variance)
        return score.reshape(self.runs, self.arms).argmax(axis=1)

    def learn(self, at: int, features: Floats, arms: Any, rewards: Floats) -> None:
        if at >= self._models.window:
            self._models.learn(features, arms, rewards)


def _means(models: WindowModels, features: Floats) -> Floats:
    means: Floats = (models.weights * features[:, None, : models.size]).sum(axis=-1)
    return means


def _pairs(runs: int, arms: int) -> tuple[Any, Any]:
    return np.repeat(np.arange(runs), arms), np.tile(np.arange(arms), runs)
