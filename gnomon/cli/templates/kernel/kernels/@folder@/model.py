"""Models of ``@name@``: in real numbers, and bit for bit as the C code.

Fixed-point numbers are int64 arrays of steps; bounds take and return real numbers.
"""

from __future__ import annotations

import numpy as np

from gnomon.measure.kernels.fixed import (
    FixedPoint,
    Reals,
    Steps,
    multiply_floor_wrap,
    shifted_product,
    shifted_product_bound,
    uniform,
    wrap,
)


def exact(a: Reals, x: Reals, y: Reals) -> Reals:
    """Return the result in real numbers, from the operands in kernel.yaml."""
    return np.asarray(a * x + y)


def generate(fixed: FixedPoint, rng: np.random.Generator, length: int) -> tuple[Steps, ...]:
    """Return random operands for the extents in kernel.yaml, small enough that nothing wraps."""
    limit = min(16.0, 2.0 ** (28 - fixed.fraction_bits - fixed.post_shift))
    return (
        uniform(fixed, rng, (1,), min(2.0, limit)),
        uniform(fixed, rng, (length,), limit),
        uniform(fixed, rng, (length,), limit),
    )


def floor(fixed: FixedPoint, a: Steps, x: Steps, y: Steps) -> Steps:
    """Return the result of scalar.c, in steps."""
    return wrap(multiply_floor_wrap(a, x, fixed) + y)


def shifted(fixed: FixedPoint, a: Steps, x: Steps, y: Steps) -> Steps:
    """Return the result of vector.c, in steps; the vector unit keeps 32 bits of a product."""
    return wrap(shifted_product(x, a, fixed) + y)


def shifted_bound(fixed: FixedPoint, a: Reals, x: Reals, y: Reals) -> Reals:
    """Return the error bound: the shift error of each factor times the other one, plus a step."""
    return shifted_product_bound(np.abs(x), np.abs(a), fixed)
