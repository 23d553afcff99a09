"""Fixed-point arithmetic, bit for bit as the C of ``kernels/fx.h`` and the vector unit do it.

All functions take and return int64 arrays. Values are steps of 2^-fraction_bits; a value that
fits 32 bits is in -2^31 .. 2^31 - 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError

Steps = npt.NDArray[np.int64]
"""Fixed-point numbers as whole steps."""

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """Where the binary point is, and how the vector products split the shift that keeps it there.

    Raises:
        GnomonError: a position that 32 bits do not have, or shifts that do not add up to it.
    """

    fraction_bits: int = 15
    pre_shift_a: int = 5
    pre_shift_b: int = 5

    def __post_init__(self) -> None:
        """Refuse what the headers refuse, before the compiler does."""
        if not 1 <= self.fraction_bits <= 30:
            raise GnomonError(f"fraction bits must be from 1 to 30, not {self.fraction_bits}")
        if min(self.pre_shift_a, self.pre_shift_b, self.post_shift) < 0:
            raise GnomonError(
                f"shifts of {self.pre_shift_a} and {self.pre_shift_b} bits before a product must"
                f" not be negative or together exceed the {self.fraction_bits} fraction bits"
            )

    @property
    def post_shift(self) -> int:
        """Right shift of a vector product, or of a sum of them, in bits."""
        return self.fraction_bits - self.pre_shift_a - self.pre_shift_b

    @property
    def step(self) -> float:
        """The distance of two neighbouring numbers."""
        return 2.0**-self.fraction_bits

    def defines(self) -> dict[str, int]:
        """The same choice as macros for ``fx.h`` and ``fx_vector.h``."""
        return {
            "FX_FRACTION_BITS": self.fraction_bits,
            "FX_PRE_SHIFT_A": self.pre_shift_a,
            "FX_PRE_SHIFT_B": self.pre_shift_b,
            "FX_POST_SHIFT": self.post_shift,
        }

    def to_real(self, values: Steps) -> Reals:
        """The numbers that the steps stand for."""
        return values.astype(np.float64) * self.step


def wrap(values: Steps) -> Steps:
    """The low 32 bits as a signed number."""
    return ((values + 2**31) & 0xFFFF_FFFF) - 2**31


def add_wrap(a: Steps, b: Steps) -> Steps:
    """``fx_add_wrap``: 32-bit sum."""
    return wrap(a + b)


def multiply_toward_zero_wrap(a: Steps, b: Steps, fraction_bits: int) -> Steps:
    """``fx_multiply_toward_zero_wrap``: 64-bit product, rounded towards zero, low 32 bits."""
    product = a * b  # at most 2^62 in size
    return wrap(np.where(product < 0, -(-product >> fraction_bits), product >> fraction_bits))


def multiply_floor_wrap(a: Steps, b: Steps, fraction_bits: int) -> Steps:
    """``fx_multiply_floor_wrap``: 64-bit product, rounded down, low 32 bits."""
    return wrap((a * b) >> fraction_bits)


def product_of_shifted(a: Steps, b: Steps, fixed: FixedPoint) -> Steps:
    """Low 32 bits of the product of both operands after their shifts, as kvmul gives them."""
    return wrap((a >> fixed.pre_shift_a) * (b >> fixed.pre_shift_b))
