"""``grow-inverse``: inverse of a matrix with one more row and column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._fixed import multiply_floor_wrap, wrap
from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Status, Variant
from gnomon.bench.kernels._multiply import shifted_product, sum_then_shift
from gnomon.bench.kernels._positive import mirrored
from gnomon.bench.kernels._reciprocal import (
    divide_by_reciprocal,
    divide_shifted,
    reciprocal,
    vector_reciprocal,
)
from gnomon.bench.kernels._sherman_morrison import rank_one_bound, vector_sum_bounds
from gnomon.bench.kernels._wide import Range, wide_dot

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps

    Answer = tuple[Steps, Status]


def _scalar(fixed: FixedPoint, operands: Operands) -> Answer:
    a, x = operands
    seen = Range()
    seen.see(x)
    u = seen.floor(wide_dot(a, x), fixed)
    with np.errstate(over="ignore"):
        total = (x[-1:] << fixed.fraction_bits) - wide_dot(x, u)
    schur = int(seen.floor(total, fixed)[0])
    status = seen.status(x.size)
    if status is Status.OK and schur <= 0:
        status = Status.SINGULAR
    if status is not Status.OK:
        return a, status
    u[-1] = -(1 << fixed.fraction_bits)
    w = divide_by_reciprocal(wrap(-u), reciprocal(schur, fixed), seen)
    if seen.lost:
        return a, Status.OVERFLOW
    change = multiply_floor_wrap(w[:, None], u[None, :], fixed.fraction_bits)
    return mirrored(wrap(a - change)), Status.OK


def _vector(fixed: FixedPoint, operands: Operands) -> Answer:
    a, x = operands
    u = sum_then_shift(fixed, (x[None, :], a.T))[0]
    total = sum_then_shift(fixed, (x[None, :], u[:, None]))[0, 0]
    schur = int(wrap(x[-1] - total))
    if schur <= 0:
        return a, Status.SINGULAR
    inverse, status = vector_reciprocal(schur, fixed)
    if status is not Status.OK:
        return a, status
    u[-1] = -(1 << fixed.fraction_bits)
    w = divide_shifted(u, inverse, fixed)
    return wrap(a + shifted_product(fixed, w[:, None], u[None, :])), Status.OK


def _complement(operands: tuple[Reals, ...]) -> tuple[Reals, float]:
    """Of the last element: u and s in real numbers."""
    a, x = operands
    u = np.array(a @ x)
    schur = float(x[-1] - x @ u)
    u[-1] = -1.0
    return u, schur


def _exact(operands: tuple[Reals, ...]) -> Reals:
    u, schur = _complement(operands)
    return np.asarray(operands[0] + np.outer(u, u) / schur)


def _scalar_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    a, x = (fixed.to_real(values) for values in operands)
    u, schur = _complement((a, x))
    of_u = np.full(u.size, fixed.step)
    of_u[-1] = 0.0
    of_sum = float(np.abs(x[:-1]).sum() + 1) * fixed.step
    bound = rank_one_bound(fixed, np.abs(u), schur, of_u, of_sum, vector=False)
    return np.maximum(bound, bound.T)


def _vector_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    a, x = (fixed.to_real(values) for values in operands)
    u, schur = _complement((a, x))
    others = x.copy()
    others[-1] = 0.0  # it meets zeros only, and is not shifted
    of_u, of_sum = vector_sum_bounds(fixed, a, others)
    of_u[-1] = 0.0
    return rank_one_bound(fixed, np.abs(u), schur, of_u, of_sum, vector=True)


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    (n,) = extents
    vectors = rng.uniform(-1, 1, size=(n, n))
    steps = np.round((np.eye(n) + vectors.T @ vectors / n) * 2**fixed.fraction_bits)
    matrix = mirrored(steps.astype(np.int64))
    a = np.zeros((n, n), dtype=np.int64)
    inverse = np.linalg.inv(fixed.to_real(matrix[:-1, :-1])) if n > 1 else np.zeros((0, 0))
    steps = np.round(inverse * 2**fixed.fraction_bits)
    a[:-1, :-1] = mirrored(steps.astype(np.int64))
    return a, matrix[:, -1].copy()


def _obstacle(_: Architecture, __: Extents, fixed: FixedPoint) -> str | None:
    """The last element of u is -1; neither its quotient nor its product may wrap."""
    room = min(fixed.pre_shift_a + 16, 30 - fixed.post_shift)
    if fixed.fraction_bits <= room:
        return None
    return (
        f"{fixed.fraction_bits} fraction bits leave no room for products of 1 (at most {room} with"
        f" {fixed.pre_shift_a} and {fixed.pre_shift_b} bits before a product)"
    )


GROW_INVERSE = Kernel(
    name="grow-inverse",
    title="inverse of m from that of m without its last row and column",
    extents=("n",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents * 2, extents),
    result_shape=lambda extents: extents * 2,
    arguments=lambda extents: extents,
    exact=_exact,
    generate=_generate,
    input_range=lambda extents: (
        f"m is I + 1/{extents[0]} of {extents[0]} outer products v v^T, elements of v within +-1"
    ),
    driver="grow_inverse/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_grow_inverse_scalar_floor_checked",
            sources=("grow_inverse/scalar.c", "fx_divide.c"),
            vector=False,
            contract="64-bit sums and products, each rounded down once; else a status",
            model=lambda fixed, operands: _scalar(fixed, operands)[0],
            error_bound=_scalar_bound,
            status=lambda fixed, operands: _scalar(fixed, operands)[1],
        ),
        Variant(
            name="vector",
            function="fx_grow_inverse_vector_floor_checked",
            sources=(
                "grow_inverse/vector.c",
                "matvec/vector.c",
                "dot/vector.c",
                "fx_rank_vector.c",
                "fx_divide.c",
            ),
            vector=True,
            contract="operands shifted, 32-bit products wrap; a status for the complement",
            model=lambda fixed, operands: _vector(fixed, operands)[0],
            error_bound=_vector_bound,
            status=lambda fixed, operands: _vector(fixed, operands)[1],
            obstacle=_obstacle,
        ),
    ),
    work_words=lambda extents: 2 * extents[0],
    in_place=(0,),
)
