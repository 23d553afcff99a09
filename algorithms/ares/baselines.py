"""Baselines that ARES is compared with, as learners.

PIES and LinUCB have one fixed window of contexts; D-UCB and SW-UCB look at rewards alone and
forget, by discount and by window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gnomon.content.algorithms.ucb1.learner import UNTRIED, RewardMeans
from gnomon.learn import Learner, Sizes
from gnomon.learn.kernels import Floats, note
from gnomon.learn.settings import positive, share, whole

from .learner import PolicyLearner
from .models import dimension
from .policy import Pies, WindowLinUCB

if TYPE_CHECKING:
    from collections.abc import Sequence


class PiesLearner(PolicyLearner):
    """PIES(s), reconstructed: a fixed window, round robin for a preset time, then no bonus.

    Args:
        window: s.
        exploration: c_E; round robin for k c_E D(s) rounds.
    """

    name, variant = "pies", "standard"

    def __init__(
        self, *, arms: int, dimensions: int, window: int = 2, exploration: int = 20
    ) -> None:
        super().__init__(arms=arms, dimensions=dimensions, windows=window)
        self.window = window
        self.exploration = whole("exploration", exploration)
        self.policy = Pies(self._shape, window, exploration)

    def _note_choice(self) -> None:
        note("matvec", (self.sizes.arms, dimension(self.window, self.sizes.dimensions)))


class WindowLinUCBLearner(PolicyLearner):
    """LinUCB(s): one fixed window and the index of ARES without its truncation term.

    Args:
        window: s.
        bound: B_R and B_G.
    """

    name, variant = "linucb-window", "standard"

    def __init__(self, *, arms: int, dimensions: int, window: int = 2, bound: float = 0.1) -> None:
        super().__init__(arms=arms, dimensions=dimensions, windows=window)
        self.window = window
        self.bound = positive("bound", bound)
        self.policy = WindowLinUCB(self._shape, window, self.bound)


class DiscountedUcbLearner(RewardMeans):
    """D-UCB, without contexts: the largest mean + scale sqrt(2 ln(n) / n_i), the past discounted.

    n_i is the discounted count of an arm, n the sum of all of them, as in section 2 of Garivier and
    Moulines (2011): it stays below 1 / (1 - discount), so the bonus of an arm cannot grow for ever.

    Args:
        dimensions: accepted, so that all learners take the same rounds.
        discount: of the past, each round; of counts and sums.
        scale: of the width.
    """

    name, variant = "d-ucb", "standard"

    def __init__(
        self, *, arms: int, dimensions: int, discount: float = 0.99, scale: float = 0.1
    ) -> None:
        super().__init__(arms=arms, dimensions=dimensions)
        self.discount = share("discount", discount)
        self.scale = positive("scale", scale)

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        note("add", (len(self.count), 1))
        note("divide", (len(self.count), 2))
        note("log", (1,))
        note("sqrt", self.count.shape)
        return self._bounds(self.scale, float(np.log(max(self.count.sum(), 1.0))))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        note("add", (2, 1))
        self.count *= self.discount
        self.total *= self.discount
        super()._learn(contexts, arm, reward)


class WindowUcbLearner(Learner):
    """SW-UCB: UCB over the last rounds only.

    Args:
        dimensions: accepted, so that all learners take the same rounds.
        window: rounds that count.
        scale: of the width.
    """

    name, variant = "sw-ucb", "standard"
    keeps: ClassVar[tuple[str, ...]] = ("past",)

    def __init__(
        self, *, arms: int, dimensions: int, window: int = 100, scale: float = 0.1
    ) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.window = whole("window", window)
        self.scale = positive("scale", scale)
        # arm + 1 and reward of each of the last rounds, 0 for none, (2, window)
        self.past: Floats = np.zeros((2, window))

    def _scores(self, contexts: Floats) -> Floats:
        del contexts
        note("divide", (self.sizes.arms, 2))
        note("sqrt", (self.sizes.arms,))
        own = self.past[0] == np.arange(1, self.sizes.arms + 1)[:, None]
        count = own.sum(axis=1)
        total = np.where(own, self.past[1], 0.0).sum(axis=1)
        grown = 2.0 * np.log(min(self.steps + 1.0, self.window))
        some = np.maximum(count, 1)
        means: Floats = total / some
        if self._exploiting:
            return means
        scores = means + self.scale * np.sqrt(grown / some)
        return np.where(count > 0, scores, UNTRIED)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        del contexts
        note("add", (2, 1))
        self.past[:, self.steps % self.window] = arm + 1.0, reward

    def _renumbered(
        self, state: dict[str, Floats], kept: Sequence[int | None]
    ) -> dict[str, Floats]:
        arms = np.zeros_like(state["past"][0])  # rounds of removed arms stay empty
        for new, old in enumerate(kept):
            if old is not None:
                arms[state["past"][0] == old + 1] = new + 1
        return {"past": np.stack([arms, state["past"][1]])}
