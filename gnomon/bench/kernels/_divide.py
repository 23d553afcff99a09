"""``divide``: quotients, and the division routine that other models share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.kernels._kernel import Extents, Kernel, Operands, Status, Variant, uniform

if TYPE_CHECKING:
    from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps

LARGEST = 2**31 - 1
SMALLEST = -(2**31)


def divide_wide(numerator: int, divisor: int) -> tuple[int, Status]:
    """``fx_divide_wide``: quotient rounded towards zero, or the nearest number and a status."""
    if divisor == 0:
        if numerator == 0:
            return 0, Status.UNDEFINED
        return (LARGEST if numerator > 0 else SMALLEST), Status.UNDEFINED
    size = abs(numerator) // abs(divisor)
    quotient = -size if (numerator < 0) != (divisor < 0) else size
    if quotient > LARGEST or quotient < SMALLEST:
        return (LARGEST if quotient > 0 else SMALLEST), Status.OVERFLOW
    return quotient, Status.OK


def _divide(fixed: FixedPoint, operands: Operands) -> list[tuple[int, Status]]:
    a, b = (values.reshape(-1).tolist() for values in operands)
    return [divide_wide(x << fixed.fraction_bits, y) for x, y in zip(a, b, strict=True)]


def _model(fixed: FixedPoint, operands: Operands) -> Steps:
    quotients = [quotient for quotient, _ in _divide(fixed, operands)]
    return np.array(quotients, dtype=np.int64).reshape(operands[0].shape)


def _status(fixed: FixedPoint, operands: Operands) -> int:
    return max(status for _, status in _divide(fixed, operands))


def _exact(operands: tuple[Reals, ...]) -> Reals:
    return np.asarray(operands[0] / operands[1])


def _generate(fixed: FixedPoint, extents: Extents, rng: np.random.Generator) -> Operands:
    """Sizes of divisors from 2^-4 up, all alike in their logarithm, and quotients in range."""
    limit = 2.0 ** (31 - fixed.fraction_bits)
    a = uniform(fixed, rng, extents, limit / 32)
    lowest = max(fixed.fraction_bits - 4, 1)
    sizes = np.exp2(rng.uniform(lowest, 31, size=extents)).astype(np.int64)
    return a, sizes * rng.choice(np.array([-1, 1]), size=extents)


DIVIDE = Kernel(
    name="divide",
    title="quotients, out = a / b",
    extents=("length",),
    square=lambda n: (n,),
    operand_shapes=lambda extents: (extents, extents),
    result_shape=lambda extents: extents,
    arguments=lambda extents: extents,
    exact=_exact,
    generate=_generate,
    input_range=lambda _: "a up to a 32nd of the format, b from 1/16 to all of it",
    driver="divide/measure.c",
    variants=(
        Variant(
            name="scalar",
            function="fx_divide_scalar_toward_zero_saturate",
            sources=("divide/scalar.c", "fx_divide.c"),
            vector=False,
            contract="rounded towards zero; what is out of range saturates, and the status says so",
            model=_model,
            error_bound=lambda fixed, _: np.array(fixed.step),
            status=_status,
        ),
    ),
    in_place=(0, 1),
)
