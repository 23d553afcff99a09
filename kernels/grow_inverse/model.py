"""``grow-inverse``: inverse of a matrix with one more row and column."""

import numpy as np

from gnomon.arch import Architecture
from gnomon.content.kernels.common import divide as division
from gnomon.content.kernels.common.positive import mirrored, rank_one_bound, vector_sum_bounds
from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Operands, Reals, Rng, Status, Steps


def _complement(a: Reals, x: Reals) -> tuple[Reals, float]:
    """Compute u and the Schur complement s of the last element in real numbers."""
    u = np.array(a @ x)
    schur = float(x[-1] - x @ u)
    u[-1] = -1.0
    return u, schur


def exact(a: Reals, x: Reals) -> Reals:
    u, schur = _complement(a, x)
    return np.asarray(a + np.outer(u, u) / schur)


def generate(fixed: FixedPoint, rng: Rng, n: int) -> Operands:
    vectors = rng.uniform(-1, 1, size=(n, n))
    matrix = mirrored(fixed.nearest(np.eye(n) + vectors.T @ vectors / n))
    a = np.zeros((n, n), dtype=np.int64)
    inverse = np.asarray(np.linalg.inv(fixed.to_real(matrix[:-1, :-1])), dtype=np.float64)
    a[:-1, :-1] = mirrored(fixed.nearest(inverse))
    return a, matrix[:, -1].copy()


def scalar(fixed: FixedPoint, a: Steps, x: Steps) -> Answer:
    seen = fx.Range()
    seen.see(x)
    u = seen.floor(fx.wide_dot(a, x), fixed)
    with np.errstate(over="ignore"):
        total = (x[-1:] << fixed.fraction_bits) - fx.wide_dot(x, u)
    schur = int(seen.floor(total, fixed)[0])
    status = seen.status(x.size)
    if status is Status.OK and schur <= 0:
        status = Status.SINGULAR
    if status is not Status.OK:
        return a, status
    u[-1] = -fixed.one
    w = division.divide_by_reciprocal(fx.wrap(-u), division.reciprocal(schur, fixed), seen)
    if seen.lost:
        return a, Status.OVERFLOW
    return mirrored(fx.wrap(a - fx.multiply_floor_wrap(w[:, None], u[None, :], fixed))), Status.OK


def vector(fixed: FixedPoint, a: Steps, x: Steps) -> Answer:
    u = fx.shifted_matmul(x[None, :], a.T, fixed)[0]
    total = fx.shifted_matmul(x[None, :], u[:, None], fixed)[0, 0]
    schur = int(fx.wrap(x[-1] - total))
    if schur <= 0:
        return a, Status.SINGULAR
    inverse, status = division.vector_reciprocal(schur, fixed)
    if status is not Status.OK:
        return a, status
    u[-1] = -fixed.one
    w = division.divide_shifted(u, inverse, fixed)
    return fx.wrap(a + fx.shifted_product(w[:, None], u[None, :], fixed)), Status.OK


def scalar_bound(fixed: FixedPoint, a: Reals, x: Reals) -> Reals:
    u, schur = _complement(a, x)
    of_u = np.full(u.size, fixed.step)
    of_u[-1] = 0.0
    of_sum = float(np.abs(x[:-1]).sum() + 1) * fixed.step
    bound = rank_one_bound(fixed, np.abs(u), schur, of_u, of_sum, vector=False)
    return np.maximum(bound, bound.T)


def vector_bound(fixed: FixedPoint, a: Reals, x: Reals) -> Reals:
    u, schur = _complement(a, x)
    others = x.copy()
    others[-1] = 0.0  # multiplies zeros only, and is not shifted
    of_u, of_sum = vector_sum_bounds(fixed, a, others)
    of_u[-1] = 0.0
    return rank_one_bound(fixed, np.abs(u), schur, of_u, of_sum, vector=True)


def room_obstacle(architecture: Architecture, fixed: FixedPoint, n: int) -> str | None:
    """Return why a quotient or product of -1, the last element of u, would wrap, or None."""
    room = min(fixed.pre_shift_a + 16, 30 - fixed.post_shift)
    if fixed.fraction_bits <= room:
        return None
    return (
        f"{fixed.fraction_bits} fraction bits leave no room for products of 1 (at most {room} with"
        f" {fixed.pre_shift_a} and {fixed.pre_shift_b} bits before a product)"
    )
