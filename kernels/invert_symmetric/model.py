"""``invert-symmetric``: inverse of a positive definite matrix."""

from math import isqrt

import numpy as np

from gnomon.arch import Architecture
from gnomon.content.kernels.common import divide as division
from gnomon.content.kernels.common.positive import mirrored, spread
from gnomon.content.kernels.common.solve import factor_ldl, pivot_error, real_ldl
from gnomon.content.kernels.invert.model import exact as exact
from gnomon.content.kernels.lu.model import generate as generate
from gnomon.measure.kernels import fixed as fx
from gnomon.measure.kernels.fixed import Answer, FixedPoint, Range, Reals, Status, Steps


def ldl(fixed: FixedPoint, a: Steps) -> Answer:
    n = len(a)
    failed = np.zeros_like(a)
    lower, inverse, status = factor_ldl(fixed, a)
    if status is not Status.OK:
        return failed, status
    m = np.eye(n, dtype=np.int64) * fixed.one
    for i in range(1, n):
        seen = Range()
        m[i, :i] = seen.floor(-fx.wide_dot(lower[i, :i], m[:i, :i]), fixed)
        seen.see(m[i, :i])
        if seen.status(n) is not Status.OK:
            return failed, Status.OVERFLOW
    result = np.zeros_like(a)
    for i in range(n):
        seen = Range()
        scaled = np.array(
            [
                division.divide_by_reciprocal(m[k, i : i + 1], inverse[k], seen)[0]
                for k in range(i, n)
            ]
        )
        result[i, : i + 1] = seen.floor(fx.wide_dot(scaled, m[i:, : i + 1]), fixed)
        result[: i + 1, i] = result[i, : i + 1]
        if seen.lost:
            return failed, Status.OVERFLOW
    return result, Status.OK


def ldl_bound(fixed: FixedPoint, a: Reals) -> Reals:
    """Bound the first-order error of all stages, times 1.5 for higher orders.

    In steps, with D of pivots and M = L^-1: the factors are those of a matrix with the error
    ``change``; an element of m has an error of one, spread by A^-1; one of d^-1 m has one,
    spread by m.
    """
    inverse = np.asarray(np.linalg.inv(a), dtype=np.float64)
    lower, _, change = real_ldl(a)
    m = np.abs(np.linalg.inv(lower))
    of_factors = spread(inverse, change)
    of_m = np.abs(inverse).sum(axis=1)
    of_scaled = 2 * m.sum(axis=0)
    total = of_factors + of_m[:, None] + of_m[None, :] + np.maximum.outer(of_scaled, of_scaled)
    return np.asarray((1.5 * total + 1) * fixed.step)


def gauss_jordan(fixed: FixedPoint, a: Steps) -> Answer:
    n = len(a)
    failed = np.zeros_like(a)
    blur = np.zeros(n, dtype=np.int64)
    state = mirrored(a)
    for k in range(n):
        seen = Range()
        pivot = int(state[k, k])
        if pivot <= blur[k]:
            return failed, Status.SINGULAR
        inverse = division.reciprocal(pivot, fixed)
        column = state[:, k].copy()
        scaled = division.divide_by_reciprocal(column, inverse, seen)
        blur += [pivot_error(column[i : i + 1], fixed) for i in range(n)]
        column[k] = scaled[k] = 0
        rows, columns = np.tril_indices(n)
        totals = (state[rows, columns] << fixed.fraction_bits) - column[rows] * scaled[columns]
        state[rows, columns] = seen.floor(totals, fixed)
        state[k, : k + 1] = scaled[: k + 1]
        state[k:, k] = scaled[k:]
        state[k, k] = -division.divide_by_reciprocal(np.array([fixed.one]), inverse, seen)[0]
        state = mirrored(state)
        if seen.lost:
            return failed, Status.OVERFLOW
    return fx.wrap(-state), Status.OK


def gauss_jordan_bound(fixed: FixedPoint, a: Reals) -> Reals:
    """Bound the error: each of the n steps adds a step, and one of a scaled column times a column.

    All columns are as large as the largest element; a step before the last spreads by A^-1 on
    either side, and by no more than the elements of the inverse and of a, which bound all states.
    """
    n = len(a)
    change = np.full((n, n), n * (2 + 2 * float(np.abs(a).max())) * fixed.step)
    size = np.maximum(np.abs(np.linalg.inv(a)), np.eye(n))
    return np.asarray(1.5 * size @ change @ size)


def vector(fixed: FixedPoint, a: Steps) -> Answer:
    n = len(a)
    failed = np.zeros_like(a)
    inverse = np.zeros_like(a)
    extra = max(fixed.pre_shift_a, fixed.pre_shift_b) + 2
    for k in range(n):
        row, corner = a[k : k + 1, :k], int(a[k, k])
        v = np.full(k + 1, -fixed.one, dtype=np.int64)
        v[:k] = fx.shifted_matmul(row, inverse[:k, :k].T, fixed)[0]
        total = fx.shifted_matmul(row, v[:k, None], fixed)[0, 0]
        pivot = int(fx.wrap(corner - total))
        units = (corner >> fixed.fraction_bits) + k
        least = fx.LARGEST if units > fx.LARGEST >> extra else units << extra
        if pivot <= max(0, least):
            return failed, Status.SINGULAR
        divisor, status = division.vector_reciprocal(pivot, fixed)
        if status is not Status.OK:
            return failed, status
        w = division.divide_shifted(v, divisor, fixed)
        product = fx.shifted_product(w[:, None], v[None, :], fixed)
        inverse[: k + 1, : k + 1] = fx.wrap(inverse[: k + 1, : k + 1] + product)
    return inverse, Status.OK


def vector_bound(fixed: FixedPoint, a: Reals) -> Reals:
    """Bound the first-order sum of the errors of each step, times 1.5 for higher orders.

    A change E of the inverse of the leading k x k matrix A_k changes the whole inverse by
    M E M^T with M = A^-1 A_k (first k columns).
    """
    n = len(a)
    whole = np.linalg.inv(a)
    lost_a, lost_b = fixed.lost_a, fixed.lost_b
    total = np.zeros((n, n))
    for k in range(n):
        inverse, row = np.linalg.inv(a[:k, :k]), a[k, :k]
        v = np.append(inverse @ row, -1.0)
        divisor = a[k, k] - row @ v[:k]
        of_row = np.abs(row).sum() * lost_b + k * lost_a * lost_b + fixed.step
        of_v = np.append(np.abs(inverse).sum(axis=1) * lost_a + of_row, 0.0)
        size = np.abs(v)
        of_divisor = np.abs(row) @ of_v[:k] + (size[:k] + of_v[:k]).sum() * lost_a + of_row
        of_w = (of_v + size * of_divisor / divisor) / divisor
        of_w += division.divide_shifted_bound(size + of_v, divisor, fixed)
        w = size / divisor + of_w
        here = of_w[:, None] * (size + of_v) + (size / divisor)[:, None] * of_v
        here += fx.shifted_product_bound(w[:, None], (size + of_v)[None, :], fixed)
        onward = np.abs(whole[:, : k + 1] @ a[: k + 1, : k + 1])
        total += onward @ here @ onward.T
    return np.asarray(1.5 * np.maximum(total, total.T))


def room_obstacle(architecture: Architecture, fixed: FixedPoint, n: int) -> str | None:
    if fixed.fraction_bits + fixed.post_shift > 28:
        return (
            f"with {fixed.fraction_bits} fraction bits and a shift of {fixed.post_shift} after"
            f" products, these hold +-{2.0 ** (31 - fixed.fraction_bits - fixed.post_shift):g};"
            " the kernel needs +-8 (fewer fraction bits, or more shifts before products)"
        )
    assert architecture.vcu is not None
    size = int(architecture.vcu.scratchpads.size)
    if 4 * n**2 <= size:
        return None
    return (
        f"a matrix of {n} x {n} words does not fit a scratchpad of {size} bytes"
        f" (n at most {isqrt(size // 4)}, vcu.scratchpads.size; or use --variant scalar)"
    )
