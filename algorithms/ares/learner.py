"""ARES and ARES-P, by windows and by one factor, as learners.

The context of a round is the observation that comes with its reward: selection
uses the observations of earlier rounds, as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from gnomon.learn import Learner, Sizes
from gnomon.learn.kernels import Floats, note
from gnomon.learn.settings import positive, whole

from .models import Bounds, WindowFactor, dimension
from .policy import PULLS, Ares, AresP, Policy
from .system import Shape


class WindowLearner(Learner):
    """Base of all ARES learners: the latest contexts.

    Args:
        windows: the largest window, s_N.
    """

    follows_scores = False
    in_order = True
    exploits = False
    keeps: ClassVar[tuple[str, ...]] = ("ring",)

    def __init__(self, *, arms: int, dimensions: int, windows: int = 10) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.windows = whole("windows", windows, least=0)
        # the last contexts, the newest first, (windows, m)
        self.ring: Floats = np.zeros((windows, dimensions))

    def _chances(self, contexts: Floats) -> Floats:
        return self._surely(self._choose(contexts))

    def _features(self) -> Floats:
        return np.concatenate(([1.0], self.ring.ravel()))

    def _push(self, context: Floats) -> None:
        if self.windows:
            self.ring[1:] = self.ring[:-1].copy()
            self.ring[0] = context


class PolicyLearner(WindowLearner):
    """Learner that plays a policy of one run."""

    policy: Policy  # chooses arms and learns

    @property
    def _shape(self) -> Shape:
        return Shape(1, self.sizes.arms, self.sizes.dimensions)

    @property
    def state(self) -> dict[str, Floats]:
        return {**super().state, **self.policy.arrays()}

    def _restore(self, arrays: dict[str, Floats]) -> None:
        super()._restore(arrays)
        self.policy.restored()

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        return np.asarray(self.policy.scores(self.steps, self._features()[None, :])[0])

    def _choose(self, contexts: Floats) -> int:
        scores = self._scores(contexts)
        self._note_choice()
        if self.steps < self.policy.turns:
            return self._arm_in_turn(self.steps)
        return self._best(scores)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        self._note_updates((self.windows,))
        features = self._features()[None, :]
        self.policy.learn(self.steps, features, np.array([arm]), np.array([reward]))
        self._push(contexts[arm])

    def _note_updates(self, windows: Sequence[int]) -> None:
        for window in windows:
            size = dimension(window, self.sizes.dimensions)
            note("matvec", (size, size))
            note("dot", (size,), 2)
            note("divide", (1, 1))
            note("rank1_symmetric", (size,))
            note("rank1_update", (size, 1))

    def _note_choice(self) -> None:
        self._note_predictions([self.windows] * self.sizes.arms)

    def _note_predictions(self, windows: Sequence[int]) -> None:
        """Note for each arm a product with P, one with q, one with the weights, and a root."""
        for window in windows:
            size = dimension(window, self.sizes.dimensions)
            note("matvec", (size, size))
            note("dot", (size,), 2)
        note("sqrt", (self.sizes.arms,))
        note("argmax", (self.sizes.arms,))


class AresLearner(PolicyLearner):
    """ARES as published; J is the error before the update, of the pulled arm.

    Args:
        windows: s_N; 10 in the paper.
        bound: B_R, B_c and B_G, for rewards and contexts of about 1.
    """

    name, variant = "ares", "standard"
    policy: Ares

    def __init__(
        self, *, arms: int, dimensions: int, windows: int = 10, bound: float = 0.02
    ) -> None:
        super().__init__(arms=arms, dimensions=dimensions, windows=windows)
        self.bound = positive("bound", bound)
        self.policy = self._policy()

    def _policy(self) -> Ares:
        bounds = Bounds(reward=self.bound, arm=self.bound, weights=self.bound)
        return Ares(self._shape, bounds, windows=self.windows)

    def _note_choice(self) -> None:
        self._note_predictions(self.policy.window[0].tolist())

    def _best(self, scores: Floats) -> int:
        return self._offered_arm(int(self._offered(scores).argmax()))  # noted above

    def _note_updates(self, windows: Sequence[int]) -> None:
        del windows
        learned = range(min(self.steps, self.windows) + 1)
        super()._note_updates(learned)
        note("sqrt", (1,), len(learned))


class AresPLearner(AresLearner):
    """ARES-P, gnomon's: mean errors choose the window and scale the exploration.

    Args:
        windows: s_N.
    """

    variant: ClassVar[str] = "averaged"

    def __init__(self, *, arms: int, dimensions: int, windows: int = 10) -> None:
        super().__init__(arms=arms, dimensions=dimensions, windows=windows)

    def _policy(self) -> Ares:
        return AresP(self._shape, windows=self.windows, keep=1.0)


class AresFactorLearner(WindowLearner):
    """ARES-P with all windows of an arm from one triangular factor (ARES-chol).

    Args:
        windows: s_N.
    """

    name, variant = "ares", "optimized"
    keeps: ClassVar[tuple[str, ...]] = (*WindowLearner.keeps, "factor", "solved", "errors")

    def __init__(self, *, arms: int, dimensions: int, windows: int = 10) -> None:
        super().__init__(arms=arms, dimensions=dimensions, windows=windows)
        size = dimension(windows, dimensions)
        self.factor: Floats = np.tile(np.eye(size), (arms, 1, 1))  # L of each arm, (k, D, D)
        self.solved: Floats = np.zeros((arms, size))  # y of each arm, (k, D)
        # sum of error sizes, their number, and updates, by arm and window, (3, k, windows + 1)
        self.errors: Floats = np.zeros((3, arms, windows + 1))
        self._last = np.array([dimension(s, dimensions) - 1 for s in range(windows + 1)])

    def _of(self, arm: int) -> WindowFactor:
        """Return the factor of an arm; its updates write to the arrays of the state."""
        return WindowFactor(self.factor[arm], self.solved[arm])

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        features = self._features()
        sums, counts, _ = self.errors
        scores = np.zeros(self.sizes.arms)
        for arm in range(self.sizes.arms):
            with np.errstate(divide="ignore", invalid="ignore"):
                error = np.where(counts[arm] > 0, sums[arm] / counts[arm], np.inf)
            window = int(error.argmin())
            size = int(self._last[window]) + 1
            note("solve_lower", (size,))
            note("dot", (size,), 2)
            means, variances, _ = self._of(arm).predict(features)
            wide = error[window] if counts[arm, window] else 1.0
            scores[arm] = means[size - 1] + wide * np.sqrt(variances[size - 1])
        note("sqrt", (self.sizes.arms,))
        return scores

    def _choose(self, contexts: Floats) -> int:
        scores = self._scores(contexts)
        if self.steps < PULLS * self.sizes.arms:
            return self._arm_in_turn(self.steps)
        return self._best(scores)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        features, own = self._features(), self._of(arm)
        size = len(features)
        note("solve_lower", (size,))
        note("prefix_sum", (size,))
        means = own.predict(features)[0][self._last]
        seen = np.arange(self.windows + 1) <= self.steps
        ripe = (self.errors[2, arm] >= 2 * (self._last + 1)) | (np.arange(self.windows + 1) == 0)
        counted = seen & ripe
        self.errors[0, arm] += np.where(counted, np.abs(reward - means), 0.0)
        self.errors[1, arm] += counted
        self.errors[2, arm] += 1.0
        note("cholesky_update", (size,))
        own.learn(features, reward)
        self._push(contexts[arm])
