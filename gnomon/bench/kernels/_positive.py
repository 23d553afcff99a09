"""Positive definite operands, and how far errors in them spread into an inverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps


def mirrored(matrix: Steps) -> Steps:
    """Its lower triangle, and that above the diagonal too."""
    return np.asarray(np.tril(matrix) + np.tril(matrix, -1).T)


def positive_definite(fixed: FixedPoint, rng: np.random.Generator, n: int) -> Steps:
    """I + the sum of n outer products of a vector with itself, whose elements are within +-1.

    With that its eigenvalues are at least 1, its elements at most n + 1, and the elements of its
    inverse at most 1. Where the format cannot hold it, the vectors are shorter.
    """
    limit = min(1.0, (2.0 ** (28 - fixed.fraction_bits) / n) ** 0.5)
    room = 2.0 ** (30 - fixed.fraction_bits - fixed.post_shift)  # of sums of vector products
    if room > 1:
        limit = min(limit, ((room - 1) / n) ** 0.5)
    vectors = rng.uniform(-limit, limit, size=(n, n))
    matrix = np.eye(n) + vectors.T @ vectors
    return mirrored(np.round(matrix * 2**fixed.fraction_bits).astype(np.int64))


RANGE = "I + n outer products x x^T, elements of x within +-1"


def spread(inverse: Reals, change: Reals) -> Reals:
    """|inverse| change |inverse|: what a small change of a matrix does to its inverse."""
    size = np.abs(inverse)
    return np.asarray(size @ change @ size)


def inverse_of_positive_definite(fixed: FixedPoint, rng: np.random.Generator, n: int) -> Steps:
    """The inverse of such a matrix, rounded, and symmetric."""
    inverse = np.linalg.inv(fixed.to_real(positive_definite(fixed, rng, n)))
    return mirrored(np.round(inverse * 2**fixed.fraction_bits).astype(np.int64))


INVERSE_RANGE = f"a the inverse of {RANGE}"
