"""``invert-symmetric``: inverse of a positive definite matrix."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._divide import LARGEST
from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps, wrap
from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Status, Variant
from gnomon.bench.kernels._ldl import factor_ldl
from gnomon.bench.kernels._multiply import shifted_product, shifted_product_bound, sum_then_shift
from gnomon.bench.kernels._positive import RANGE, positive_definite, spread
from gnomon.bench.kernels._reciprocal import (
    divide_by_reciprocal,
    divide_shifted,
    divide_shifted_bound,
    reciprocal,
    vector_reciprocal,
)
from gnomon.bench.kernels._solve import pivot_error
from gnomon.bench.kernels._wide import Range, wide_dot

if TYPE_CHECKING:
    from gnomon.arch import Architecture

    Answer = tuple[Steps, Status]


def invert_ldl(fixed: FixedPoint, a: Steps) -> Answer:
    """``fx_invert_symmetric_scalar_floor_checked``."""
    n = len(a)
    failed = np.zeros_like(a)
    lower, inverse, status = factor_ldl(fixed, a)
    if status is not Status.OK:
        return failed, status
    m = np.eye(n, dtype=np.int64) * (1 << fixed.fraction_bits)
    for i in range(1, n):
        seen = Range()
        m[i, :i] = seen.floor(-wide_dot(lower[i, :i], m[:i, :i]), fixed)
        seen.see(m[i, :i])
        if seen.status(n) is not Status.OK:
            return failed, Status.OVERFLOW
    result = np.zeros_like(a)
    for i in range(n):
        seen = Range()
        scaled = np.array(
            [divide_by_reciprocal(m[k, i : i + 1], inverse[k], seen)[0] for k in range(i, n)]
        )
        result[i, : i + 1] = seen.floor(wide_dot(scaled, m[i:, : i + 1]), fixed)
        result[: i + 1, i] = result[i, : i + 1]
        if seen.lost:
            return failed, Status.OVERFLOW
    return result, Status.OK


def ldl_bound(fixed: FixedPoint, a: Reals) -> Reals:
    """First-order error of all stages, and half as much again for the rest.

    With D of pivots, M = L^-1 and steps as unit: an element of l d is off by one, so is one of l
    (a little more by its reciprocal), which the factor d_k l_jk of each product spreads; an element
    of m is off by one, which A^-1 spreads; one of d^-1 m is off by one, which m spreads.
    """
    inverse = np.asarray(np.linalg.inv(a), dtype=np.float64)
    cholesky = np.linalg.cholesky(a)
    pivots = np.diag(cholesky) ** 2
    lower = cholesky / np.diag(cholesky)[None, :]
    m = np.abs(np.linalg.inv(lower))
    change = 2 + 2 * (np.abs(lower) * pivots[None, :]).sum(axis=1)
    of_factors = spread(inverse, np.maximum(change[:, None], change[None, :]))
    of_m = np.abs(inverse).sum(axis=1)
    of_scaled = 2 * m.sum(axis=0)
    total = of_factors + of_m[:, None] + of_m[None, :] + np.maximum.outer(of_scaled, of_scaled)
    return np.asarray((1.5 * total + 1) * fixed.step)


def _gauss_jordan(fixed: FixedPoint, operands: Operands) -> Answer:
    a = operands[0]
    n = len(a)
    failed = np.zeros_like(a)
    blur = np.zeros(n, dtype=np.int64)
    state = np.tril(a) + np.tril(a, -1).T
    for k in range(n):
        seen = Range()
        pivot = int(state[k, k])
        if pivot <= blur[k]:
            return failed, Status.SINGULAR
        inverse = reciprocal(pivot, fixed)
        column = state[:, k].copy()
        scaled = divide_by_reciprocal(column, inverse, seen)
        blur += [pivot_error(column[i : i + 1], fixed) for i in range(n)]
        column[k] = scaled[k] = 0
        rows, columns = np.tril_indices(n)
        totals = (state[rows, columns] << fixed.fraction_bits) - column[rows] * scaled[columns]
        state[rows, columns] = seen.floor(totals, fixed)
        state[k, : k + 1] = scaled[: k + 1]
        state[k:, k] = scaled[k:]
        one = np.array([1 << fixed.fraction_bits])
        state[k, k] = -divide_by_reciprocal(one, inverse, seen)[0]
        state = np.tril(state) + np.tril(state, -1).T
        if seen.lost:
            return failed, Status.OVERFLOW
    return wrap(-state), Status.OK


def _gauss_jordan_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    """Each of the n steps is off by a step, and by one of the scaled column times a column.

    All columns are as large as the largest element; a step before the last spreads by A^-1 on
    either side, and by no more than the elements of the inverse and of a, which bound all states.
    """
    a = fixed.to_real(operands[0])
    n = len(a)
    largest = float(np.abs(a).max())
    change = np.full((n, n), n * (2 + 2 * largest) * fixed.step)
    size = np.maximum(np.abs(np.linalg.inv(a)), np.eye(n))
    return np.asarray(1.5 * size @ change @ size)


def _vector(fixed: FixedPoint, operands: Operands) -> Answer:
    """``fx_invert_symmetric_vector_floor_checked``."""
    a = operands[0]
    n = len(a)
    one = 1 << fixed.fraction_bits
    failed = np.zeros_like(a)
    inverse = np.zeros_like(a)
    extra = max(fixed.pre_shift_a, fixed.pre_shift_b) + 2
    for k in range(n):
        row, corner = a[k : k + 1, :k], int(a[k, k])
        v = np.full(k + 1, -one, dtype=np.int64)
        v[:k] = sum_then_shift(fixed, (row, inverse[:k, :k].T))[0]
        total = sum_then_shift(fixed, (row, v[:k, None]))[0, 0]
        pivot = int(wrap(corner - total))
        units = (corner >> fixed.fraction_bits) + k
        least = LARGEST if units > LARGEST >> extra else units << extra
        if pivot <= max(0, least):
            return failed, Status.SINGULAR
        divisor, status = vector_reciprocal(pivot, fixed)
        if status is not Status.OK:
            return failed, status
        w = divide_shifted(v, divisor, fixed)
        product = shifted_product(fixed, w[:, None], v[None, :])
        inverse[: k + 1, : k + 1] = wrap(inverse[: k + 1, : k + 1] + product)
    return inverse, Status.OK


def _vector_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    """First-order sum of what each step adds, and half as much again for the rest.

    A change of the inverse of the leading k x k matrix A_k changes the whole inverse by itself
    between A^-1 A_k (first k columns) and its transpose.
    """
    a = fixed.to_real(operands[0])
    n = len(a)
    whole = np.linalg.inv(a)
    lost_a, lost_b = (fixed.step * 2**shift for shift in (fixed.pre_shift_a, fixed.pre_shift_b))
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
        of_w += divide_shifted_bound(fixed, size + of_v, divisor)
        w = size / divisor + of_w
        here = of_w[:, None] * (size + of_v) + (size / divisor)[:, None] * of_v
        here += shifted_product_bound(fixed, w[:, None], (size + of_v)[None, :])
        onward = np.abs(whole[:, : k + 1] @ a[: k + 1, : k + 1])
        total += onward @ here @ onward.T
    return np.asarray(1.5 * np.maximum(total, total.T))


def _obstacle(architecture: Architecture, extents: Extents, fixed: FixedPoint) -> str | None:
    if fixed.fraction_bits + fixed.post_shift > 28:
        return (
            f"with {fixed.fraction_bits} fraction bits and a shift of {fixed.post_shift} after"
            f" products, these hold +-{2.0 ** (31 - fixed.fraction_bits - fixed.post_shift):g};"
            " the kernel needs +-8 (fewer fraction bits, or more shifts before products)"
        )
    assert architecture.vcu is not None
    size = int(architecture.vcu.scratchpads.size)
    if 4 * extents[0] ** 2 <= size:
        return None
    return (
        f"a matrix of {extents[0]} x {extents[0]} words does not fit a scratchpad of {size} bytes"
        f" (n at most {isqrt(size // 4)}, vcu.scratchpads.size; or use --variant scalar)"
    )


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    return (positive_definite(fixed, rng, extents[0]),)


def _exact(operands: tuple[Reals, ...]) -> Reals:
    return np.asarray(np.linalg.inv(operands[0]))


INVERT_SYMMETRIC = Kernel(
    name="invert-symmetric",
    title="inverse of a positive definite matrix",
    extents=("n",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents * 2,),
    result_shape=lambda extents: extents * 2,
    arguments=lambda extents: extents,
    exact=_exact,
    generate=_generate,
    input_range=lambda _: RANGE,
    driver="invert_symmetric/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_invert_symmetric_scalar_floor_checked",
            sources=("invert_symmetric/scalar.c", "fx_divide.c"),
            vector=False,
            contract="l d l^T in 64-bit sums, all rounded down; else a status",
            model=lambda fixed, operands: invert_ldl(fixed, operands[0])[0],
            error_bound=lambda fixed, operands: ldl_bound(fixed, fixed.to_real(operands[0])),
            status=lambda fixed, operands: invert_ldl(fixed, operands[0])[1],
        ),
        Variant(
            name="gauss-jordan",
            function="fx_invert_symmetric_gauss_jordan_floor_checked",
            sources=("invert_symmetric/gauss_jordan.c", "fx_divide.c"),
            vector=False,
            contract="64-bit products, each rounded down; else a status",
            model=lambda fixed, operands: _gauss_jordan(fixed, operands)[0],
            error_bound=_gauss_jordan_bound,
            status=lambda fixed, operands: _gauss_jordan(fixed, operands)[1],
        ),
        Variant(
            name="vector",
            function="fx_invert_symmetric_vector_floor_checked",
            sources=("invert_symmetric/vector.c", "fx_divide.c"),
            vector=True,
            contract="operands shifted, 32-bit products wrap; a status for the pivots",
            model=lambda fixed, operands: _vector(fixed, operands)[0],
            error_bound=_vector_bound,
            status=lambda fixed, operands: _vector(fixed, operands)[1],
            obstacle=_obstacle,
        ),
    ),
    work_words=lambda extents: extents[0] ** 2 + 4 * extents[0],
    in_place=(0,),
)
