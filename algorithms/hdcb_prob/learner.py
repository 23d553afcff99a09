"""Probabilistic HD-CB: random components move, within a small range. OUR READING."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gnomon.content.algorithms.hdcb.hypervectors import Exploring
from gnomon.learn.kernels import Floats, note
from gnomon.learn.settings import whole


class ProbabilisticHDCB(Exploring):
    """Each component of A_a moves by w X with probability n0 / (n0 + n_a), within -kappa and kappa.

    The abstract of arXiv 2605.13346 states random subsets, a probability that decays with time, and
    the range; the schedule, its constants and w, here -1, 0 or 1, are inferred.

    Args:
        kappa: limit of the components; 3 fits 3 bits.
        n0: plays of an arm after which half of the components move.
        mask_bits: probabilities are rounded up to multiples of 2^-mask_bits.
        settings: as for the encoder and the exploration.
    """

    name: ClassVar[str] = "hdcb-prob"
    variant: ClassVar[str] = "standard"

    def __init__(
        self, *, kappa: int = 3, n0: int = 10, mask_bits: int = 8, **settings: Any
    ) -> None:
        super().__init__(**settings)
        self.kappa = whole("kappa", kappa)
        self.n0 = whole("n0", n0)
        self.mask_bits = whole("mask_bits", mask_bits)

    def _share(self, plays: int) -> int:
        """Return the probability in steps of 2^-mask_bits, rounded up."""
        return -(-(self.n0 << self.mask_bits) // (self.n0 + plays))

    def _mask(self, share: int) -> Floats:
        """Return 1 for each component that moves, (D).

        From the lowest set bit of the share up, OR with a random word averages the probability
        with 1, AND averages it with 0.
        """
        words = (self.components + 31) // 32
        if share >> self.mask_bits:
            return np.ones(self.components)
        first = (share & -share).bit_length() - 1
        note("random", (words * (self.mask_bits - first),))
        drawn = self._draw(words * (self.mask_bits - first)).reshape(words, -1)
        mask = np.zeros(words, dtype=np.int64)
        for at, column in enumerate(drawn.T, start=first):
            mask = mask | column if share >> at & 1 else mask & column
        bits = mask[:, None] >> np.arange(32) & 1
        return bits.reshape(-1)[: self.components].astype(np.float64)

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        self.plays[arm] += 1
        weight = self.weight(reward)
        if weight:
            mask = self._mask(self._share(int(self.plays[arm])))
            step = weight * mask * self.encode(contexts[arm])
            self._add(self.rewards, arm, step, self.kappa)
