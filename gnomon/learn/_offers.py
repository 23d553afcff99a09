"""The arms on offer in a round, and how learners take one of them."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from gnomon.learn._inputs import Arms, Inputs
from gnomon.learn.kernels import Floats, argmax, uniform

Value = TypeVar("Value")


class Offers(Inputs):
    """Arms on offer; None: all. ``generator`` is that of the learner."""

    generator: np.random.Generator | None
    _on_offer: Arms | None

    def _offering(self, arms: Arms | None, use: Callable[[], Value]) -> Value:
        self._on_offer = arms
        try:
            return use()
        finally:
            self._on_offer = None

    def _surely(self, arm: int) -> Floats:
        """All probability on one arm."""
        chances: Floats = np.zeros(self.sizes.arms)
        chances[arm] = 1.0
        return chances

    def _evenly(self) -> Floats:
        """Any arm on offer, each as likely."""
        chances: Floats = np.zeros(self.sizes.arms)
        chances[slice(None) if self._on_offer is None else self._on_offer] = 1.0 / self._offers()
        return chances

    def _random(self, count: int = 1) -> Floats:
        """Numbers from 0 up to 1 from the generator."""
        assert self.generator is not None
        return uniform(self.generator, count)

    def _offered(self, values: Floats) -> Floats:
        """Of one value for each arm, those of the arms on offer."""
        return values if self._on_offer is None else values[self._on_offer]

    def _offered_arm(self, index: int) -> int:
        """The arm with this index among those on offer."""
        return index if self._on_offer is None else int(self._on_offer[index])

    def _offers(self) -> int:
        """How many arms are on offer."""
        return self.sizes.arms if self._on_offer is None else len(self._on_offer)

    def _best(self, scores: Floats) -> int:
        """The arm with the highest score; of equal scores, the lowest arm."""
        return self._offered_arm(argmax(self._offered(scores)))

    def _random_arm(self) -> int:
        """Any arm, each as likely."""
        return self._offered_arm(int(self._random()[0] * self._offers()))

    def _arm_in_turn(self, turn: int) -> int:
        """One arm after the other."""
        return self._offered_arm(turn % self._offers())
