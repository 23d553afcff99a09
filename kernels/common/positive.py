"""Positive definite operands, and error propagation into an inverse and its updates."""

import numpy as np

from gnomon.content.kernels.common.divide import divide_shifted_bound
from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import FixedPoint, Reals, Rng, Steps


def mirrored(matrix: Steps) -> Steps:
    """Return the symmetric matrix that has the lower triangle of ``matrix``."""
    return np.asarray(np.tril(matrix) + np.tril(matrix, -1).T)


def positive_definite(fixed: FixedPoint, rng: Rng, n: int) -> Steps:
    """Sample I + the sum of n outer products v v^T; elements of v are within +-1.

    So its eigenvalues are at least 1, its elements at most n + 1, and the elements of its
    inverse at most 1. If the format cannot represent these elements, the vectors are shorter.
    """
    limit = min(1.0, (2.0 ** (28 - fixed.fraction_bits) / n) ** 0.5)
    room = 2.0 ** (30 - fixed.fraction_bits - fixed.post_shift)  # range of sums of vector products
    if room > 1:
        limit = min(limit, ((room - 1) / n) ** 0.5)
    vectors = rng.uniform(-limit, limit, size=(n, n))
    return mirrored(fixed.nearest(np.eye(n) + vectors.T @ vectors))


def inverse_of_positive_definite(fixed: FixedPoint, rng: Rng, n: int) -> Steps:
    """Sample the inverse of a positive definite matrix, rounded and symmetric."""
    matrix = fixed.to_real(positive_definite(fixed, rng, n))
    return mirrored(fixed.nearest(np.asarray(np.linalg.inv(matrix), dtype=np.float64)))


def spread(inverse: Reals, change: Reals) -> Reals:
    """Return |inverse| change |inverse|: first-order change of the inverse of a matrix."""
    size = np.abs(inverse)
    return np.asarray(size @ change @ size)


def exact(a: Reals, u: Reals) -> Reals:
    """Compute the inverse of m + u^T u from the inverse a of m; the rows of u are vectors."""
    u = np.atleast_2d(u)
    v = u @ a
    return np.asarray(a - v.T @ np.linalg.solve(np.eye(len(u)) + u @ v.T, v))


def rank_one_bound(
    fixed: FixedPoint, v: Reals, denominator: float, of_v: Reals, of_sum: float, *, vector: bool
) -> Reals:
    """Return the error bound of a -+ v v^T / denominator from those of |v| and the denominator.

    The bound includes the rounding of every product.
    """
    least = denominator - of_sum
    of_w = (of_v + v * of_sum / denominator) / least
    w = v / denominator
    if vector:
        of_w += divide_shifted_bound(v + of_v, least, fixed)
        of_last = fx.shifted_product_bound((w + of_w)[:, None], (v + of_v)[None, :], fixed)
    else:
        of_w += 2 * fixed.step
        of_last = np.array(fixed.step)
    bound = of_w[:, None] * (v + of_v)[None, :] + w[:, None] * of_v[None, :] + of_last
    return np.asarray(bound)


def vector_sum_bounds(fixed: FixedPoint, a: Reals, x: Reals) -> tuple[Reals, float]:
    """Return the error bounds of the sums v = a x and x^T v of the vector unit."""
    v, row = np.abs(a @ x), np.abs(x)[None, :]
    of_v = fx.shifted_matmul_bound(row, a.T, fixed)[0]
    of_sum = fx.shifted_matmul_bound(row, (v + of_v)[:, None], fixed)[0, 0]
    return of_v, float(of_sum + np.abs(x) @ of_v)
