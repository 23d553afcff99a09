"""``transpose``: rows become columns."""

from __future__ import annotations

import numpy as np

from gnomon.bench.kernels._kernel import Kernel, Variant, any_words

TRANSPOSE = Kernel(
    name="transpose",
    title="transposed matrix",
    extents=("rows", "columns"),
    square=lambda n: (n, n),
    operand_shapes=lambda extents: (extents,),
    result_shape=lambda extents: extents[::-1],
    arguments=lambda extents: extents,
    exact=lambda operands: operands[0].T,
    generate=lambda _, extents, rng: (any_words(rng, extents),),
    input_range=lambda _: "any",
    driver="transpose/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_transpose_scalar_exact",
            sources=("transpose/scalar.c",),
            vector=False,
            contract="exact: words are moved",
            model=lambda _, operands: operands[0].T,
            error_bound=lambda *_: np.zeros(1),
        ),
    ),
)
