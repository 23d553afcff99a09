"""K-UCB: kernel ridge regression on all that was ever played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn._trace import note
from gnomon.learn.kernel_ucb._kernels import dots, times
from gnomon.learn.kernel_ucb._pairs import Pairs, Rows

if TYPE_CHECKING:
    from gnomon.learn._kernels import Floats


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
        self._inverse: Floats = np.zeros((16, 16))

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
        count = len(self._rewards.all)
        return self._inverse[:count, :count]

    @property
    def state_shapes(self) -> dict[str, tuple[int | str, ...]]:
        return {"played": ("t", self.length), "rewards": ("t",), "inverse": ("t", "t")}

    def _restore(self, arrays: dict[str, Floats]) -> None:
        self._played.replace(arrays["played"])
        self._rewards.replace(arrays["rewards"])
        self._inverse = np.array(arrays["inverse"])

    def _scores(self, contexts: Floats) -> Floats:
        columns = self._columns(self._played.all, self._states(contexts))
        weights = times(columns, self.inverse)
        variances = (1.0 - dots(columns, weights)) / self.regularisation
        return self._bounds(dots(weights, self._rewards.all), variances)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        state = self._state_of(contexts, arm)
        column = self._columns(self._played.all, state)[0]
        self._grow(column)
        self._played.append(state[0])
        self._rewards.append(reward)

    def _grow(self, column: Floats) -> None:
        """The inverse with one more row and column, in place."""
        count = len(column)
        if count == len(self._inverse):
            larger = np.zeros((2 * count, 2 * count))
            larger[:count, :count] = self._inverse
            self._inverse = larger
        inverse = self._inverse[:count, :count]
        corner = 1.0 + self.regularisation
        if count:
            note("grow_inverse", (count,))
        w = inverse @ column
        schur = corner - float(column @ w)
        inverse += w[:, None] * (w / schur)[None, :]
        self._inverse[count, :count] = self._inverse[:count, count] = -w / schur
        self._inverse[count, count] = 1.0 / schur
