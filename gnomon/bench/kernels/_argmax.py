"""``argmax``: where the largest number is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._kernel import Kernel, Operands, Variant, any_words

if TYPE_CHECKING:
    from gnomon.bench.kernels._fixed import FixedPoint, Steps


def _model(_: FixedPoint, operands: Operands) -> Steps:
    return np.array([np.argmax(operands[0])], dtype=np.int64)


ARGMAX = Kernel(
    name="argmax",
    title="index of the largest number, the lowest of equals",
    extents=("length",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents,),
    result_shape=lambda _: (1,),
    arguments=lambda extents: extents,
    exact=lambda operands: np.array([np.argmax(operands[0])], dtype=np.float64),
    generate=lambda _, extents, rng: (any_words(rng, extents),),
    input_range=lambda _: "any",
    driver="argmax/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_argmax_scalar_exact",
            sources=("argmax/scalar.c",),
            vector=False,
            contract="exact: the lowest index of the largest number",
            model=_model,
            error_bound=lambda *_: np.zeros(1),
        ),
    ),
    result_is_index=True,
)
