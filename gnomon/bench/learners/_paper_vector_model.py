"""The vector kernels of the paper line in plain integers, bit for bit.

Written from the statement in ``docs/paper-line.md``, not from the C. What stays on the scalar core
is inherited.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon.arch.dividers import lane_quotient
from gnomon.bench.learners._paper_model import PaperModel, Steps, wrap

_THIRD = 5  # of the 15 fraction bits


@dataclass(frozen=True, slots=True)
class VectorModel(PaperModel):
    """Sum and difference as on the scalar core; product, division and inverse as on lanes."""

    def multiply(self, a: Steps, b: Steps) -> Steps:
        """Matrix product; each product is rounded down, the sum wraps."""
        shift = self.fraction_bits
        return np.array(
            [
                [wrap(sum(x * y >> shift for x, y in _pairs(row, column))) for column in b.T]
                for row in a
            ],
            dtype=np.int64,
        )

    def divide(self, a: Steps, scalar: int) -> Steps:
        """Every element by a number: dividends scaled by 2^10, the divisor without its last 5."""
        quotients = [self.vector_quotient(x, scalar) for x in a.reshape(-1).tolist()]
        return np.array(quotients, dtype=np.int64).reshape(a.shape)

    def vector_quotient(self, a: int, b: int) -> int:
        """One element of a division; by 0 to 31 steps it is 0."""
        dividend = wrap(a << 2 * _THIRD)
        return lane_quotient(dividend, b >> _THIRD, drops_signs=0, zero_as_riscv=0)

    def inverse(self, a: Steps) -> Steps:
        """Inverse by LU factorisation, row by row."""
        n = len(a)
        upper, lower_t = a.copy(), a.T.copy()
        for i in range(n):
            for inner in range(i):
                self._eliminate(upper, i, inner, int(lower_t[inner, i]))
            for inner in range(i):
                self._eliminate(lower_t, i, inner, int(upper[inner, i]))
            lower_t[i, i:] = self.divide(lower_t[i, i:], int(upper[i, i]))
        lower = lower_t.T.copy()
        np.fill_diagonal(lower, self.one)
        z = self._columns(lower, self.one * np.eye(n, dtype=np.int64), range(n))
        return self._columns(upper, z, range(n - 1, -1, -1))

    def _eliminate(self, rows: Steps, i: int, inner: int, coefficient: int) -> None:
        for j, (own, other) in enumerate(_pairs(rows[i], rows[inner])):
            rows[i, j] = wrap(own - _thirds(other, coefficient))

    def _columns(self, triangle: Steps, right: Steps, order: range) -> Steps:
        solution = np.zeros_like(right)
        for j in range(len(right)):
            for i in order:
                total = sum(_thirds(x, y) for x, y in _pairs(triangle[i], solution[:, j]))
                rest = wrap(int(right[i, j]) - total)
                solution[i, j] = self.vector_quotient(rest, int(triangle[i, i]))
        return solution


def _pairs(a: Steps, b: Steps) -> zip[tuple[int, int]]:
    return zip(a.tolist(), b.tolist(), strict=True)


def _thirds(a: int, b: int) -> int:
    """A product whose shift is shared: each factor first, then what 32 bits keep of it."""
    return wrap((a >> _THIRD) * (b >> _THIRD)) >> _THIRD
