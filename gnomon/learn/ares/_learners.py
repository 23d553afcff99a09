"""ARES, ARES-P and the baselines behind the contract of all learners.

What is given as the context of a round is the observation that comes with its reward: selection
uses those of the rounds before, as the paper has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gnomon.learn._kernels import Floats, argmax
from gnomon.learn._learner import Learner, Sizes, positive, share, whole
from gnomon.learn._trace import note
from gnomon.learn.ares._ares import Ares, AresP
from gnomon.learn.ares._chol import WindowFactor
from gnomon.learn.ares._models import Bounds, WindowModels, dimension
from gnomon.learn.ares._policies import DELTA, Shape

if TYPE_CHECKING:
    from collections.abc import Iterable


class WindowLearner(Learner):
    """What all of them share: the contexts seen last.

    Args:
        arms: k.
        dimensions: m, length of a context.
        windows: the largest window, s_N.

    Attributes:
        ring: the last contexts, the newest first, (windows, m).
    """

    follows_scores = False

    def __init__(self, *, arms: int, dimensions: int, windows: int = 10) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.windows = whole("windows", windows, least=0)
        self.ring: Floats = np.zeros((windows, dimensions))

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "arms": self.sizes.arms,
            "dimensions": self.sizes.dimensions,
            "windows": self.windows,
        }

    @property
    def state(self) -> dict[str, Floats]:
        return {"ring": self.ring}

    @property
    def _shape(self) -> Shape:
        return Shape(1, self.sizes.arms, self.sizes.dimensions)

    def _features(self) -> Floats:
        return np.concatenate(([1.0], self.ring.ravel()))

    def _push(self, context: Floats) -> None:
        if self.windows:
            self.ring[1:] = self.ring[:-1].copy()
            self.ring[0] = context

    def _note_prediction(self, windows: Iterable[int]) -> None:
        """A product with P, one with q, one with the weights, and a root, for each arm."""
        for window in windows:
            size = dimension(int(window), self.sizes.dimensions)
            note("matvec", (size, size))
            note("dot", (size,), 2)
        note("sqrt", (self.sizes.arms,))
        note("argmax", (self.sizes.arms,))

    def _note_update(self, windows: Iterable[int]) -> None:
        for window in windows:
            size = dimension(int(window), self.sizes.dimensions)
            note("matvec", (size, size))
            note("dot", (size,), 2)
            note("divide", (1, 1))
            note("rank1_symmetric", (size,))
            note("rank1_update", (size, 1))


class AresLearner(WindowLearner):
    """ARES as published; J is the error before the update, of the pulled arm.

    Args:
        arms: k.
        dimensions: m.
        windows: s_N; 10 in the paper.
        bound: B_R, B_c and B_G, for rewards and contexts of about 1.
    """

    name: ClassVar[str] = "ares"
    variant: ClassVar[str] = "standard"

    def __init__(
        self, *, arms: int, dimensions: int, windows: int = 10, bound: float = 0.02
    ) -> None:
        super().__init__(arms=arms, dimensions=dimensions, windows=windows)
        self.bound = positive("bound", bound)
        self.policy = self._policy()

    def _policy(self) -> Ares:
        bounds = Bounds(DELTA, self.bound, self.bound, self.bound)
        return Ares(self._shape, bounds, windows=self.windows)

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "bound": self.bound}

    @property
    def state(self) -> dict[str, Floats]:
        arrays = {**super().state, **self.policy.arrays()}
        for model in self.policy.models:
            arrays |= {f"{name}_{model.window}": array for name, array in model.arrays().items()}
        return arrays

    def _restore(self, arrays: dict[str, Floats]) -> None:
        super()._restore(arrays)
        self.policy.restored()

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        scores: Floats = self.policy.scores(self.steps, self._features()[None, :])[0]
        return scores

    def _choose(self, contexts: Floats) -> int:
        del contexts
        arm = int(self.policy.choose(self.steps, self._features()[None, :])[0])
        self._note_prediction(self.policy.window[0])
        return arm

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        windows = range(min(self.steps, self.windows) + 1)
        self._note_update(windows)
        note("sqrt", (1,), len(windows))
        features = self._features()[None, :]
        self.policy.learn(self.steps, features, np.array([arm]), np.array([reward]))
        self._push(contexts[arm])


class AresPLearner(AresLearner):
    """ARES-P, ours: mean errors choose the window and scale the exploration.

    Args:
        arms: k.
        dimensions: m.
        windows: s_N.
    """

    variant: ClassVar[str] = "averaged"

    def __init__(self, *, arms: int, dimensions: int, windows: int = 10) -> None:
        super().__init__(arms=arms, dimensions=dimensions, windows=windows)

    def _policy(self) -> Ares:
        return AresP(self._shape, windows=self.windows, keep=1.0)

    @property
    def settings(self) -> dict[str, Any]:
        return WindowLearner.settings.__get__(self)  # type: ignore[no-any-return]


class AresFactorLearner(WindowLearner):
    """ARES-P with all windows of an arm from one triangular factor (ARES-chol).

    Args:
        arms: k.
        dimensions: m.
        windows: s_N.

    Attributes:
        factor: L of each arm, (k, D, D).
        solved: y of each arm, (k, D).
        errors: sum of error sizes, their number, and updates, by arm and window,
            (3, k, windows + 1).
    """

    name: ClassVar[str] = "ares"
    variant: ClassVar[str] = "optimized"

    def __init__(self, *, arms: int, dimensions: int, windows: int = 10) -> None:
        super().__init__(arms=arms, dimensions=dimensions, windows=windows)
        size = dimension(windows, dimensions)
        self._factors = [WindowFactor(size) for _ in range(arms)]
        self.factor: Floats = np.tile(np.eye(size), (arms, 1, 1))
        self.solved: Floats = np.zeros((arms, size))
        self._share_arrays()
        self.errors: Floats = np.zeros((3, arms, windows + 1))
        self._last = np.array([dimension(s, dimensions) - 1 for s in range(windows + 1)])

    @property
    def state(self) -> dict[str, Floats]:
        return {
            **super().state,
            "factor": self.factor,
            "solved": self.solved,
            "errors": self.errors,
        }

    def clone(self) -> Self:
        """An independent copy with the same state."""
        other = super().clone()
        other._share_arrays()  # noqa: SLF001 - of this class
        return other

    def _share_arrays(self) -> None:
        """The factors work in the arrays of the state."""
        for arm, own in enumerate(self._factors):
            own.factor, own.solved = self.factor[arm], self.solved[arm]

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        features = self._features()
        sums, counts, _ = self.errors
        scores = np.zeros(self.sizes.arms)
        for arm, own in enumerate(self._factors):
            with np.errstate(divide="ignore", invalid="ignore"):
                error = np.where(counts[arm] > 0, sums[arm] / counts[arm], np.inf)
            window = int(error.argmin())
            size = int(self._last[window]) + 1
            note("solve_lower", (size,))
            note("dot", (size,), 2)
            means, variances, _ = own.predict(features)
            wide = error[window] if counts[arm, window] else 1.0
            scores[arm] = means[size - 1] + wide * np.sqrt(variances[size - 1])
        note("sqrt", (self.sizes.arms,))
        return scores

    def _choose(self, contexts: Floats) -> int:
        scores = self._scores(contexts)
        if self.steps < AresP.PULLS * self.sizes.arms:
            return self.steps % self.sizes.arms
        return argmax(scores)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        features, own = self._features(), self._factors[arm]
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
            return self.steps % self.sizes.arms
        return argmax(self._scores(contexts))

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
            return self.steps % self.sizes.arms
        return argmax(self._scores(contexts))


class DiscountedUcbLearner(Learner):
    """D-UCB, without contexts: the largest mean + scale sqrt(2 ln(t) / n), the past discounted.

    Args:
        arms: k.
        dimensions: accepted, so that all learners take the same rounds.
        discount: of the past, each round.
        scale: of the width.

    Attributes:
        count: rewards, discounted, (k).
        total: of rewards, discounted, (k).
    """

    name: ClassVar[str] = "d-ucb"
    variant: ClassVar[str] = "standard"

    def __init__(
        self, *, arms: int, dimensions: int, discount: float = 0.99, scale: float = 0.1
    ) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.discount = share("discount", discount)
        self.scale = positive("scale", scale)
        self.count: Floats = np.zeros(arms)
        self.total: Floats = np.zeros(arms)

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "arms": self.sizes.arms,
            "dimensions": self.sizes.dimensions,
            "discount": self.discount,
            "scale": self.scale,
        }

    @property
    def state(self) -> dict[str, Floats]:
        return {"count": self.count, "total": self.total}

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        note("divide", (len(self.count), 2))
        note("log", (1,))
        note("sqrt", self.count.shape)
        grown = 2.0 * np.log(self.steps + 1.0)
        count = np.maximum(self.count, 1e-12)
        width = self.scale * np.sqrt(grown / count)
        return np.where(self.count > 0, self.total / count + width, np.finfo(float).max)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        del contexts
        note("add", (2, 1))
        self.count *= self.discount
        self.total *= self.discount
        self.count[arm] += 1.0
        self.total[arm] += reward


class WindowUcbLearner(Learner):
    """SW-UCB: UCB over the last rounds only.

    Args:
        arms: k.
        dimensions: accepted, so that all learners take the same rounds.
        window: rounds that count.
        scale: of the width.

    Attributes:
        past: arm + 1 and reward of each of the last rounds, 0 where there is none, (2, window).
    """

    name: ClassVar[str] = "sw-ucb"
    variant: ClassVar[str] = "standard"

    def __init__(
        self, *, arms: int, dimensions: int, window: int = 100, scale: float = 0.1
    ) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.window = whole("window", window)
        self.scale = positive("scale", scale)
        self.past: Floats = np.zeros((2, window))

    @property
    def settings(self) -> dict[str, Any]:
        return {
            "arms": self.sizes.arms,
            "dimensions": self.sizes.dimensions,
            "window": self.window,
            "scale": self.scale,
        }

    @property
    def state(self) -> dict[str, Floats]:
        return {"past": self.past}

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        note("divide", (self.sizes.arms, 2))
        note("sqrt", (self.sizes.arms,))
        own = self.past[0] == np.arange(1, self.sizes.arms + 1)[:, None]
        count = own.sum(axis=1)
        total = np.where(own, self.past[1], 0.0).sum(axis=1)
        grown = 2.0 * np.log(min(self.steps + 1.0, self.window))
        some = np.maximum(count, 1)
        scores = total / some + self.scale * np.sqrt(grown / some)
        return np.where(count > 0, scores, np.finfo(float).max)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        del contexts
        note("add", (2, 1))
        self.past[:, self.steps % self.window] = arm + 1.0, reward
