"""CBKB and CBBKB: dictionaries that are drawn anew, by how uncertain the past states are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gnomon.learn.kernel_ucb._kernels import dots, rank_one, times
from gnomon.learn.kernel_ucb._pairs import Pairs, Rows
from gnomon.learn.kernels import lu_invert
from gnomon.learn.learner import positive

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats

_JITTER = 1e-6  # on kernel matrices of the dictionary: the first state may stand in it twice
_SAMPLES_PER_BATCH = 10.0  # q / C in the authors' code


class BatchKernelBandit(Pairs):
    """CBBKB: a past state stays with the probability q variance, when C of variance came together.

    Between two draws the matrices follow by Sherman-Morrison.

    Args:
        batch: C; q is 10 C.
        settings: see ``Pairs``.

    Attributes:
        played: all states, (t, D).
        rewards: (t).
        members: numbers of the states in the dictionary, (m).
        inverse: of K_ZS K_SZ + lambda K_ZZ, (m, m).
        sums: K_ZS Y, (m).
        kernel_inverse: of K_ZZ, (m, m).
        gathered: variance of the states since the last draw, (1).
    """

    name: ClassVar[str] = "cbbkb"
    variant: ClassVar[str] = "standard"

    def __init__(self, *, batch: float = 10.0, **settings: Any) -> None:
        super().__init__(**settings)
        self.batch = positive("batch", batch)
        self._played, self._rewards = Rows(self.length), Rows()
        self.members: Floats = np.zeros(0)
        self.inverse: Floats = np.zeros((0, 0))
        self.sums: Floats = np.zeros(0)
        self.kernel_inverse: Floats = np.zeros((0, 0))
        self.gathered: Floats = np.zeros(1)
        self.draws = 0  # of the dictionary; not part of the state

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "batch": self.batch}

    @property
    def state(self) -> dict[str, Floats]:
        return {
            "played": self._played.all,
            "rewards": self._rewards.all,
            "members": self.members,
            "inverse": self.inverse,
            "sums": self.sums,
            "kernel_inverse": self.kernel_inverse,
            "gathered": self.gathered,
        }

    @property
    def state_shapes(self) -> dict[str, tuple[int | str, ...]]:
        return {
            "played": ("t", self.length),
            "rewards": ("t",),
            "members": ("m",),
            "inverse": ("m", "m"),
            "sums": ("m",),
            "kernel_inverse": ("m", "m"),
            "gathered": (1,),
        }

    def _restore(self, arrays: dict[str, Floats]) -> None:
        self._played.replace(arrays["played"])
        self._rewards.replace(arrays["rewards"])
        for name in ("members", "inverse", "sums", "kernel_inverse", "gathered"):
            setattr(self, name, np.array(arrays[name]))

    @property
    def anchors(self) -> Floats:
        """The dictionary, (m, D)."""
        rows: Floats = self._played.all[self.members.astype(np.int64)]
        return rows

    def _moments(self, states: Floats) -> tuple[Floats, Floats]:
        columns = self._columns(self.anchors, states)
        weights = times(self.sums[None], self.inverse)[0]
        spread = times(columns, self.inverse - self.kernel_inverse / self.regularisation)
        variances = 1.0 / self.regularisation + dots(columns, spread)
        return dots(columns, weights), variances

    def _scores(self, contexts: Floats) -> Floats:
        means, variances = self._moments(self._states(contexts))
        # Its matrices are made anew, with a jitter: below 0 they are rounding, however far.
        return self._bounds(means, np.maximum(variances, 0.0))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        state = self._state_of(contexts, arm)
        variance = max(float(self._moments(state)[1][0]), 0.0)
        first = not len(self._rewards.all)
        if not first:
            column = self._columns(self.anchors, state)[0]
            rank_one(self.inverse, column)
            self.sums = self.sums + reward * column
        self._played.append(state[0])
        self._rewards.append(reward)
        self.gathered = self.gathered + variance
        if first:
            self.members = np.zeros(1)
            self._rebuild()
            self.gathered = np.zeros(1)
        elif self._due():
            self._draw()
            self.gathered = np.zeros(1)

    def _due(self) -> bool:
        return 1.0 + float(self.gathered[0]) > self.batch

    def _draw(self) -> None:
        """Every past state stays with q times its variance; the first one always."""
        self.draws += 1
        variances = np.maximum(self._moments(self._played.all)[1], 0.0)
        chances = np.minimum(_SAMPLES_PER_BATCH * self.batch * variances, 1.0)
        kept = self._random(len(chances)) < chances
        kept[0] = True
        self.members = np.flatnonzero(kept).astype(np.float64)
        self._rebuild()

    def _rebuild(self) -> None:
        anchors = self.anchors
        kernel = self._columns(anchors, anchors) + _JITTER * np.eye(len(anchors))
        rows = self._columns(anchors, self._played.all)
        self.kernel_inverse = lu_invert(kernel)
        self.inverse = lu_invert(rows.T @ rows + self.regularisation * kernel)
        self.sums = times(self._rewards.all[None], rows)[0]


class KernelBandit(BatchKernelBandit):
    """CBKB: the dictionary is drawn anew in every step; C is 1."""

    name: ClassVar[str] = "cbkb"

    def __init__(self, **settings: Any) -> None:
        super().__init__(batch=1.0, **settings)

    @property
    def settings(self) -> dict[str, Any]:
        return {name: value for name, value in super().settings.items() if name != "batch"}

    def _due(self) -> bool:
        return True
