"""``outer``: rank-1 update of a matrix."""

from __future__ import annotations

import numpy as np

from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps, multiply_floor_wrap, wrap
from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Variant, uniform
from gnomon.bench.kernels._multiply import input_limit, shifted_product, shifted_product_bound


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    rows, columns = extents
    limit = input_limit(fixed, 1) / 2
    a = uniform(fixed, rng, extents, 2.0 ** (29 - fixed.fraction_bits))
    x, y = uniform(fixed, rng, (rows,), limit), uniform(fixed, rng, (columns,), limit)
    return a, x, y, uniform(fixed, rng, (1,), min(1.0, limit))


def _exact(operands: tuple[Reals, ...]) -> Reals:
    a, x, y, s = operands
    return np.asarray(a + s * x[:, None] * y[None, :])


def _floor(fixed: FixedPoint, operands: Operands) -> Steps:
    a, x, y, s = operands
    weights = multiply_floor_wrap(x, s, fixed.fraction_bits)
    return wrap(a + multiply_floor_wrap(weights[:, None], y[None, :], fixed.fraction_bits))


def _floor_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    y = np.abs(fixed.to_real(operands[2]))
    return np.asarray((y[None, :] + 1) * fixed.step)


def _shifted(fixed: FixedPoint, operands: Operands) -> Steps:
    a, x, y, s = operands
    weights = shifted_product(fixed, x, s)
    return wrap(a + shifted_product(fixed, weights[:, None], y[None, :]))


def _shifted_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    _, x, y, s = (np.abs(fixed.to_real(values)) for values in operands)
    of_weights = shifted_product_bound(fixed, x, s)[:, None]
    weights = (x * s)[:, None] + of_weights
    return np.asarray(of_weights * y + shifted_product_bound(fixed, weights, y[None, :]))


OUTER = Kernel(
    name="outer",
    title="rank-1 update, out = a + s x y^T",
    extents=("rows", "columns"),
    square=lambda n: (n, n),
    operand_shapes=lambda extents: (extents, extents[:1], extents[1:], (1,)),
    result_shape=lambda extents: extents,
    arguments=lambda extents: extents,
    exact=_exact,
    generate=_generate,
    input_range=lambda _: "a up to a quarter of the format, x and y up to 16, s up to 1",
    driver="outer/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_outer_scalar_floor_wrap",
            sources=("outer/scalar.c",),
            vector=False,
            contract="two 64-bit products, each rounded down; all wraps",
            model=_floor,
            error_bound=_floor_bound,
        ),
        Variant(
            name="vector",
            function="fx_outer_vector_floor_wrap",
            sources=("outer/vector.c", "fx_rank_vector.c"),
            vector=True,
            contract="operands shifted, 32-bit products wrap, then are shifted; all round down",
            model=_shifted,
            error_bound=_shifted_bound,
        ),
    ),
    in_place=(0,),
)
