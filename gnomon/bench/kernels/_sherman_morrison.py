"""``sherman-morrison``: inverse of a matrix to which an outer product is added."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._fixed import multiply_floor_wrap, wrap
from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Status, Variant, uniform
from gnomon.bench.kernels._multiply import shifted_product, shifted_product_bound, sum_then_shift
from gnomon.bench.kernels._positive import INVERSE_RANGE, inverse_of_positive_definite, mirrored
from gnomon.bench.kernels._reciprocal import (
    divide_by_reciprocal,
    divide_shifted,
    divide_shifted_bound,
    reciprocal,
    vector_reciprocal,
)
from gnomon.bench.kernels._wide import Range, wide_dot

if TYPE_CHECKING:
    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps

    Answer = tuple[Steps, Status]


def _scalar(fixed: FixedPoint, operands: Operands) -> Answer:
    a, x = operands
    n = x.size
    seen = Range()
    seen.see(x)
    v = seen.floor(wide_dot(a, x), fixed)
    denominator = int(seen.floor(wide_dot(x, v) + (1 << 2 * fixed.fraction_bits), fixed))
    status = seen.status(n)
    if status is Status.OK and denominator <= 0:
        status = Status.SINGULAR
    if status is not Status.OK:
        return a, status
    w = divide_by_reciprocal(v, reciprocal(denominator, fixed), seen)
    if seen.lost:
        return a, Status.OVERFLOW
    change = multiply_floor_wrap(w[:, None], v[None, :], fixed.fraction_bits)
    return mirrored(wrap(a - change)), Status.OK


def _vector(fixed: FixedPoint, operands: Operands) -> Answer:
    a, x = operands
    one = 1 << fixed.fraction_bits
    v = sum_then_shift(fixed, (x[None, :], a.T))[0]
    total = sum_then_shift(fixed, (x[None, :], v[:, None]))[0, 0]
    denominator = int(wrap(total + one))
    if denominator <= 0:
        return a, Status.SINGULAR
    inverse, status = vector_reciprocal(denominator, fixed)
    if status is not Status.OK:
        return a, status
    w = divide_shifted(v, inverse, fixed)
    return wrap(a - shifted_product(fixed, w[:, None], v[None, :])), Status.OK


def exact_update(operands: tuple[Reals, ...]) -> Reals:
    """In real numbers; the rows of ``u`` are the vectors whose outer products are added."""
    a, u = operands[0], np.atleast_2d(operands[1])
    v = u @ a
    return np.asarray(a - v.T @ np.linalg.solve(np.eye(len(u)) + u @ v.T, v))


def rank_one_bound(
    fixed: FixedPoint, v: Reals, denominator: float, of_v: Reals, of_sum: float, *, vector: bool
) -> Reals:
    """Of a -+ v v^T / denominator: from the errors of |v| and of the denominator to the result's.

    Every product counts with its rounding.
    """
    least = denominator - of_sum
    of_w = (of_v + v * of_sum / denominator) / least
    w = v / denominator
    if vector:
        of_w += divide_shifted_bound(fixed, v + of_v, least)
        of_last = shifted_product_bound(fixed, (w + of_w)[:, None], (v + of_v)[None, :])
    else:
        of_w += 2 * fixed.step
        of_last = np.array(fixed.step)
    return np.asarray(of_w[:, None] * (v + of_v)[None, :] + w[:, None] * of_v[None, :] + of_last)


def vector_sum_bounds(fixed: FixedPoint, a: Reals, x: Reals) -> tuple[Reals, float]:
    """How far the sums v = a x and x^T v of the vector unit can be off."""
    v = np.abs(a @ x)
    a, x = np.abs(a), np.abs(x)
    lost_a = fixed.step * 2**fixed.pre_shift_a
    lost_b = fixed.step * 2**fixed.pre_shift_b
    n = x.size
    of_v = a.sum(axis=1) * lost_a + x.sum() * lost_b + n * lost_a * lost_b + fixed.step
    of_sum = (v + of_v).sum() * lost_a + x.sum() * lost_b + n * lost_a * lost_b + fixed.step
    return of_v, float(of_sum + x @ of_v)


def _scalar_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    a, x = (fixed.to_real(values) for values in operands)
    v = np.abs(a @ x)
    of_v = np.full(x.size, fixed.step)
    of_sum = (float(np.abs(x).sum()) + 1) * fixed.step
    bound = rank_one_bound(fixed, v, 1 + float(x @ a @ x), of_v, of_sum, vector=False)
    return np.maximum(bound, bound.T)


def _vector_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    a, x = (fixed.to_real(values) for values in operands)
    of_v, of_sum = vector_sum_bounds(fixed, a, x)
    return rank_one_bound(fixed, np.abs(a @ x), 1 + float(x @ a @ x), of_v, of_sum, vector=True)


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    (n,) = extents
    limit = min(1.0, 2.0 ** (28 - fixed.fraction_bits - fixed.post_shift))
    return inverse_of_positive_definite(fixed, rng, n), uniform(fixed, rng, (n,), limit)


SHERMAN_MORRISON = Kernel(
    name="sherman-morrison",
    title="inverse of (m + x x^T) from the inverse a of m",
    extents=("n",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents * 2, extents),
    result_shape=lambda extents: extents * 2,
    arguments=lambda extents: extents,
    exact=exact_update,
    generate=_generate,
    input_range=lambda _: f"{INVERSE_RANGE}; x within +-1",
    driver="sherman_morrison/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_sherman_morrison_scalar_floor_checked",
            sources=("sherman_morrison/scalar.c", "fx_divide.c"),
            vector=False,
            contract="64-bit sums and products, each rounded down once; else a status",
            model=lambda fixed, operands: _scalar(fixed, operands)[0],
            error_bound=_scalar_bound,
            status=lambda fixed, operands: _scalar(fixed, operands)[1],
        ),
        Variant(
            name="vector",
            function="fx_sherman_morrison_vector_floor_checked",
            sources=(
                "sherman_morrison/vector.c",
                "matvec/vector.c",
                "dot/vector.c",
                "fx_rank_vector.c",
                "fx_divide.c",
            ),
            vector=True,
            contract="operands shifted, 32-bit products wrap; a status for the denominator",
            model=lambda fixed, operands: _vector(fixed, operands)[0],
            error_bound=_vector_bound,
            status=lambda fixed, operands: _vector(fixed, operands)[1],
        ),
    ),
    work_words=lambda extents: 2 * extents[0],
    in_place=(0,),
)
