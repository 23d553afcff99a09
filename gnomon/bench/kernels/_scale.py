"""``scale``: a matrix times a number."""

from __future__ import annotations

import numpy as np

from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps, multiply_floor_wrap
from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Variant, uniform
from gnomon.bench.kernels._multiply import input_limit, shifted_product, shifted_product_bound


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    limit = input_limit(fixed, 1)
    return uniform(fixed, rng, extents, limit), uniform(fixed, rng, (1,), limit)


def _floor(fixed: FixedPoint, operands: Operands) -> Steps:
    a, s = operands
    return multiply_floor_wrap(a, s, fixed.fraction_bits)


def _shifted(fixed: FixedPoint, operands: Operands) -> Steps:
    return shifted_product(fixed, *operands)


def _shifted_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    a, s = (np.abs(fixed.to_real(values)) for values in operands)
    return shifted_product_bound(fixed, a, s)


SCALE = Kernel(
    name="scale",
    title="scaled matrix, out = s a",
    extents=("rows", "columns"),
    square=lambda n: (n, n),
    operand_shapes=lambda extents: (extents, (1,)),
    result_shape=lambda extents: extents,
    arguments=lambda extents: (extents[0] * extents[1],),
    exact=lambda operands: np.asarray(operands[0] * operands[1]),
    generate=_generate,
    input_range=lambda _: "up to sqrt(1024): results are within +-1024",
    driver="scale/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_scale_scalar_floor_wrap",
            sources=("scale/scalar.c",),
            vector=False,
            contract="64-bit products rounded down; they wrap",
            model=_floor,
            error_bound=lambda fixed, _: np.array(fixed.step),
        ),
        Variant(
            name="vector",
            function="fx_scale_vector_floor_wrap",
            sources=("scale/vector.c",),
            vector=True,
            contract="operands shifted, 32-bit products wrap, then are shifted; all round down",
            model=_shifted,
            error_bound=_shifted_bound,
        ),
    ),
    in_place=(0,),
)
