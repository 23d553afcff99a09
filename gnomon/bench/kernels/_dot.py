"""``dot``: dot product of two vectors; as far as numbers go, a product of a row and a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps, product_of_shifted, wrap
from gnomon.bench.kernels._kernel import Kernel, Operands, Variant, uniform
from gnomon.bench.kernels._multiply import (
    SUM_THEN_SHIFT,
    TOWARD_ZERO,
    WIDE_FLOOR,
    each_toward_zero,
    input_limit,
    one_step_each,
    shifted_bound,
    sum_then_shift,
    wide_floor,
)

if TYPE_CHECKING:
    from gnomon.bench.kernels._kernel import Extents


def _row_and_column(operands: Operands) -> Operands:
    return operands[0][None, :], operands[1][:, None]


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    limit = input_limit(fixed, extents[0])
    return tuple(uniform(fixed, rng, extents, limit) for _ in range(2))


def _shift_each(fixed: FixedPoint, operands: Operands) -> Steps:
    a, b = operands
    products = product_of_shifted(a, b, fixed) >> fixed.post_shift
    return wrap(np.array([products.sum()]))


def _shift_each_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    bound = shifted_bound(fixed, _row_and_column(operands))[0]
    return np.asarray(bound + (operands[0].size - 1) * fixed.step)


DOT = Kernel(
    name="dot",
    title="dot product, out = sum of a_i b_i",
    extents=("length",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents, extents),
    result_shape=lambda _: (1,),
    arguments=lambda extents: extents,
    exact=lambda operands: np.array([operands[0] @ operands[1]]),
    generate=_generate,
    input_range=lambda extents: f"up to sqrt(1024 / {extents[0]}): the result is within +-1024",
    driver="dot/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_dot_scalar_toward_zero_wrap",
            sources=("dot/scalar.c",),
            vector=False,
            contract=TOWARD_ZERO,
            model=lambda fixed, operands: each_toward_zero(fixed, _row_and_column(operands))[0],
            error_bound=lambda fixed, operands: one_step_each(fixed, _row_and_column(operands)),
        ),
        Variant(
            name="scalar-sum",
            function="fx_dot_scalar_sum_floor_wrap",
            sources=("dot/scalar_sum.c",),
            vector=False,
            contract=WIDE_FLOOR,
            model=lambda fixed, operands: wide_floor(fixed, _row_and_column(operands))[0],
            error_bound=lambda fixed, _: np.array(fixed.step),
        ),
        Variant(
            name="vector",
            function="fx_dot_vector_floor_wrap",
            sources=("dot/vector.c",),
            vector=True,
            contract=SUM_THEN_SHIFT,
            model=lambda fixed, operands: sum_then_shift(fixed, _row_and_column(operands))[0],
            error_bound=lambda fixed, operands: shifted_bound(fixed, _row_and_column(operands))[0],
        ),
        Variant(
            name="vector-each",
            function="fx_dot_vector_floor_each_wrap",
            sources=("dot/vector.c",),
            vector=True,
            contract="operands and 32-bit products shifted, all round down; the sum wraps",
            model=_shift_each,
            error_bound=_shift_each_bound,
        ),
    ),
)
