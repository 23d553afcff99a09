"""``add`` and ``sub``: sum and difference of two matrices."""

from __future__ import annotations

import numpy as np

from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps, wrap
from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Variant, uniform


def _limit(fixed: FixedPoint) -> float:
    """Half the range: a sum or difference of two such numbers does not wrap."""
    return 2.0 ** (30 - fixed.fraction_bits)


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    return tuple(uniform(fixed, rng, extents, _limit(fixed)) for _ in range(2))


def _no_error(_: FixedPoint, operands: Operands) -> Reals:
    return np.zeros(operands[0].shape)


def _kernel(name: str, title: str, sign: int) -> Kernel:
    def model(_: FixedPoint, operands: Operands) -> Steps:
        return wrap(operands[0] + sign * operands[1])

    variants = tuple(
        Variant(
            name=kind,
            function=f"fx_{name}_{kind}_wrap",
            sources=(f"{name}/{kind}.c",),
            vector=kind == "vector",
            contract="exact, wraps modulo 2^32",
            model=model,
            error_bound=_no_error,
        )
        for kind in ("scalar", "vector")
    )
    return Kernel(
        name=name,
        title=title,
        extents=("rows", "columns"),
        square=lambda n: (n, n),
        operand_shapes=lambda extents: (extents, extents),
        result_shape=lambda extents: extents,
        arguments=lambda extents: (extents[0] * extents[1],),
        exact=lambda operands: np.asarray(operands[0] + sign * operands[1]),
        generate=_generate,
        input_range=lambda _: "half the range of the format: results do not wrap",
        driver=f"{name}/measure.c",
        variants=variants,
        in_place=(0, 1),
    )


ADD = _kernel("add", "matrix sum, out = a + b", 1)
SUB = _kernel("sub", "matrix difference, out = a - b", -1)
