"""``sqrt``: square roots."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._kernel import Kernel, Operands, Status, Variant

if TYPE_CHECKING:
    from gnomon.bench.kernels._fixed import FixedPoint, Steps


def _model(fixed: FixedPoint, operands: Operands) -> Steps:
    roots = [isqrt(max(value, 0) << fixed.fraction_bits) for value in operands[0].tolist()]
    return np.array(roots, dtype=np.int64)


def _status(_: FixedPoint, operands: Operands) -> int:
    return Status.UNDEFINED if (operands[0] < 0).any() else Status.OK


SQRT = Kernel(
    name="sqrt",
    title="square roots, out = sqrt(a)",
    extents=("length",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents,),
    result_shape=lambda extents: extents,
    arguments=lambda extents: extents,
    exact=lambda operands: np.sqrt(operands[0]),
    generate=lambda _, extents, rng: (np.exp2(rng.uniform(0, 31, size=extents)).astype(np.int64),),
    input_range=lambda _: "all positive numbers, alike in their logarithm",
    driver="sqrt/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_sqrt_scalar_floor_checked",
            sources=("sqrt/scalar.c", "fx_sqrt.c"),
            vector=False,
            contract="rounded down, exact; 0 and a status for negative numbers",
            model=_model,
            error_bound=lambda fixed, _: np.array(fixed.step),
            status=_status,
        ),
    ),
    in_place=(0,),
)
