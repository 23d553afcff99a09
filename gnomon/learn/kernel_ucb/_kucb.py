"""K-UCB: kernel ridge regression on all that was ever played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from gnomon.learn.kernel_ucb._growing import GrowingInverse
from gnomon.learn.kernel_ucb._kernels import dots, times
from gnomon.learn.kernel_ucb._pairs import Pairs, Rows

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats


class KernelUCB(Pairs):
    """Also CGP-UCB (Krause and Ong, 2011) with another radius: a step costs O(C t^2).

    Attributes:
        played: states so far, (t, D).
        rewards: (t).
        inverse: of K + lambda I, (t, t).
    """

    name: ClassVar[str] = "k-ucb"
    variant: ClassVar[str] = "standard"

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._played, self._rewards = Rows(self.length), Rows()
        self._inverse = GrowingInverse(self.regularisation)

    @property
    def state(self) -> dict[str, Floats]:
        return {
            "played": self._played.all,
            "rewards": self._rewards.all,
            "inverse": self.inverse,
        }

    @property
    def inverse(self) -> Floats:
        """Of K + lambda I."""
        return self._inverse.all

    @property
    def state_shapes(self) -> dict[str, tuple[int | str, ...]]:
        return {"played": ("t", self.length), "rewards": ("t",), "inverse": ("t", "t")}

    def _restore(self, arrays: dict[str, Floats]) -> None:
        self._played.replace(arrays["played"])
        self._rewards.replace(arrays["rewards"])
        self._inverse.replace(arrays["inverse"])

    def _scores(self, contexts: Floats) -> Floats:
        columns = self._columns(self._played.all, self._states(contexts))
        weights = times(columns, self.inverse)
        variances = (1.0 - dots(columns, weights)) / self.regularisation
        return self._bounds(dots(weights, self._rewards.all), variances)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        state = self._state_of(contexts, arm)
        column = self._columns(self._played.all, state)[0]
        self._inverse.grow(column)
        self._played.append(state[0])
        self._rewards.append(reward)
