"""``add``: sum of two matrices."""

from __future__ import annotations

import numpy as np

from gnomon.kernels._fixed import FixedPoint, Reals, Steps, add_wrap
from gnomon.kernels._kernel import Extents, Kernel, Operands, Variant, uniform


def _limit(fixed: FixedPoint) -> float:
    """Half the range: a sum of two such numbers does not wrap."""
    return 2.0 ** (30 - fixed.fraction_bits)


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    return tuple(uniform(fixed, rng, extents, _limit(fixed)) for _ in range(2))


def _model(_: FixedPoint, operands: Operands) -> Steps:
    return add_wrap(*operands)


def _no_error(_: FixedPoint, operands: Operands) -> Reals:
    return np.zeros(operands[0].shape)


ADD = Kernel(
    name="add",
    title="matrix sum, out = a + b",
    extents=("rows", "columns"),
    square=lambda n: (n, n),
    operand_shapes=lambda extents: (extents, extents),
    result_shape=lambda extents: extents,
    arguments=lambda extents: (extents[0] * extents[1],),
    exact=lambda operands: operands[0] + operands[1],
    generate=_generate,
    input_range=lambda _: "half the range of the format: sums do not wrap",
    driver="measure_add.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_add_scalar_wrap",
            sources=("kernel_add_scalar.c",),
            vector=False,
            contract="exact, wraps modulo 2^32",
            model=_model,
            error_bound=_no_error,
        ),
        Variant(
            name="vector",
            function="fx_add_vector_wrap",
            sources=("kernel_add_vector.c",),
            vector=True,
            contract="exact, wraps modulo 2^32",
            model=_model,
            error_bound=_no_error,
        ),
    ),
)
