"""``multiply``: product of two matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._fixed import (
    FixedPoint,
    Reals,
    Steps,
    multiply_toward_zero_wrap,
    product_of_shifted,
    wrap,
)
from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Variant, uniform
from gnomon.bench.kernels._wide import wide_dot, wide_floor_wrap

if TYPE_CHECKING:
    from gnomon.arch import Architecture

_LARGEST_RESULT = 1024.0  # with the default shifts, half of what the vector products hold


def input_limit(fixed: FixedPoint, products: int) -> float:
    """So small that no sum of this many products wraps, whatever the signs."""
    room = min(_LARGEST_RESULT, 2.0 ** (30 - fixed.fraction_bits - fixed.post_shift))
    return min(float((room / products) ** 0.5), 2.0 ** (30 - fixed.fraction_bits))


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    rows, inner, columns = extents
    limit = input_limit(fixed, inner)
    return uniform(fixed, rng, (rows, inner), limit), uniform(fixed, rng, (inner, columns), limit)


def each_toward_zero(fixed: FixedPoint, operands: Operands) -> Steps:
    """Model of the scalar products."""
    a, b = operands
    total = np.zeros((a.shape[0], b.shape[1]), dtype=np.int64)
    for k in range(a.shape[1]):
        total += multiply_toward_zero_wrap(a[:, k, None], b[None, k, :], fixed.fraction_bits)
    return wrap(total)


def sum_then_shift(fixed: FixedPoint, operands: Operands) -> Steps:
    """Model of the vector products whose sum is shifted."""
    a, b = operands
    total = np.zeros((a.shape[0], b.shape[1]), dtype=np.int64)
    for k in range(a.shape[1]):
        total += product_of_shifted(a[:, k, None], b[None, k, :], fixed)
    return wrap(total) >> fixed.post_shift


def shifted_product(fixed: FixedPoint, a: Steps, b: Steps) -> Steps:
    """Model of one vector product."""
    return product_of_shifted(a, b, fixed) >> fixed.post_shift


def shifted_product_bound(fixed: FixedPoint, a: Reals, b: Reals) -> Reals:
    """How far one vector product of numbers of these sizes can be off."""
    lost_a = fixed.step * 2**fixed.pre_shift_a
    lost_b = fixed.step * 2**fixed.pre_shift_b
    return np.asarray(a * lost_b + b * lost_a + lost_a * lost_b + fixed.step)


def one_step_each(fixed: FixedPoint, operands: Operands) -> Reals:
    """Each product loses less than one step, whatever the others do."""
    return np.array(operands[0].shape[1] * fixed.step)


def shifted_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    """What the operands lose to their shifts, times the other operand, and one last step."""
    a, b = (np.abs(fixed.to_real(values)) for values in operands)
    lost_a = fixed.step * 2**fixed.pre_shift_a
    lost_b = fixed.step * 2**fixed.pre_shift_b
    inner = a.shape[1]
    of_a = a.sum(axis=1, keepdims=True) * lost_b
    of_b = b.sum(axis=0, keepdims=True) * lost_a
    return np.asarray(of_a + of_b + inner * lost_a * lost_b + fixed.step)


def wide_floor(fixed: FixedPoint, operands: Operands) -> Steps:
    """Model of the products summed in 64 bits."""
    return wide_floor_wrap(wide_dot(*operands), fixed)


def _replicated(architecture: Architecture, _: Extents, __: FixedPoint) -> str | None:
    """Harts work together on scratchpads, so these must be the same for all of them."""
    sharing = architecture.vcu.sharing if architecture.vcu else "shared"
    if sharing == "shared":
        return None
    return f"{architecture.name} has scratchpads for each hart (vcu.sharing {sharing})"


WIDE_FLOOR = "64-bit products summed, the sum rounded down once; it wraps"
TOWARD_ZERO = "64-bit products rounded towards zero; the sum wraps"
SUM_THEN_SHIFT = "operands shifted, 32-bit products; the sum wraps, then is shifted; all round down"


MULTIPLY = Kernel(
    name="multiply",
    title="matrix product, out = a b",
    extents=("rows", "inner", "columns"),
    square=lambda n: (n, n, n),
    operand_shapes=lambda extents: (extents[:2], extents[1:]),
    result_shape=lambda extents: (extents[0], extents[2]),
    arguments=lambda extents: extents,
    exact=lambda operands: operands[0] @ operands[1],
    generate=_generate,
    input_range=lambda extents: f"up to sqrt(1024 / {extents[1]}): results stay within +-1024",
    driver="multiply/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_multiply_scalar_toward_zero_wrap",
            sources=("multiply/scalar.c",),
            vector=False,
            contract=TOWARD_ZERO,
            model=each_toward_zero,
            error_bound=one_step_each,
        ),
        Variant(
            name="scalar-sum",
            function="fx_multiply_scalar_sum_floor_wrap",
            sources=("multiply/scalar_sum.c",),
            vector=False,
            contract=WIDE_FLOOR,
            model=wide_floor,
            error_bound=lambda fixed, _: np.array(fixed.step),
        ),
        Variant(
            name="vector",
            function="fx_multiply_vector_floor_wrap",
            sources=(
                "multiply/vector.c",
                "multiply/rows.c",
                "multiply/dots.c",
            ),
            vector=True,
            contract=SUM_THEN_SHIFT,
            model=sum_then_shift,
            error_bound=shifted_bound,
        ),
        Variant(
            name="vector-harts",
            function="fx_multiply_harts_floor_wrap",
            sources=(
                "multiply/harts.c",
                "multiply/vector.c",
                "multiply/rows.c",
                "multiply/dots.c",
            ),
            vector=True,
            contract=SUM_THEN_SHIFT,
            model=sum_then_shift,
            error_bound=shifted_bound,
            obstacle=_replicated,
            harts=3,
            helper="fx_multiply_harts_help",
        ),
    ),
)
