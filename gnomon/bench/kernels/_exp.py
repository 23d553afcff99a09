"""``exp``: exponentials of numbers of 0 and below, and the routine that other models share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._fixed import wrap
from gnomon.bench.kernels._kernel import Kernel, Operands, Status, Variant

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps
    from gnomon.bench.kernels._kernel import Extents

_LOG2_E_Q31, _LN_2_Q32, _SIXTH_Q32 = 3098164009, 2977044472, 715827883
_POWERS = np.array([round(2.0 ** (31 - i / 64)) for i in range(64)], dtype=np.int64)

_VECTOR_BITS = 15
LOWEST = 16
"""Of the arguments on the vector unit: those below count as -16."""
_DIGITS = ((8, 11), (4, 600), (2, 4435), (1, 12055))
_COEFFICIENTS = (-32756, 16261, -5069, 851)
_LARGEST_VECTOR_FRACTION_BITS = 26


def _high(a: Steps, b: Steps | int) -> Steps:
    factor = np.asarray(b).astype(np.uint64)
    return ((a.astype(np.uint64) * factor) >> np.uint64(32)).astype(np.int64)


def exp_of_minus(sizes: Steps, fraction_bits: int) -> Steps:
    """``fx_exp_of_minus``: exp(-size), for sizes from 0 to below 2^32 steps."""
    wide = sizes.astype(np.uint64) * np.uint64(_LOG2_E_Q31) >> np.uint64(fraction_bits - 1)
    right = 31 - fraction_bits + (wide >> np.uint64(32)).astype(np.int64)
    fraction = (wide & np.uint64(0xFFFF_FFFF)).astype(np.int64)
    r = _high((fraction << 6) & 0xFFFF_FFFF, _LN_2_Q32)
    square = _high(r, r)
    sixth = _high(_high(square, r), _SIXTH_Q32)
    less = (r >> 6) - (square >> 13) + (sixth >> 18)
    power = _POWERS[fraction >> 26]
    value = power - _high(power, less)
    shift = np.minimum(right, 31)
    return np.where(right > 31, 0, (value + (1 << shift >> 1)) >> shift)


def _scalar(fixed: FixedPoint, operands: Operands) -> Steps:
    return exp_of_minus(np.maximum(-operands[0], 0), fixed.fraction_bits)


def _rounded(values: Steps, right: int) -> Steps:
    return wrap(values + (1 << right >> 1)) >> right if right else values


def exp_above_lowest(above: Steps, bits: int) -> Steps:
    """``fx_exp_above_lowest``: exp(above - 16) for numbers of 0 and more."""
    one = 1 << _VECTOR_BITS
    y = np.maximum(wrap((LOWEST << bits) - above), 0)
    product = np.full(y.shape, one, dtype=np.int64)
    for position, (digit, factor) in enumerate(_DIGITS):
        below = y < digit << bits
        y = np.where(below, y, y - (digit << bits))
        taken = np.where(below, one, factor)
        product = taken if position == 0 else _rounded(product * taken, _VECTOR_BITS)
    z = y << max(_VECTOR_BITS - bits, 0)
    z = _rounded(z, max(bits - _VECTOR_BITS, 0))
    term = np.full(z.shape, _COEFFICIENTS[3], dtype=np.int64)
    for coefficient in (*reversed(_COEFFICIENTS[:3]), one):
        term = _rounded(wrap(term * z + (coefficient << _VECTOR_BITS)), _VECTOR_BITS)
    return _rounded(wrap(product * term), 2 * _VECTOR_BITS - bits)


def exp_chunk(values: Steps, bits: int) -> Steps:
    """``fx_exp_chunk``."""
    return exp_above_lowest(np.maximum(wrap(values + (LOWEST << bits)), 0), bits)


def _vector(fixed: FixedPoint, operands: Operands) -> Steps:
    return exp_chunk(operands[0], fixed.fraction_bits)


def _status(_: FixedPoint, operands: Operands) -> int:
    return Status.UNDEFINED if (operands[0] > 0).any() else Status.OK


def _exact(operands: tuple[Reals, ...]) -> Reals:
    return np.asarray(np.exp(operands[0]))


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    """Sizes alike in their logarithm, from 2^-10 to 16."""
    highest = min(fixed.fraction_bits + 4, 31)
    sizes = np.exp2(rng.uniform(max(fixed.fraction_bits - 10, 0), highest, size=extents))
    return (-sizes.astype(np.int64),)


def exp_obstacle(_: Architecture, __: Extents, fixed: FixedPoint) -> str | None:
    """Why a format has no exp on the vector unit."""
    if fixed.fraction_bits <= _LARGEST_VECTOR_FRACTION_BITS:
        return None
    return (
        f"{fixed.fraction_bits} fraction bits leave no room for {LOWEST}"
        f" (at most {_LARGEST_VECTOR_FRACTION_BITS})"
    )


def scalar_exp_bound(fixed: FixedPoint) -> float:
    """How far one exponential can be off."""
    return fixed.step / 2 + 2.0**-29


def vector_exp_bound(fixed: FixedPoint) -> float:
    """The same on the vector unit."""
    return 2.0**-13 + fixed.step


EXP = Kernel(
    name="exp",
    title="exponentials of numbers of 0 and below, out = exp(a)",
    extents=("length",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents,),
    result_shape=lambda extents: extents,
    arguments=lambda extents: extents,
    exact=_exact,
    generate=_generate,
    input_range=lambda _: "0 and below; generated from -16 to -1/1024, alike in their logarithm",
    driver="exp/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_exp_scalar_nearest_checked",
            sources=("exp/scalar.c", "fx_exp.c"),
            vector=False,
            contract="rounded to nearest; a status for arguments above 0",
            model=_scalar,
            error_bound=lambda fixed, _: np.array(scalar_exp_bound(fixed)),
            status=_status,
        ),
        Variant(
            name="vector",
            function="fx_exp_vector_nearest_checked",
            sources=("exp/vector.c",),
            vector=True,
            contract="within 2^-13, in 15 bits; a status for arguments above 0",
            model=_vector,
            error_bound=lambda fixed, _: np.array(vector_exp_bound(fixed)),
            status=_status,
            obstacle=exp_obstacle,
        ),
    ),
    in_place=(0,),
)
