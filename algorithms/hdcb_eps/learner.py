"""HD-CB with epsilon-greedy exploration, and with binarized hypervectors. OUR READING."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gnomon.content.algorithms.hdcb.hypervectors import Exploring
from gnomon.learn.kernels import Floats
from gnomon.learn.settings import whole


class GreedyHDCB(Exploring):
    """HD-CB_EPS, our reading: A_a += w X, w from -1 for the lowest reward to 1 for the highest.

    The name of the variant is from a third-party summary; the equations are inferred.

    Args:
        weights: w is a whole number of steps of 1 / ``weights``. Cosines do not depend on it, but
            components stop at 32767 of these steps.
        settings: as for the encoder and the exploration.
    """

    name: ClassVar[str] = "hdcb-eps"
    variant: ClassVar[str] = "standard"

    def __init__(self, *, weights: int = 8, **settings: Any) -> None:
        super().__init__(**settings)
        self.weights = whole("weights", weights)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        self._add(self.rewards, arm, self.weight(reward) * self.encode(contexts[arm]))
        self.plays[arm] += 1


class BinaryHDCB(GreedyHDCB):
    """HD-CB_BIN, our reading: A_a becomes its signs after every ``period`` plays of the arm.

    The abstract of arXiv 2605.13346 names periodic binarization as the low-precision baseline; a
    paper of this name exists, but was not seen.
    """

    variant: ClassVar[str] = "binary"

    def __init__(self, *, period: int = 100, **settings: Any) -> None:
        super().__init__(**settings)
        self.period = whole("period", period)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        super()._learn(contexts, arm, reward)
        if self.plays[arm] % self.period == 0:
            row = np.asarray(self.rewards)[arm]
            np.sign(row, out=row)
