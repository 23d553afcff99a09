"""The tuned disjoint learner in plain integers, bit for bit: slow, and easy to read.

Written from the statement in ``docs/notes/tuned-code.md``. ``words`` is the model as the C lays it
out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from gnomon.content.algorithms.linucb_paper.arithmetic import Steps, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.measure.learners import EmbeddedSizes

_LARGEST_SCALE = 15
_ONE = 1 << 30


def _high(a: int, b: int) -> int:
    return a * b >> 32


def _post_scaled(a: int, b: int) -> int:
    return wrap(a * b >> 15)


def _shifted(value: int, right: int) -> int:
    return value >> min(right, 31) if right >= 0 else wrap(value << -right)


def _sum(values: Iterable[int]) -> int:
    return wrap(sum(values))


def _reciprocal(t: int, k: int) -> tuple[int, int]:
    """1 / (4^k + t) is factor 2^-shift; t in Q30."""
    up = max(k, 0)
    denominator = (1 << 30 + 2 * (k - up)) + (max(t, 0) >> 2 * up if up <= 15 else 0)
    zeros = 32 - denominator.bit_length()
    return (2**32 - 1) // (denominator << zeros >> 16), 18 + 2 * up - zeros


class TunedDisjoint(ABC):
    """What both variants do alike."""

    def __init__(self, sizes: EmbeddedSizes, alpha: int) -> None:
        """Start with a fresh model."""
        self.sizes = sizes
        self.alpha = alpha
        self.theta = [[0] * sizes.d for _ in range(sizes.arms)]
        self.scale = [0] * sizes.arms

    def select(self, context: Steps) -> tuple[int, list[int]]:
        """The arm of the highest score, the lowest of equals, and all scores."""
        x = [int(value) for value in context]
        scores = [self._score(arm, x) for arm in range(self.sizes.arms)]
        return scores.index(max(scores)), scores

    def _score(self, arm: int, x: list[int]) -> int:
        k = self._exponent(x)
        mean, t = self._mean(arm, x), self._variance(arm, x, k)
        if t <= 0:
            return mean
        pairs = (32 - t.bit_length()) // 2
        root = isqrt(t << 2 * pairs)
        return wrap(mean + (self.alpha * root >> 15 + k + self.scale[arm] + pairs))

    @staticmethod
    def _exponent(x: list[int]) -> int:
        squares = sum(value * value >> 15 for value in x) + len(x)
        return (15 - (squares % 2**32).bit_length()) // 2

    def _grow(self, arm: int, trace: int) -> int:
        """What the kept matrix is multiplied by."""
        above = trace + self.sizes.d
        if above <= 0:
            return 1
        growth = (22 - above.bit_length()) // 2
        growth = max(0, min(growth, _LARGEST_SCALE - self.scale[arm]))
        self.scale[arm] += growth
        return int(4**growth)

    def words(self) -> Steps:
        """The model as the C lays it out."""
        arms = [
            [*self._kept(arm), *self.theta[arm], self.scale[arm]] for arm in range(self.sizes.arms)
        ]
        return np.array(arms, dtype=np.int64).reshape(-1)

    @abstractmethod
    def _kept(self, arm: int) -> list[int]: ...

    @abstractmethod
    def _mean(self, arm: int, x: list[int]) -> int: ...

    @abstractmethod
    def _variance(self, arm: int, x: list[int], k: int) -> int: ...

    @abstractmethod
    def update(self, arm: int, reward: int, context: Steps) -> None:
        """Learn the reward of an arm under a context."""


class TunedDisjointScalar(TunedDisjoint):
    """The lower triangle, with upper halves of products."""

    def __init__(self, sizes: EmbeddedSizes, alpha: int) -> None:
        """Start with a fresh model."""
        super().__init__(sizes, alpha)
        d = sizes.d
        fresh = [[_ONE if i == j else 0 for j in range(i + 1)] for i in range(d)]
        self.rows = [[list(row) for row in fresh] for _ in range(sizes.arms)]

    def _kept(self, arm: int) -> list[int]:
        return [value for row in self.rows[arm] for value in row]

    def _mean(self, arm: int, x: list[int]) -> int:
        total = sum(a * b for a, b in zip(self.theta[arm], x, strict=True))
        total = (total + 2**63) % 2**64 - 2**63
        return wrap(total >> 20)

    @staticmethod
    def _scaled(x: list[int], k: int) -> list[int]:
        return [wrap(value << k + 16) for value in x]

    def _variance(self, arm: int, x: list[int], k: int) -> int:
        y = self._scaled(x, k)
        t = 0
        for i, row in enumerate(self.rows[arm]):
            below = _sum(_high(row[j], y[j]) for j in range(i))
            t += _high(wrap(2 * below + _high(row[i], y[i])), y[i])
        return wrap(t << 2)

    def update(self, arm: int, reward: int, context: Steps) -> None:
        """Learn the reward of an arm under a context."""
        x = [int(value) for value in context]
        rows, d, scale = self.rows[arm], self.sizes.d, self.scale[arm]
        k = self._exponent(x)
        y, both = self._scaled(x, k), k + scale
        fine = [_sum(_high(rows[max(i, j)][min(i, j)], y[j]) for j in range(d)) for i in range(d)]
        v = [wrap(value << 1) for value in fine]
        t = _sum(map(_high, fine, y))
        factor, shift = _reciprocal(wrap(t << 2), both)
        weight = wrap(wrap(reward - self._mean(arm, x)) << 7)
        w = [_shifted(_high(value, wrap(factor << 13)), shift - 20 - both) for value in v]
        changes = [_high(value >> scale, weight) + 1 >> 1 for value in w]
        self.theta[arm] = [wrap(a + b) for a, b in zip(self.theta[arm], changes, strict=True)]
        for i in range(d):
            for j in range(i + 1):
                change = _shifted(wrap(_high(w[i], v[j]) << max(1 - both, 0)), max(both - 1, 0))
                rows[i][j] = wrap(rows[i][j] - change)
        factor = self._grow(arm, _sum(rows[i][i] >> 8 for i in range(d)))
        self.rows[arm] = [[wrap(value * factor) for value in row] for row in rows]


class TunedDisjointVector(TunedDisjoint):
    """Cyclic diagonals, with post-scaled products."""

    def __init__(self, sizes: EmbeddedSizes, alpha: int) -> None:
        """Start with a fresh model."""
        super().__init__(sizes, alpha)
        d = sizes.d
        fresh = [[0 if k else _ONE] * d for k in range(d // 2 + 1)]
        self.diagonals = [[list(row) for row in fresh] for _ in range(sizes.arms)]

    def _kept(self, arm: int) -> list[int]:
        return [value for row in self.diagonals[arm] for value in row]

    def _mean(self, arm: int, x: list[int]) -> int:
        return _sum(map(_post_scaled, self.theta[arm], x)) >> 5

    def _variance(self, arm: int, x: list[int], k: int) -> int:
        d = self.sizes.d
        y = [_shifted(value, -k) for value in x]
        return _sum(
            _post_scaled(
                value,
                _post_scaled(y[i], y[(i + at) % d] * (1 if at == 0 or 2 * at == d else 2)),
            )
            for at, diagonal in enumerate(self.diagonals[arm])
            for i, value in enumerate(diagonal)
        )

    def update(self, arm: int, reward: int, context: Steps) -> None:
        """Learn the reward of an arm under a context."""
        x = [int(value) for value in context]
        diagonals, d = self.diagonals[arm], self.sizes.d
        k = self._exponent(x)
        both = k + self.scale[arm]
        y = [_shifted(value, -k) for value in x]
        v = [0] * d
        for at, diagonal in enumerate(diagonals):
            for i, value in enumerate(diagonal):
                j = (i + at) % d
                v[i] += _post_scaled(value, y[j])
                if at != 0 and 2 * at != d:
                    v[j] += _post_scaled(value, y[i])
        v = [wrap(value) for value in v]
        factor, shift = _reciprocal(_sum(map(_post_scaled, v, y)), both)
        surprise = wrap(reward - self._mean(arm, x))
        quotients = [_post_scaled(value >> 4, factor) for value in v]
        more = max(0, min(both, 8))
        w = [_shifted(value, shift - 11 - more) for value in quotients]
        v = [value >> 7 + more for value in v]
        for at, diagonal in enumerate(diagonals):
            for i in range(d):
                diagonal[i] = wrap(diagonal[i] - _post_scaled(v[i], w[(i + at) % d]))
        gains = [_post_scaled(_shifted(value, shift - 13 - k), surprise) for value in quotients]
        changes = [wrap(value + 8) >> 4 for value in gains]
        self.theta[arm] = [wrap(a + b) for a, b in zip(self.theta[arm], changes, strict=True)]
        factor = self._grow(arm, _sum(value >> 8 for value in diagonals[0]))
        self.diagonals[arm] = [[wrap(value * factor) for value in row] for row in diagonals]
