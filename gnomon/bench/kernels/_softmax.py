"""``softmax``: exponentials over their sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._exp import (
    LOWEST,
    exp_above_lowest,
    exp_obstacle,
    exp_of_minus,
    scalar_exp_bound,
    vector_exp_bound,
)
from gnomon.bench.kernels._fixed import wrap
from gnomon.bench.kernels._kernel import Kernel, Operands, Status, Variant, uniform
from gnomon.bench.kernels._reciprocal import divide_by_reciprocal, reciprocal
from gnomon.bench.kernels._wide import Range

if TYPE_CHECKING:
    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps

    Answer = tuple[Steps, Status]

_VECTOR_BITS = 15


def _scalar(fixed: FixedPoint, operands: Operands) -> Answer:
    (a,) = operands
    values = exp_of_minus(a.max() - a, fixed.fraction_bits)
    total = int(values.sum())
    if total >> 31:
        return np.zeros_like(a), Status.OVERFLOW
    return divide_by_reciprocal(values, reciprocal(total, fixed), Range()), Status.OK


def _vector(fixed: FixedPoint, operands: Operands) -> Answer:
    (a,) = operands
    bits = fixed.fraction_bits
    lowest = int(a.max()) - (LOWEST << bits)
    above = np.where(a < max(lowest, -(2**31)), 0, wrap(a - lowest))
    values = exp_above_lowest(above, bits)
    total = int(values.sum())
    if total >> 31:
        return np.zeros_like(a), Status.OVERFLOW
    zeros, dropped = 32 - total.bit_length(), max(bits - _VECTOR_BITS, 0)
    factor = (2 ** (2 * _VECTOR_BITS) - 1) // ((total << zeros) >> 16)
    return ((values >> dropped) * factor) >> min(46 - bits - zeros - dropped, 31), Status.OK


def _exact(operands: tuple[Reals, ...]) -> Reals:
    values = np.exp(operands[0] - operands[0].max())
    return np.asarray(values / values.sum())


def _quotient_bound(exact: Reals, of_each: float) -> Reals:
    """Of e / S where all exponentials are off by so much, but for the largest, which is 1."""
    return np.asarray(of_each + exact * (exact.size - 1) * of_each)


def _scalar_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    exact = _exact(tuple(fixed.to_real(each) for each in operands))
    return _quotient_bound(exact, scalar_exp_bound(fixed)) + fixed.step + 2.0**-29


def _vector_bound(fixed: FixedPoint, operands: Operands) -> Reals:
    """The factor is off by less than 2^-13 of itself; an exponential loses less than 2^-15."""
    exact = _exact(tuple(fixed.to_real(each) for each in operands))
    before = _quotient_bound(exact, vector_exp_bound(fixed))
    return np.asarray(before + (exact + before) * 2.0**-13 + 2.0**-_VECTOR_BITS + fixed.step)


SOFTMAX = Kernel(
    name="softmax",
    title="chances in the ratio of exponentials, out = exp(a) / sum(exp(a))",
    extents=("length",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents,),
    result_shape=lambda extents: extents,
    arguments=lambda extents: extents,
    exact=_exact,
    generate=lambda fixed, extents, rng: (
        uniform(fixed, rng, extents, min(8.0, 2.0 ** (30 - fixed.fraction_bits))),
    ),
    input_range=lambda _: "within +-8",
    driver="softmax/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_softmax_scalar_floor_checked",
            sources=("softmax/scalar.c", "fx_exp.c", "fx_divide.c"),
            vector=False,
            contract="exponentials rounded to nearest, quotients down; a status for the sum",
            model=lambda fixed, operands: _scalar(fixed, operands)[0],
            error_bound=_scalar_bound,
            status=lambda fixed, operands: _scalar(fixed, operands)[1],
        ),
        Variant(
            name="vector",
            function="fx_softmax_vector_floor_checked",
            sources=("softmax/vector.c",),
            vector=True,
            contract="exponentials and reciprocal of 15 bits; a status for the sum",
            model=lambda fixed, operands: _vector(fixed, operands)[0],
            error_bound=_vector_bound,
            status=lambda fixed, operands: _vector(fixed, operands)[1],
            obstacle=exp_obstacle,
        ),
    ),
    in_place=(0,),
)
