"""When to explore: a round robin first, then a coin whose odds fall as p / t, or stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.base.errors import GnomonError
from gnomon.learn.epsilon_greedy._exploring import Exploring
from gnomon.learn.learner import share, whole

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats

WARM_UP_STEPS = 30
"""Round robin of the learner with constant odds (a choice; it is not in the paper)."""


class Coin(Exploring):
    """Bento et al.'s exploration: in step t <= p arm t mod K, then with probability p / t any arm.

    Arms count from 0 here, so the first step plays arm 1 and step K plays arm 0, as in the paper.

    Args:
        p: weight of exploration, a whole number from K. None: 10 K.
        settings: see ``Exploring``.
    """

    name: ClassVar[str] = "bento-epsilon-greedy"

    def __init__(self, *, p: int | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        arms = self.sizes.arms
        self.p = 10 * arms if p is None else whole("p", p)
        if self.p < arms:
            raise GnomonError(
                f"p must be at least the number of arms, {arms}, so that each is explored once;"
                f" not {p}"
            )

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "p": self.p}

    def _explored_arm(self) -> int | None:
        step = self.steps + 1
        if step <= self.p:
            return self._arm_in_turn(step)
        if float(self._random()[0]) * step < self.p:
            return self._random_arm()
        return None


def ridge_of(count: Floats | float) -> Floats | float:
    """The ridge of n rewards: sqrt(n), which is lambda_n = 1 / sqrt(n) times n."""
    return count**0.5


class ConstantCoin(Exploring):
    """The same with a coin whose odds stay: regret grows linearly.

    Args:
        epsilon: probability of exploring a step after the first 30.
        settings: see ``Exploring``.
    """

    name: ClassVar[str] = "fixed-epsilon-greedy"

    def __init__(self, *, epsilon: float = 0.1, **settings: Any) -> None:
        super().__init__(**settings)
        self.epsilon = share("epsilon", epsilon)

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "epsilon": self.epsilon}

    def _explored_arm(self) -> int | None:
        step = self.steps + 1
        if step <= max(WARM_UP_STEPS, self.sizes.arms):
            return self._arm_in_turn(step)
        if float(self._random()[0]) < self.epsilon:
            return self._random_arm()
        return None
