"""Fixed-point arithmetic for models, bit for bit as in ``kernels/common`` and the vector unit.

Numbers are int64 arrays of steps of 2^-fraction_bits; 32-bit numbers range from -2^31 to 2^31 - 1.
Bounds take and return real numbers.
"""

from __future__ import annotations  # the reference shows them as they are written

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gnomon.base.errors import GnomonError

Steps = npt.NDArray[np.int64]
"""Fixed-point numbers as whole steps."""

Reals = npt.NDArray[np.float64]

Operands: TypeAlias = "tuple[Steps, ...]"
Rng: TypeAlias = np.random.Generator

LARGEST = 2**31 - 1
SMALLEST = -(2**31)


class Status(IntEnum):
    """Return value of a kernel that can fail: ``enum fx_status`` of ``fx.h``."""

    OK = 0
    OVERFLOW = 1
    UNDEFINED = 2
    SINGULAR = 3
    TOO_LARGE = 4


Answer: TypeAlias = "tuple[Steps, Status]"
"""Return value of the model of a kernel that can fail."""


@dataclass(frozen=True, slots=True)
class FixedPoint:
    """Position of the binary point, and the shifts of vector products that preserve it.

    Raises:
        GnomonError: if the position does not fit 32 bits, or the shifts do not add up to it.
    """

    fraction_bits: int = 15
    pre_shift_a: int = 5
    pre_shift_b: int = 5

    def __post_init__(self) -> None:
        """Check the values by the rules of the headers, before the compiler does."""
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
    def one(self) -> int:
        """1, in steps."""
        return 1 << self.fraction_bits

    @property
    def step(self) -> float:
        """Distance of two neighboring numbers."""
        return 2.0**-self.fraction_bits

    @property
    def lost_a(self) -> float:
        """Largest loss of the first factor of a vector product by its shift."""
        return 2.0 ** (self.pre_shift_a - self.fraction_bits)

    @property
    def lost_b(self) -> float:
        """Largest loss of the second factor of a vector product by its shift."""
        return 2.0 ** (self.pre_shift_b - self.fraction_bits)

    def defines(self) -> dict[str, int]:
        """Return the format as macros for ``fx.h`` and ``fx_vector.h``."""
        return {
            "FX_FRACTION_BITS": self.fraction_bits,
            "FX_PRE_SHIFT_A": self.pre_shift_a,
            "FX_PRE_SHIFT_B": self.pre_shift_b,
            "FX_POST_SHIFT": self.post_shift,
        }

    def to_real(self, values: Steps) -> Reals:
        """Return the numbers that the steps represent."""
        return values.astype(np.float64) * self.step

    def nearest(self, values: Reals) -> Steps:
        """Return the nearest fixed-point numbers."""
        steps: Steps = np.round(values * 2**self.fraction_bits).astype(np.int64)
        return steps


def uniform(fixed: FixedPoint, rng: Rng, shape: tuple[int, ...], limit: float) -> Steps:
    """Return numbers from -limit to limit (exclusive), uniform over all steps."""
    steps = round(limit * 2**fixed.fraction_bits)
    return rng.integers(-steps, steps, size=shape, dtype=np.int64)


def any_words(rng: Rng, shape: tuple[int, ...]) -> Steps:
    """Return numbers of the whole range, uniform over all words."""
    return rng.integers(-(2**31), 2**31, size=shape, dtype=np.int64)


def input_limit(fixed: FixedPoint, products: int) -> float:
    """Return an input limit for which no sum of this many products wraps, whatever the signs.

    With the default shifts, sums remain within +-1024, half of the range of the vector products.
    """
    room = min(1024.0, 2.0 ** (30 - fixed.fraction_bits - fixed.post_shift))
    return min(float((room / products) ** 0.5), 2.0 ** (30 - fixed.fraction_bits))


def wrap(values: Steps) -> Steps:
    """Return the low 32 bits as a signed number."""
    return ((values + 2**31) & 0xFFFF_FFFF) - 2**31


def multiply_toward_zero_wrap(a: Steps, b: Steps, fixed: FixedPoint) -> Steps:
    """Return ``fx_multiply_toward_zero_wrap``: 64-bit product rounded toward zero, low 32 bits."""
    product = a * b  # at most 2^62 in size
    bits = fixed.fraction_bits
    return wrap(np.where(product < 0, -(-product >> bits), product >> bits))


def multiply_floor_wrap(a: Steps, b: Steps, fixed: FixedPoint) -> Steps:
    """Return ``fx_multiply_floor_wrap``: 64-bit product, rounded down, low 32 bits."""
    return wrap((a * b) >> fixed.fraction_bits)


def product_of_shifted(a: Steps, b: Steps, fixed: FixedPoint) -> Steps:
    """Return the low 32 bits of the product of both operands after their shifts, as by kvmul."""
    return wrap((a >> fixed.pre_shift_a) * (b >> fixed.pre_shift_b))


def shifted_product(a: Steps, b: Steps, fixed: FixedPoint) -> Steps:
    """Return one product of the vector unit, rounded down."""
    return product_of_shifted(a, b, fixed) >> fixed.post_shift


def shifted_product_bound(a: Reals, b: Reals, fixed: FixedPoint) -> Reals:
    """Return the largest error of one vector product of numbers of these sizes."""
    lost_a, lost_b = fixed.lost_a, fixed.lost_b
    return np.asarray(a * lost_b + b * lost_a + lost_a * lost_b + fixed.step)


def shifted_matmul(a: Steps, b: Steps, fixed: FixedPoint) -> Steps:
    """Return ``a @ b`` of the vector unit: sums of 32-bit products, each sum shifted once."""
    total = np.zeros((a.shape[0], b.shape[1]), dtype=np.int64)
    for k in range(a.shape[1]):
        total += product_of_shifted(a[:, k, None], b[None, k, :], fixed)
    return wrap(total) >> fixed.post_shift


def shifted_matmul_bound(a: Reals, b: Reals, fixed: FixedPoint) -> Reals:
    """Return the error bound: losses of operands times the other operand, plus one last step."""
    of_a = np.abs(a).sum(axis=1, keepdims=True) * fixed.lost_b
    of_b = np.abs(b).sum(axis=0, keepdims=True) * fixed.lost_a
    return np.asarray(of_a + of_b + a.shape[1] * fixed.lost_a * fixed.lost_b + fixed.step)


def wide_dot(a: Steps, b: Steps) -> Steps:
    """Return ``a @ b`` in 64 bits, as ``fx_wide.h``; an array even if it is a single number."""
    with np.errstate(over="ignore"):
        return np.asarray(np.matmul(a, b), dtype=np.int64)


def wide_floor_wrap(total: Steps, fixed: FixedPoint) -> Steps:
    """Return a sum of 64-bit products as a number, rounded down, its low 32 bits."""
    return wrap(total >> fixed.fraction_bits)


class Range:
    """``struct fx_range``: whether a sum left the range, and the magnitudes seen."""

    def __init__(self) -> None:
        self.lost = False
        self._seen = 0

    def see(self, values: Steps) -> None:
        """Record magnitudes; for a negative number that of the number above it, as in C."""
        sizes = np.where(values < 0, ~values, values).reshape(-1)
        self._seen |= int(np.bitwise_or.reduce(sizes)) if sizes.size else 0

    def floor(self, total: Steps, fixed: FixedPoint) -> Steps:
        """Return ``fx_wide_floor``."""
        return self.note(np.asarray(total) >> fixed.fraction_bits)

    def note(self, wide: Steps) -> Steps:
        """Return the low 32 bits of a number; record whether they lose anything."""
        value = wrap(wide)
        self.lost |= bool((wide != value).any())
        return value

    def status(self, count: int) -> Status:
        """Return ``fx_range_status``."""
        limit = 1 << (31 - (count - 1).bit_length())
        return Status.OVERFLOW if self.lost or self._seen >= limit else Status.OK
