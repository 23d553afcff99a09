"""``multiply-transposed`` and ``matvec``: products in which both operands are read by rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Variant, uniform
from gnomon.bench.kernels._multiply import (
    SUM_THEN_SHIFT,
    WIDE_FLOOR,
    input_limit,
    shifted_bound,
    sum_then_shift,
    wide_floor,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps


def _pair(operands: Operands) -> Operands:
    """As operands of a product."""
    return operands[0], operands[1].T


def _row_and_matrix(operands: Operands) -> Operands:
    """The matrix-vector product as a product of a row and a transposed matrix."""
    return operands[1][None, :], operands[0].T


def _variants(name: str, order: Callable[[Operands], Operands]) -> tuple[Variant, Variant]:
    part = 0 if name == "matvec" else slice(None)  # the one row, or the matrix as it is

    def wide(fixed: FixedPoint, operands: Operands) -> Steps:
        return wide_floor(fixed, order(operands))[part]

    def shifted(fixed: FixedPoint, operands: Operands) -> Steps:
        return sum_then_shift(fixed, order(operands))[part]

    def bound(fixed: FixedPoint, operands: Operands) -> Reals:
        return shifted_bound(fixed, order(operands))[part]

    scalar = ["multiply_transposed/scalar.c"]
    if name == "matvec":
        scalar.append("matvec/scalar.c")
    return (
        Variant(
            name="scalar",
            function=f"fx_{name}_scalar_floor_wrap",
            sources=tuple(scalar),
            vector=False,
            contract=WIDE_FLOOR,
            model=wide,
            error_bound=lambda fixed, _: np.array(fixed.step),
        ),
        Variant(
            name="vector",
            function=f"fx_{name}_vector_floor_wrap",
            sources=(f"{name}/vector.c",),
            vector=True,
            contract=SUM_THEN_SHIFT,
            model=shifted,
            error_bound=bound,
        ),
    )


def _matrices(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    rows, inner, columns = extents
    limit = input_limit(fixed, inner)
    return uniform(fixed, rng, (rows, inner), limit), uniform(fixed, rng, (columns, inner), limit)


def _matrix_and_vector(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    limit = input_limit(fixed, extents[1])
    return uniform(fixed, rng, extents, limit), uniform(fixed, rng, extents[1:], limit)


MULTIPLY_TRANSPOSED = Kernel(
    name="multiply-transposed",
    title="product with a transposed matrix, out = a b^T",
    extents=("rows", "inner", "columns"),
    square=lambda n: (n, n, n),
    operand_shapes=lambda extents: (extents[:2], extents[:0:-1]),
    result_shape=lambda extents: (extents[0], extents[2]),
    arguments=lambda extents: extents,
    exact=lambda operands: operands[0] @ operands[1].T,
    generate=_matrices,
    input_range=lambda extents: f"up to sqrt(1024 / {extents[1]}): results stay within +-1024",
    driver="multiply_transposed/measure.c",
    variants=_variants("multiply_transposed", _pair),
)

MATVEC = Kernel(
    name="matvec",
    title="matrix-vector product, out = a x",
    extents=("rows", "columns"),
    square=lambda n: (n, n),
    operand_shapes=lambda extents: (extents, extents[1:]),
    result_shape=lambda extents: extents[:1],
    arguments=lambda extents: extents,
    exact=lambda operands: operands[0] @ operands[1],
    generate=_matrix_and_vector,
    input_range=lambda extents: f"up to sqrt(1024 / {extents[1]}): results stay within +-1024",
    driver="matvec/measure.c",
    variants=_variants("matvec", _row_and_matrix),
)
