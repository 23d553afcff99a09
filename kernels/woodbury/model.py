"""``woodbury``: inverse of a matrix to which several outer products are added."""

from collections.abc import Callable
from functools import partial

import numpy as np

from gnomon.arch import Architecture
from gnomon.content.kernels.common import positive
from gnomon.content.kernels.common.positive import exact as exact
from gnomon.content.kernels.invert_symmetric.model import ldl, ldl_bound
from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Operands, Reals, Rng, Status, Steps


def generate(fixed: FixedPoint, rng: Rng, n: int, rank: int) -> Operands:
    limit = min(1.0, 2.0 ** (28 - fixed.fraction_bits - fixed.post_shift)) / rank**0.5
    return positive.inverse_of_positive_definite(fixed, rng, n), fx.uniform(
        fixed, rng, (rank, n), limit
    )


def scalar(fixed: FixedPoint, a: Steps, u: Steps) -> Answer:
    rank, n = u.shape
    seen = fx.Range()
    seen.see(u)
    v = seen.floor(fx.wide_dot(u, a.T), fixed)
    seen.see(v)
    ones = np.eye(rank, dtype=np.int64) << 2 * fixed.fraction_bits
    rows, columns = np.tril_indices(rank)
    s = np.zeros((rank, rank), dtype=np.int64)
    s[rows, columns] = seen.floor((ones + fx.wide_dot(u, v.T))[rows, columns], fixed)
    status = seen.status(max(n, rank))
    if status is Status.OK:
        s, status = ldl(fixed, s)
    if status is not Status.OK:
        return a, status
    w = seen.floor(fx.wide_dot(s, v), fixed)
    if seen.lost:
        return a, Status.OVERFLOW
    return positive.mirrored(fx.wrap(a - fx.wide_floor_wrap(fx.wide_dot(w.T, v), fixed))), Status.OK


def vector(fixed: FixedPoint, a: Steps, u: Steps) -> Answer:
    v = fx.shifted_matmul(u, a.T, fixed)
    s = fx.wrap(fx.shifted_matmul(u, v.T, fixed) + np.eye(len(u), dtype=np.int64) * fixed.one)
    inverse, status = ldl(fixed, s)
    if status is not Status.OK:
        return a, status
    w = fx.shifted_matmul(inverse, v, fixed)
    return fx.wrap(a - fx.shifted_matmul(w.T, v, fixed)), Status.OK


def _bound(fixed: FixedPoint, a: Reals, u: Reals, lost: Callable[[Reals, Reals], Reals]) -> Reals:
    """Bound the result: every product spreads its operands' errors and adds its rounding error."""
    v = u @ a.T
    s = np.eye(len(u)) + u @ v.T
    inverse = np.asarray(np.linalg.inv(s), dtype=np.float64)
    w = np.abs(inverse @ v)
    of_v = lost(np.abs(u), np.abs(a.T))
    size_v = np.abs(v) + of_v
    of_s = np.abs(u) @ of_v.T + lost(np.abs(u), size_v.T)
    of_inverse = 1.5 * positive.spread(inverse, np.maximum(of_s, of_s.T)) + ldl_bound(fixed, s)
    size_inverse = np.abs(inverse) + of_inverse
    of_w = of_inverse @ size_v + np.abs(inverse) @ of_v + lost(size_inverse, size_v)
    of_last = lost((w + of_w).T, size_v)
    bound = np.asarray(of_w.T @ size_v + w.T @ of_v + of_last)
    return np.maximum(bound, bound.T)


def scalar_bound(fixed: FixedPoint, a: Reals, u: Reals) -> Reals:
    return _bound(fixed, a, u, lambda one, other: np.full((len(one), other.shape[1]), fixed.step))


def vector_bound(fixed: FixedPoint, a: Reals, u: Reals) -> Reals:
    return _bound(fixed, a, u, partial(fx.shifted_matmul_bound, fixed=fixed))


def rank_obstacle(architecture: Architecture, fixed: FixedPoint, n: int, rank: int) -> str | None:
    assert architecture.vcu is not None
    size = int(architecture.vcu.scratchpads.size)
    if rank <= size // 8 - 1:
        return None
    return (
        f"a rank of {rank} is too much for scratchpads of {size} bytes"
        f" (at most {size // 8 - 1}, vcu.scratchpads.size)"
    )
