"""The tuned hybrid learner in plain integers, bit for bit.

Written from the statement in ``docs/notes/tuned-hybrid.md``, not from the C. The covariance is a
whole n x n matrix here, whatever half of it the C keeps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.content.algorithms.linucb_paper.arithmetic import Steps, wrap

if TYPE_CHECKING:
    from gnomon.measure.learners import EmbeddedSizes

_LOWEST, _HIGHEST = -(2**31), 2**31 - 1
_FIRST_ROOT, _ROOT_SLOPE = 2290059490, 1308605668
_SURPRISE_LIMIT = (512 << 20) - 1
_SMALL = 1 << 20  # of traces in Q22, of sums of means in Q12
_LARGEST_SCALE = 20


def inverse_root(value: int) -> int:
    """1 / sqrt(value), Q31, of a Q30 number from 1 to 4."""
    root = _FIRST_ROOT - (value * _ROOT_SLOPE >> 32)
    for _ in range(3):
        product = value * (root * root >> 32) >> 32
        root = 2 * (root * (3 * 2**30 - 4 * product) >> 32)
    return root


def _saturated(value: int) -> int:
    return min(max(value, _LOWEST), _HIGHEST)


def _shifted(value: int, right: int) -> int:
    return value >> right if right >= 0 else _saturated(value << -right)


def _nearest(value: int, right: int) -> int:
    return value + (1 << right >> 1) >> right if right <= 31 else 0


def _normalised(value: int) -> tuple[int, int]:
    """The number times 4^pairs, from 2^30 up, and pairs."""
    pairs = (32 - value.bit_length()) // 2
    return value << 2 * pairs, pairs


@dataclass(frozen=True, slots=True)
class _Gain:
    factor: int
    pairs: int
    up: int
    mean: int
    mean_right: int


class TunedHybrid(ABC):
    """What both variants do alike: component r of arm a is element a d + r."""

    def __init__(self, sizes: EmbeddedSizes, alpha: int) -> None:
        """Start with a fresh model for features that are all zero."""
        assert sizes.f is not None
        self.sizes = sizes
        self.alpha = alpha
        self.n = sizes.d * sizes.arms
        self._start(np.zeros((sizes.arms, sizes.f), dtype=np.int64))

    def _start(self, features: Steps) -> None:
        d, arms = self.sizes.d, self.sizes.arms
        self.features = features.astype(np.int64)
        products = [[sum(x * y for x, y in zip(a, b, strict=True)) for b in self._rows()]
                    for a in self._rows()]  # fmt: skip
        self.scales = [self._first_scale(2**30 + products[a][a]) for a in range(arms)]
        self.mean = np.zeros(self.n, dtype=np.int64)
        self.covariance = np.zeros((self.n, self.n), dtype=np.int64)
        for a in range(arms):
            for b in range(arms):
                exact = products[a][b] + (2**30 if a == b else 0)
                value = exact >> -(self.scales[a] + self.scales[b])
                for r in range(d):
                    self.covariance[a * d + r, b * d + r] = value

    def _rows(self) -> list[list[int]]:
        rows: list[list[int]] = self.features.tolist()
        return rows

    @staticmethod
    def _first_scale(variance: int) -> int:
        scale = 0
        while scale > -16 and variance > 2 ** (30 - 2 * scale):
            scale -= 1
        return scale

    def own(self, arm: int) -> list[int]:
        """Where the components of an arm stand."""
        d = self.sizes.d
        return list(range(arm * d, (arm + 1) * d))

    def select(self, context: Steps, features: Steps) -> tuple[int, list[int]]:
        """The arm of the highest score, the lowest of equals, and all scores, rounded down."""
        if (features != self.features).any():
            self._start(features)
        x = [int(value) for value in context]
        k = self._exponent(x)
        fine = [self._score(arm, x, k) for arm in range(self.sizes.arms)]
        return fine.index(max(fine)), [score >> 5 for score in fine]

    def _exponent(self, x: list[int]) -> int:
        squares = sum(value * value >> 15 for value in x) + len(x)
        return (15 - (squares % 2**32).bit_length()) // 2

    def _score(self, arm: int, x: list[int], k: int) -> int:
        expected = _shifted(self.predicted(arm, x), self.scales[arm])
        t = self.variance(arm, x, k)
        if t <= 0:
            return expected
        value, pairs = _normalised(t)
        root = value * inverse_root(value) >> 32
        bits = 31 - abs(self.alpha).bit_length() if self.alpha else 0
        width = (self.alpha << bits) * 2 * root >> 32
        return _saturated(expected + _shifted(width, bits - 7 + pairs + self.scales[arm] + k))

    @abstractmethod
    def predicted(self, arm: int, x: list[int]) -> int:
        """psi^T x of an arm, scaled, Q20."""

    @abstractmethod
    def variance(self, arm: int, x: list[int], k: int) -> int:
        """y^T P y of an arm, Q30."""

    def update(self, arm: int, reward: int, context: Steps) -> None:
        """Learn the reward of an arm under a context."""
        x = [int(value) for value in context]
        self._rescale(arm)
        k = self._exponent(x)
        q, t = self.products(arm, x, k)
        expected = _shifted(self.predicted(arm, x), self.scales[arm])
        difference = _saturated(_saturated(reward << 5) - max(expected, -_HIGHEST))
        surprise = min(max(difference, -_SURPRISE_LIMIT), _SURPRISE_LIMIT)
        self.learn(q, self._gain(max(t, 0), surprise, k + self.scales[arm]))

    @abstractmethod
    def products(self, arm: int, x: list[int], k: int) -> tuple[list[int], int]:
        """The product q = P y with the columns of an arm, and t = y^T q of the arm in Q30."""

    @abstractmethod
    def learn(self, q: list[int], gain: _Gain) -> None:
        """Move the means, and take v v^T from the covariance."""

    @staticmethod
    def _gain(t: int, surprise: int, exponent: int) -> _Gain:
        up = max(exponent, 0)
        one = max(2**30 >> 2 * (up - exponent), 1)
        value, pairs = _normalised(one + (t >> 2 * up))
        factor = inverse_root(value)
        return _Gain(factor, pairs, up, surprise * factor >> 31, 2 * up - exponent - pairs)

    def _rescale(self, arm: int) -> None:
        own = self.own(arm)
        trace = sum(int(self.covariance[i, i]) >> 8 for i in own)
        size = sum(abs(int(self.mean[i])) >> 8 for i in own)
        if trace < _SMALL and size < _SMALL and self.scales[arm] < _LARGEST_SCALE:
            self.scales[arm] += 1
            self.mean[own] *= 2
            self.covariance[own, :] *= 2
            self.covariance[:, own] *= 2

    @abstractmethod
    def kept(self) -> list[int]:
        """The covariance as the C lays it out."""

    def words(self) -> list[int]:
        """The model as the C lays it out."""
        return [*self.kept(), *self.mean.tolist(), *self.scales, *self.features.ravel().tolist()]


class ScalarTunedHybrid(TunedHybrid):
    """On the scalar core: upper halves of products."""

    def predicted(self, arm: int, x: list[int]) -> int:
        pairs = zip(self.mean[self.own(arm)].tolist(), x, strict=True)
        return wrap(sum(mean * value for mean, value in pairs) >> 15)

    def variance(self, arm: int, x: list[int], k: int) -> int:
        y, own, t = _in_q31(x, k), self.own(arm), 0
        for r, i in enumerate(own):
            row = [int(value) for value in self.covariance[i, own]]
            below = sum(row[s] * y[s] >> 32 for s in range(r))
            t += wrap(2 * below + (row[r] * y[r] >> 32)) * y[r] >> 32
        return wrap(4 * t)

    def products(self, arm: int, x: list[int], k: int) -> tuple[list[int], int]:
        y, own = _in_q31(x, k), self.own(arm)
        rows = self.covariance[:, own].tolist()
        q = [wrap(sum(p * value >> 32 for p, value in zip(row, y, strict=True))) for row in rows]
        return q, wrap(4 * sum(q[i] * value >> 32 for i, value in zip(own, y, strict=True)))

    def learn(self, q: list[int], gain: _Gain) -> None:
        whole = [wrap(wrap(value << gain.pairs) * gain.factor >> 29) for value in q]
        for i, value in enumerate(whole):
            change = _nearest(value * wrap(4 * gain.mean) >> 32, gain.mean_right + 1)
            self.mean[i] = wrap(int(self.mean[i]) + change)
        v = np.array([_nearest(value, gain.up) for value in whole], dtype=np.int64)
        self.covariance -= v[:, None] * v[None, :] + 2**31 >> 32

    def kept(self) -> list[int]:
        return [int(self.covariance[i, j]) for i in range(self.n) for j in range(i + 1)]


class VectorTunedHybrid(TunedHybrid):
    """On the vector unit: products rounded down by 15 bits.

    An element and its mirror image are kept once, as row i and column i + k with k up to n / 2,
    or twice for k = n / 2; the matrix here is what the kept ones say.
    """

    def predicted(self, arm: int, x: list[int]) -> int:
        pairs = zip(self.mean[self.own(arm)].tolist(), x, strict=True)
        return wrap(sum(mean * value >> 15 for mean, value in pairs))

    def variance(self, arm: int, x: list[int], k: int) -> int:
        y, own, t = _in_q15(x, k), self.own(arm), 0
        for r, i in enumerate(own):
            for s, j in enumerate(own):
                # Of a pair only one is kept, and counts twice; of a middle one both, once each.
                twice = (j - i) % self.n * 2
                if twice <= self.n:
                    weight = y[r] * y[s] >> (8 if twice in (0, self.n) else 7)
                    t += (int(self.covariance[i, j]) >> 7) * weight >> 15
        return wrap(t)

    def products(self, arm: int, x: list[int], k: int) -> tuple[list[int], int]:
        y, own = _in_q15(x, k), self.own(arm)
        rows = self.covariance[:, own].tolist()
        q = [wrap(sum(p * value >> 15 for p, value in zip(row, y, strict=True))) for row in rows]
        return q, wrap(sum(q[i] * value >> 15 for i, value in zip(own, y, strict=True)))

    def learn(self, q: list[int], gain: _Gain) -> None:
        right = 5 - gain.pairs
        scaled = [wrap(value >> right if right >= 0 else value << -right) for value in q]
        whole = [wrap(value * (gain.factor >> 11) >> 15) for value in scaled]
        for i, value in enumerate(whole):
            change = wrap(_nearest(value, 13) * gain.mean >> 15)
            self.mean[i] = wrap(int(self.mean[i]) + _nearest(change, 2 + gain.mean_right))
        fine = [_nearest(value, 6 + gain.up) for value in whole]
        coarse = [_nearest(value, 8 + gain.up) for value in whole]
        for k in range(self.n // 2 + 1):
            for i in range(self.n):
                j = (i + k) % self.n
                rest = int(self.covariance[i, j]) - _nearest(fine[i] * coarse[j] >> 15, 1)
                self.covariance[i, j] = rest
                if 2 * k != self.n:
                    self.covariance[j, i] = rest

    def kept(self) -> list[int]:
        n = self.n
        return [int(self.covariance[i, (i + k) % n]) for k in range(n // 2 + 1) for i in range(n)]


def _in_q31(x: list[int], k: int) -> list[int]:
    return [wrap(value << k + 16) for value in x]


def _in_q15(x: list[int], k: int) -> list[int]:
    return [wrap(value << k) if k >= 0 else value >> -k for value in x]
