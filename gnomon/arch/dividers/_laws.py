"""Results of a lane, and cycles of a divider by latency model: whole numbers in and out.

The engine has the same latency models in C (``sim/engine/divide.c``), and a test compares them.
Operands are magnitudes: 0 to 2**32 - 1 for the divisor, below 2**width_bits for the dividend.
``width_bits`` is the number of quotient bits: 32 for a plain division, 32 + f if the dividend is
first shifted left by f <= 31. The models ``fixed``, ``divisor-clz`` and ``table`` hold for 32 only.

An *engine cycle* counts from the first cycle with the operands to the one that shows the result,
one load cycle included. Sources: see ``models/dividers/laws.yaml``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.arch.dividers._divider import Divider

WORD_BITS = 32
LENGTHS = WORD_BITS + 1
"""Bit lengths 0 to 32 of an operand: rows and columns of a latency table."""

_ANY_SKIP = 128


@dataclass(frozen=True, slots=True)
class Lane:
    """The results of vector division, as its instructions are defined, or as the public Morph RTL.

    Operands and results are signed 32-bit values. Source: measurements of klessydra/Morph e3f0dcbd.

    ``zero_as_riscv``: set by the machine file: x / 0 is -1 and x rem 0 is x; else both are 0.
    """

    drops_signs: bool = False  # quotients and remainders are those of the magnitudes
    zero_as_riscv: bool = False

    def quotient(self, dividend: int, divisor: int) -> int:
        """Return the quotient, rounded towards zero; -2**31 / -1 is -2**31."""
        if divisor == 0:
            return -1 if self.zero_as_riscv else 0
        quotient = abs(dividend) // abs(divisor)
        negative = (dividend < 0) != (divisor < 0) and not self.drops_signs
        return _wrap_to_word(-quotient if negative else quotient)

    def remainder(self, dividend: int, divisor: int) -> int:
        """Return the remainder, with the sign of the dividend."""
        if divisor == 0:
            return dividend if self.zero_as_riscv else 0
        remainder = abs(dividend) % abs(divisor)
        return _wrap_to_word(-remainder if dividend < 0 and not self.drops_signs else remainder)


def _wrap_to_word(value: int) -> int:
    """Return the low 32 bits as a signed word."""
    return ((value & 0xFFFF_FFFF) ^ 0x8000_0000) - 0x8000_0000


def standard_steps(
    dividend: int, divisor: int, width_bits: int, least_skip: int, most_skip: int
) -> int:
    """Return the steps of the variable-latency scheme: skip quotient zeros, then restore a bit.

    A step takes one cycle. ``high`` holds the partial remainder; ``low`` holds the rest of the
    dividend and, growing from the low end, the quotient. The leading-zero counter sees both, as in
    the hardware. Skips below ``least_skip`` or above ``most_skip`` exceed the shifter and are not
    made (variant LS); 0 and ``_ANY_SKIP`` set no limit (variant STD).
    """
    high = 0
    low = dividend
    mask = (1 << width_bits) - 1
    aligned = max(divisor.bit_length(), 1)  # the counter of a zero divisor stops at its last bit
    done = 0
    steps = 0
    while done < width_bits:
        if high > 0:
            skip = aligned - high.bit_length() - 1
        else:
            skip = aligned + width_bits - low.bit_length() - 1
        if skip < least_skip or skip > most_skip:
            skip = 0
        shift = min(max(skip, 0), width_bits - 1 - done) + 1
        high = (high << shift) | (low >> (width_bits - shift))
        low = (low << shift) & mask
        if high >= divisor:
            high -= divisor
            low |= 1
        done += shift
        steps += 1
    return steps


def high_frequency_steps(dividend: int, divisor: int, width_bits: int) -> int:
    """Return the steps of variant HF: a skip takes its own cycle, and never two in a row.

    A skip that would leave the quotient ends the loop: the last step overlaps the cycle that
    shows the result, unless it is the first skip of all. Zeros are special: the counter wraps.
    """
    if divisor == 0:
        return 2
    if dividend == 0:
        return width_bits
    high = 0
    low = dividend
    mask = (1 << width_bits) - 1
    aligned = divisor.bit_length()
    done = 0
    steps = 0
    skipped = False
    while done < width_bits:
        left = width_bits - 1 - done
        shift = 0
        if not skipped and left > 0:
            if high > 0:
                shift = aligned - high.bit_length() - 1
            elif low > 0:
                shift = aligned + width_bits - low.bit_length() - 1
        if shift > left:
            return steps + (2 if done == 0 else 1)
        skipped = shift > 0
        shift = max(shift, 1)
        high = (high << shift) | (low >> (width_bits - shift))
        low = (low << shift) & mask
        if not skipped and high >= divisor:
            high -= divisor
            low |= 1
        done += shift
        steps += 1
    return steps


def high_performance_steps(dividend: int, divisor: int) -> int:
    """Return the steps of variant HP as intended: one per quotient one, one more for a final zero.

    The published code is defective; ``gnomon.rtl.validate`` models that code.
    """
    # For divisor zero every compare succeeds: ones from the first bit of the dividend on.
    quotient = dividend // divisor if divisor else (1 << dividend.bit_length()) - 1
    return quotient.bit_count() + 1 - (quotient & 1)


LAWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fixed": ("`cycles`, whatever the operands", ("cycles",)),
    "digits": (
        "a step per `bits_per_cycle` quotient bits, and `overhead_cycles`",
        ("bits_per_cycle", "overhead_cycles"),
    ),
    "early-clz": (
        "1, and a step per `bits_per_cycle` bits that the quotient can have",
        ("bits_per_cycle",),
    ),
    "divisor-clz": (
        "`overhead_cycles`, and the leading zeros of the divisor",
        ("overhead_cycles",),
    ),
    "vl-std": ("2, and a step per quotient bit that is not known to be zero", ()),
    "vl-hf": ("2, and the same steps, but a skip of zeros takes one of its own", ()),
    "vl-ls": (
        "2, and the same steps, with skips from `least_skip` to `most_skip` bits only",
        ("least_skip", "most_skip"),
    ),
    "vl-hp": ("2, and a step per one in the quotient, and one if it ends in zero", ()),
    "table": ("those of the `divider_table` of the machine", ()),
}
"""By name: engine cycles on one line, and the keys that are the first and second parameter.

``models/dividers/laws.yaml`` spells the names, the engine numbers them in this order.
"""


def engine_cycles(divider: Divider, dividend: int, divisor: int, width_bits: int) -> int:
    first, second = divider.first, divider.second
    longer = dividend.bit_length() - divisor.bit_length()
    match divider.law:
        case "fixed":
            return first
        case "digits":
            return -(-width_bits // first) + second
        case "early-clz":
            return 1 if longer < 0 or not divisor else 1 + (longer + first) // first
        case "divisor-clz":
            return first + WORD_BITS - divisor.bit_length()
        case "vl-std":
            return 2 + standard_steps(dividend, divisor, width_bits, 0, _ANY_SKIP)
        case "vl-hf":
            return 2 + high_frequency_steps(dividend, divisor, width_bits)
        case "vl-ls":
            return 2 + standard_steps(dividend, divisor, width_bits, first, second)
        case "vl-hp":
            return 2 + high_performance_steps(dividend, divisor)
    return divider.lookup[LENGTHS * dividend.bit_length() + divisor.bit_length()]
