"""EK-UCB without its history: past states have no part in a new direction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn.kernel_ucb._kernels import dots, rank_one, solve_lower
from gnomon.learn.kernel_ucb._whitened import Whitened
from gnomon.learn.learner import whole

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats

RULES = ("novelty", "sampling")


class HistoryFreeKernelUCB(Whitened):
    """Ours: memory O(m^2 + m D) whatever t, and no step that grows with it.

    The width is a heuristic here, not a proven bound: the projection of a sum of outer products is
    not below the sum.

    Args:
        rule: ``novelty``: a state is added if it is far enough from the span of the anchors; draws
            nothing. ``sampling``: as in the other variants.
        most_anchors: none is added beyond that.
        settings: see ``Sampling``; ``smallest_novelty`` is 0.1 here.
    """

    name: ClassVar[str] = "ek-ucb"
    variant: ClassVar[str] = "history-free"

    def __init__(
        self,
        *,
        rule: Literal["novelty", "sampling"] = "novelty",
        most_anchors: int = 64,
        smallest_novelty: float = 0.1,
        **settings: Any,
    ) -> None:
        super().__init__(smallest_novelty=smallest_novelty, **settings)
        if rule not in RULES:
            raise GnomonError(f"rule must be novelty or sampling, not {rule!r}")
        self.rule = rule
        self.most_anchors = whole("most_anchors", most_anchors)

    @property
    def settings(self) -> dict[str, Any]:
        return {**super().settings, "rule": self.rule, "most_anchors": self.most_anchors}

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        state = self._state_of(contexts, arm)
        column = self._columns(self.anchors, state)[0]
        chance = self._drawn(column) if self.rule == "sampling" else 1.0
        features = solve_lower(self.factor, column[None])[0]
        novelty = 1.0 - float(dots(features, features))
        room = len(self.anchors) < self.most_anchors
        if chance is not None and room and self._is_new(novelty):
            last = self._widen_factor(features, novelty)
            self._widen(state, column, chance)
            features = np.append(features, last)
        rank_one(self.covariance, features)
        self.sums = self.sums + reward * features

    def _widen(self, state: Floats, column: Floats, chance: float) -> None:
        size = len(self.sums)
        covariance: Floats = np.zeros((size + 1, size + 1))
        covariance[:size, :size] = self.covariance
        covariance[size, size] = 1.0 / self.regularisation
        self.covariance = covariance
        self.sums = np.append(self.sums, 0.0)
        self._add_anchor(state, column, chance)
