"""Arithmetic and matrix functions of the paper code in integers, bit for bit: scalar core
and vector unit.

Written from the statement in ``docs/notes/paper-code.md``, not from the C. Matrices are int64
arrays of 32-bit values, with 2^fraction_bits steps to one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gnomon.arch.dividers import Lane

Steps = npt.NDArray[np.int64]

_LOWEST, _HIGHEST = -(2**31), 2**31 - 1
_THIRD = 5  # of the 15 fraction bits


def wrap(value: int) -> int:
    """Return the low 32 bits, signed."""
    return (value - _LOWEST) % 2**32 + _LOWEST


def wrap_each(values: Steps) -> Steps:
    """Return the low 32 bits of each, signed; int64 holds intermediates such as products."""
    return ((values - _LOWEST) & (2**32 - 1)) + _LOWEST


@dataclass(frozen=True, slots=True)
class PaperModel:
    """Fixed-point arithmetic with ``fraction_bits`` fraction bits."""

    fraction_bits: int = 15

    @property
    def one(self) -> int:
        """Number 1."""
        return 1 << self.fraction_bits

    def add(self, a: Steps, b: Steps) -> Steps:
        return wrap_each(a + b)

    def subtract(self, a: Steps, b: Steps) -> Steps:
        return wrap_each(a - b)

    def scale(self, a: Steps, scalar: int) -> Steps:
        """Multiply every element by a number."""
        return wrap_each(self._rounded(a * scalar))

    def divide(self, a: Steps, scalar: int) -> Steps:
        """Divide every element, rounding towards zero; by zero gives the end of the range."""
        if scalar == 0:
            return np.where(a < 0, _LOWEST, _HIGHEST)
        magnitudes = (np.abs(a) << self.fraction_bits) // abs(scalar)
        return wrap_each(np.where((a < 0) == (scalar < 0), magnitudes, -magnitudes))

    def multiply(self, a: Steps, b: Steps) -> Steps:
        """Multiply matrices; each product is rounded, the sum wraps."""
        return wrap_each(self._rounded(a[..., None] * b).sum(axis=-2))

    def _rounded(self, products: Steps) -> Steps:
        """Round products towards zero to ``fraction_bits`` fraction bits."""
        bits = self.fraction_bits
        return np.where(products < 0, -(-products >> bits), products >> bits)

    def inverse(self, a: Steps) -> Steps:
        """Invert by LU factorisation without pivoting."""
        n = len(a)
        lower, upper = self.one * np.eye(n, dtype=np.int64), np.zeros((n, n), dtype=np.int64)
        for i in range(n):
            upper[i, i:] = self.subtract(a[i, i:], self.multiply(lower[i, :i], upper[:i, i:]))
            below = slice(i + 1, n)
            rest = self.subtract(a[below, i], self.multiply(upper[:i, i], lower[below, :i].T))
            lower[below, i] = self.divide(rest, int(upper[i, i]))
        forward = self._substitute(lower, self.one * np.eye(n, dtype=np.int64), range(n))
        return self._substitute(upper, forward, range(n - 1, -1, -1))

    def _substitute(self, triangle: Steps, right: Steps, rows: range) -> Steps:
        solution = np.zeros_like(right)
        for i in rows:
            rest = self.subtract(right[i], self.multiply(triangle[i], solution))
            solution[i] = self.divide(rest, int(triangle[i, i]))  # the diagonal multiplied a zero
        return solution


@dataclass(frozen=True, slots=True)
class VectorModel(PaperModel):
    """Arithmetic with sums of the scalar core; product, division and inverse as on lanes."""

    def multiply(self, a: Steps, b: Steps) -> Steps:
        """Multiply matrices; each product is rounded down, the sum wraps."""
        return wrap_each((a[..., None] * b >> self.fraction_bits).sum(axis=-2))

    def divide(self, a: Steps, scalar: int) -> Steps:
        """Divide every element: dividends scaled by 2^10, the divisor without its last 5 bits."""
        quotients = [self.vector_quotient(x, scalar) for x in a.reshape(-1).tolist()]
        return np.array(quotients, dtype=np.int64).reshape(a.shape)

    def vector_quotient(self, a: int, b: int) -> int:
        """Divide one element; a divisor of 0 to 31 steps gives 0."""
        dividend = wrap(a << 2 * _THIRD)
        return Lane().quotient(dividend, b >> _THIRD)

    def inverse(self, a: Steps) -> Steps:
        """Invert by LU factorisation, row by row."""
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
        z = self._substitute(lower, self.one * np.eye(n, dtype=np.int64), range(n))
        return self._substitute(upper, z, range(n - 1, -1, -1))

    def _eliminate(self, rows: Steps, i: int, inner: int, coefficient: int) -> None:
        rows[i] = self.subtract(rows[i], _thirds(rows[inner], coefficient))

    def _substitute(self, triangle: Steps, right: Steps, rows: range) -> Steps:
        solution = np.zeros_like(right)
        for i in rows:
            total = _thirds(triangle[i][:, None], solution).sum(axis=0)
            solution[i] = self.divide(self.subtract(right[i], total), int(triangle[i, i]))
        return solution


def _thirds(a: Steps, b: Steps | int) -> Steps:
    """Multiply with a split shift: of each factor, then of the low 32 bits of the product."""
    return wrap_each((a >> _THIRD) * (b >> _THIRD)) >> _THIRD
