"""Baselines with one fixed window, behind the contract of all learners: PIES and LinUCB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn._trace import note
from gnomon.learn.ares._learners import WindowLearner
from gnomon.learn.ares._models import Bounds, WindowModels
from gnomon.learn.ares._policies import DELTA
from gnomon.learn.learner import positive, whole

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class PiesLearner(WindowLearner):
    """PIES(s), reconstructed: a fixed window, round robin for a preset time, then no bonus.

    Args:
        arms: k.
        dimensions: m.
        window: s.
        exploration: c_E; round robin for k c_E D(s) rounds.
    """

    name: ClassVar[str] = "pies"
    variant: ClassVar[str] = "standard"

    def __init__(
        self, *, arms: int, dimensions: int, window: int = 2, exploration: int = 20
    ) -> None:
        super().__init__(arms=arms, dimensions=dimensions, windows=window)
        self.exploration = whole("exploration", exploration)
        self._models = WindowModels(1, arms, window, contexts=dimensions)

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "arms": self.sizes.arms,
            "dimensions": self.sizes.dimensions,
            "window": self.windows,
            "exploration": self.exploration,
        }

    @property
    def state(self) -> dict[str, Floats]:
        return {**super().state, **self._models.arrays()}

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        scores: Floats = self._models.weights[0] @ self._features()
        return scores

    def _choose(self, contexts: Floats) -> int:
        size = self._models.size
        note("matvec", (self.sizes.arms, size))
        if self.steps < self.windows + self.sizes.arms * self.exploration * size:
            return self._arm_in_turn(self.steps)
        return self._best(self._scores(contexts))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        self._note_update((self.windows,))
        if self.steps >= self.windows:
            features = self._features()[None, :]
            self._models.learn(features, np.array([arm]), np.array([reward]))
        self._push(contexts[arm])


class WindowLinUCBLearner(PiesLearner):
    """LinUCB(s): one fixed window and the index of ARES without its truncation term.

    Args:
        arms: k.
        dimensions: m.
        window: s.
        bound: B_R and B_G.
    """

    name: ClassVar[str] = "linucb-window"

    def __init__(self, *, arms: int, dimensions: int, window: int = 2, bound: float = 0.1) -> None:
        super().__init__(arms=arms, dimensions=dimensions, window=window)
        self.bound = positive("bound", bound)

    @property
    def settings(self) -> dict[str, Any]:
        kept = {name: value for name, value in super().settings.items() if name != "exploration"}
        return {**kept, "bound": self.bound}

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        runs, arms = np.zeros(self.sizes.arms, dtype=int), np.arange(self.sizes.arms)
        mean, variance = self._models.predict(self._features()[None, :], runs, arms)
        width = self._models.width(Bounds(DELTA, self.bound, 0.0, self.bound), runs, arms)
        scores: Floats = mean + width * np.sqrt(variance)
        return scores

    def _choose(self, contexts: Floats) -> int:
        self._note_prediction([self.windows] * self.sizes.arms)
        if self.steps < self.windows:
            return self._arm_in_turn(self.steps)
        return self._best(self._scores(contexts))
