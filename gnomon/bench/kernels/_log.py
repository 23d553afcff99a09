"""``log``: natural logarithms, and the routine that other models share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._kernel import Kernel, Operands, Status, Variant

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.bench.kernels._fixed import FixedPoint, Steps
    from gnomon.bench.kernels._kernel import Extents

_LN_2_Q32, _THIRD_Q32 = 2977044472, 1431655765
_RECIPROCALS = np.array([round(2**32 / (1 + (i + 0.5) / 64)) for i in range(64)], dtype=np.int64)
_LOGARITHMS = np.array([round(-math.log(r / 2**32) * 2**32) for r in _RECIPROCALS.tolist()])
_LARGEST_FRACTION_BITS = 26
_LOWEST = -(2**31)


def log_of(values: Steps, fraction_bits: int) -> Steps:
    """``fx_log_of``: ln of numbers from 1 step up."""
    bits = np.array([value.bit_length() for value in values.ravel().tolist()], dtype=np.int64)
    bits = bits.reshape(values.shape)
    m = values << (32 - bits)
    index = m >> 25 & 63
    product = m.astype(np.uint64) * _RECIPROCALS[index].astype(np.uint64)
    t = (product - np.uint64(2**63)).astype(np.int64) >> 25
    square = (t * t) >> 32
    third = (((square * t) >> 32) * _THIRD_Q32) >> 32
    small = (t >> 2) - (square >> 9) + (third >> 14)
    total = (bits - 1 - fraction_bits) * _LN_2_Q32 + _LOGARITHMS[index] + (small >> 4)
    rounded: Steps = (total + (1 << (31 - fraction_bits))) >> (32 - fraction_bits)
    return rounded


def _model(fixed: FixedPoint, operands: Operands) -> Steps:
    a = operands[0]
    return np.where(a > 0, log_of(np.maximum(a, 1), fixed.fraction_bits), _LOWEST)


def _status(_: FixedPoint, operands: Operands) -> int:
    return Status.UNDEFINED if (operands[0] <= 0).any() else Status.OK


def _obstacle(_: Architecture, __: Extents, fixed: FixedPoint) -> str | None:
    if fixed.fraction_bits <= _LARGEST_FRACTION_BITS:
        return None
    return (
        f"{fixed.fraction_bits} fraction bits leave no room for -18, the logarithm of a step"
        f" (at most {_LARGEST_FRACTION_BITS})"
    )


LOG = Kernel(
    name="log",
    title="natural logarithms, out = ln(a)",
    extents=("length",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents,),
    result_shape=lambda extents: extents,
    arguments=lambda extents: extents,
    exact=lambda operands: np.log(operands[0]),
    generate=lambda _, extents, rng: (np.exp2(rng.uniform(0, 31, size=extents)).astype(np.int64),),
    input_range=lambda _: "all positive numbers, alike in their logarithm",
    driver="log/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_log_scalar_nearest_checked",
            sources=("log/scalar.c", "fx_log.c"),
            vector=False,
            contract="rounded to nearest; the smallest number and a status for 0 and below",
            model=_model,
            error_bound=lambda fixed, _: np.array(fixed.step / 2 + 2.0**-27),
            status=_status,
            obstacle=_obstacle,
        ),
    ),
    in_place=(0,),
)
