"""ARES: windows and arms chosen online (section 3), and gnomon's variant, which averages.

Policies play many runs at once; :mod:`.learner` has one run as a learner.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon.learn.kernels import Floats

from .models import UNTRAINED, Bounds, WindowModels
from .system import LARGEST_WINDOW, Shape, Trajectory

PULLS = 20
"""Of each arm in turn, before the scores of ARES-P count."""


class Policy:
    """Policy for B runs. ``features`` of a round are 1 and the contexts before it."""

    turns: int = 0  # initial rounds in which arms take turns, independent of scores

    def __init__(self, trajectory: Trajectory | Shape) -> None:
        shape = trajectory if isinstance(trajectory, Shape) else trajectory.shape
        self.runs, self.arms, self.contexts = shape

    def choose(self, at: int, features: Floats) -> Any:
        """Return an arm for each run, (B)."""
        if at < self.turns:
            return np.full(self.runs, at % self.arms)
        return self.scores(at, features).argmax(axis=1)

    def scores(self, at: int, features: Floats) -> Floats:
        """Return the index of each arm, (B, k)."""
        raise NotImplementedError

    def learn(self, at: int, features: Floats, arms: Any, rewards: Floats) -> None:
        """Learn one reward for each run, (B); do nothing in a policy that does not learn."""

    def arrays(self) -> dict[str, Floats]:
        """Return the arrays that learning changes, by name; not copies."""
        return {}

    def restored(self) -> None:
        """Recompute the values that depend on the arrays, after a change from outside."""


def play(trajectory: Trajectory, policy: Policy) -> Floats:
    """Return the regret of each run against the best arm of every round, (B)."""
    runs = np.arange(policy.runs)
    lost = np.zeros(policy.runs)
    for at in range(trajectory.rounds):
        features, means = trajectory.features(at), trajectory.expected[at]
        arms = policy.choose(at, features)
        played = means[runs, arms]
        policy.learn(at, features, arms, played + trajectory.noise[at])
        lost += means.max(axis=1) - played
    return lost


class WindowLinUCB(Policy):
    """LinUCB(s): one fixed window and the index of ARES without its truncation term."""

    def __init__(self, trajectory: Trajectory | Shape, window: int, bound: float = 0.1) -> None:
        super().__init__(trajectory)
        # the models of the window
        self.models = WindowModels(self.runs, self.arms, window, contexts=self.contexts)
        self.turns = window
        self._bounds = Bounds(reward=bound, arm=0.0, weights=bound)

    def arrays(self) -> dict[str, Floats]:
        return self.models.arrays()

    def scores(self, _at: int, features: Floats) -> Floats:
        runs = np.repeat(np.arange(self.runs), self.arms)
        arms = np.tile(np.arange(self.arms), self.runs)
        mean, variance = self.models.predict(features, runs, arms)
        score = mean + self.models.width(self._bounds, runs, arms) * np.sqrt(variance)
        return score.reshape(self.runs, self.arms)

    def learn(self, at: int, features: Floats, arms: Any, rewards: Floats) -> None:
        if at >= self.models.window:
            self.models.learn(features, arms, rewards)


class Pies(WindowLinUCB):
    """PIES(s): a fixed window, exploration of fixed length, then no bonus.

    The published algorithm was unavailable; this is a reconstruction: round robin for
    k c_E D(s) rounds, then the largest prediction; it learns in every round.
    """

    def __init__(self, trajectory: Trajectory | Shape, window: int, exploration: int) -> None:
        super().__init__(trajectory, window)
        self.turns = window + self.arms * exploration * self.models.size

    def scores(self, _at: int, features: Floats) -> Floats:
        return np.asarray(
            (self.models.weights * features[:, None, : self.models.size]).sum(axis=-1)
        )


class Ares(Policy):
    """ARES as published, with J from the error before the update, of the pulled arm only.

    Args:
        bounds: constants of the confidence width.
        windows: largest window s_N.
        posterior: J from the error after the update instead.
    """

    def __init__(
        self,
        trajectory: Trajectory | Shape,
        bounds: Bounds | None = None,
        *,
        windows: int = LARGEST_WINDOW,
        posterior: bool = False,
    ) -> None:
        super().__init__(trajectory)
        self._bounds, self._posterior = bounds or Bounds(), posterior
        self.models = [
            WindowModels(self.runs, self.arms, s, contexts=self.contexts)
            for s in range(windows + 1)
        ]
        self.cost: Floats = np.zeros((self.runs, self.arms, windows + 1))  # J, (B, k, windows)
        # the window of each arm in the last round, (B, k)
        self.window = np.zeros((self.runs, self.arms), dtype=np.int64)
        # the exploration term of each arm in the last round, (B, k)
        self.bonus: Floats = np.zeros((self.runs, self.arms))
        self._pulled: Floats = np.zeros((self.runs, self.arms))
        self._earned: Floats = np.zeros((self.runs, self.arms))

    def arrays(self) -> dict[str, Floats]:
        arrays = self._of_windows()
        for model in self.models:
            arrays |= {f"{name}_{model.window}": array for name, array in model.arrays().items()}
        return arrays

    def _of_windows(self) -> dict[str, Floats]:
        return {"cost": self.cost, "pulled": self._pulled, "earned": self._earned}

    def choose(self, at: int, features: Floats) -> Any:
        scores = self.scores(at, features)  # also in turns: it chooses the windows
        return np.full(self.runs, at % self.arms) if at < self.turns else scores.argmax(axis=1)

    def scores(self, at: int, features: Floats) -> Floats:
        self.window = self.cost.argmin(axis=2)
        mean = np.zeros((self.runs, self.arms))
        for model in self.models:
            runs, arms = np.nonzero((self.window == model.window) & (at >= model.window))
            if len(runs):
                mean[runs, arms], variance = model.predict(features, runs, arms)
                self.bonus[runs, arms] = self._width(model, runs, arms) * np.sqrt(variance)
        young = self.window > at
        if young.any():
            with np.errstate(divide="ignore", invalid="ignore"):
                plain = np.where(self._pulled > 0, self._earned / self._pulled, 0.0)
                wide = np.sqrt(2.0 * np.log(1.0 / self._bounds.delta) / self._pulled)
            mean = np.where(young, plain, mean)
            self.bonus = np.where(young, wide, self.bonus)
        return mean + self.bonus

    def _width(self, model: WindowModels, runs: Any, arms: Any) -> Floats:
        return model.width(self._bounds, runs, arms)

    def learn(self, at: int, features: Floats, arms: Any, rewards: Floats) -> None:
        runs = np.arange(self.runs)
        young = at < self.window[runs, arms]
        self._pulled[runs, arms] += young
        self._earned[runs, arms] += np.where(young, rewards, 0.0)
        for model in self.models[: at + 1]:
            self._learn(model, features, runs, arms, rewards)

    def _learn(
        self, model: WindowModels, features: Floats, runs: Any, arms: Any, rewards: Floats
    ) -> None:
        width = model.width(self._bounds, runs, arms)
        error, variance = model.learn(features, arms, rewards)
        if self._posterior:
            error = rewards - (model.weights[runs, arms] * features[:, : model.size]).sum(axis=-1)
        self.cost[runs, arms, model.window] = np.abs(error) + width * np.sqrt(variance)


class AresP(Ares):
    """ARES-P, gnomon's: J is a mean of errors, and also scales the exploration term.

    Arms take turns until each has 20 pulls. A window is taken from 2 D(s) updates on. ``keep`` is
    the weight of old errors against new ones; 1 for a plain mean. ``padded``: a window learns from
    the first rounds too, with zeros for contexts that there are not yet, as ARES-chol does.
    """

    def __init__(
        self,
        trajectory: Trajectory | Shape,
        *,
        windows: int = LARGEST_WINDOW,
        keep: float = 0.9999,
        padded: bool = False,
    ) -> None:
        super().__init__(trajectory, windows=windows)
        self.turns = PULLS * self.arms
        self._padded, self._keep = padded, keep
        self._errors: Floats = np.zeros_like(self.cost)
        self._weights: Floats = np.zeros_like(self.cost)
        self.cost[:] = np.inf

    def _of_windows(self) -> dict[str, Floats]:
        return {"errors": self._errors, "weights_of_errors": self._weights}

    def restored(self) -> None:
        some = self._weights > 0
        self.cost = np.where(some, self._errors / np.where(some, self._weights, 1.0), np.inf)

    def learn(self, at: int, features: Floats, arms: Any, rewards: Floats) -> None:
        super().learn(at, features, arms, rewards)
        for model in self.models[at + 1 :] if self._padded else ():
            model.learn(features, arms, rewards)

    def _width(self, model: WindowModels, runs: Any, arms: Any) -> Floats:
        scale = self.cost[runs, arms, model.window]
        return np.where(np.isfinite(scale), scale, UNTRAINED)

    def _learn(
        self, model: WindowModels, features: Floats, runs: Any, arms: Any, rewards: Floats
    ) -> None:
        s = model.window
        candidate = (model.updates[runs, arms] >= 2 * model.size) | (s == 0)
        error, _ = model.learn(features, arms, rewards)
        runs, arms, error = runs[candidate], arms[candidate], np.abs(error[candidate])
        self._errors[runs, arms, s] = self._keep * self._errors[runs, arms, s] + error
        self._weights[runs, arms, s] = self._keep * self._weights[runs, arms, s] + 1.0
        self.cost[runs, arms, s] = self._errors[runs, arms, s] / self._weights[runs, arms, s]
