"""How many cycles a divider takes, by law: whole numbers in, one whole number out.

Plain functions of integers, for tests and notebooks; the engine has the same laws in C
(``sim/engine/divide.c``), and a test compares them. Operands are magnitudes: 0 to 2**32 - 1 for
the divisor, below 2**width_bits for the dividend. ``width_bits`` is the number of quotient bits,
32 for a plain division and 32 + f for one whose dividend is first shifted left by f <= 31.

An *engine cycle* counts from the first cycle with the operands to the one that shows the result,
one load cycle included. Sources: see ``models/dividers/laws.yaml``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.arch.dividers._table import Lookup

WORD_BITS = 32
LENGTHS = WORD_BITS + 1
"""Bit lengths 0 to 32 of an operand: rows and columns of a latency table."""

FIXED = 0
DIGITS = 1
EARLY_CLZ = 2
DIVISOR_CLZ = 3
VL_STD = 4
VL_HF = 5
VL_LS = 6
VL_HP = 7
TABLE = 8

_ANY_SKIP = 128


def bit_length(value: int) -> int:
    """Number of bits of a value from 0 to 2**63 - 1; 0 for 0."""
    length = 0
    if value >> 32:
        value >>= 32
        length += 32
    if value >> 16:
        value >>= 16
        length += 16
    if value >> 8:
        value >>= 8
        length += 8
    if value >> 4:
        value >>= 4
        length += 4
    if value >> 2:
        value >>= 2
        length += 2
    if value >> 1:
        value >>= 1
        length += 1
    return length + value


def bit_count(value: int) -> int:
    """Number of ones in a value from 0 to 2**63 - 1."""
    count = 0
    while value:
        value &= value - 1
        count += 1
    return count


def standard_steps(
    dividend: int, divisor: int, width_bits: int, least_skip: int, most_skip: int
) -> int:
    """Steps of the variable-latency scheme: skip known quotient zeros, then restore one bit.

    All in one cycle per step. ``high`` holds the partial remainder, ``low`` the rest of the
    dividend and, growing from below, the quotient; the leading-zero counter sees both, as in the
    hardware. Skips below ``least_skip`` or above ``most_skip`` are beyond the shifter and not
    made (variant LS); 0 and ``_ANY_SKIP`` leave it unlimited (variant STD).
    """
    high = 0
    low = dividend
    mask = (1 << width_bits) - 1
    aligned = max(bit_length(divisor), 1)  # the counter of a zero divisor stops at its last bit
    done = 0
    steps = 0
    while done < width_bits:
        if high > 0:
            skip = aligned - bit_length(high) - 1
        else:
            skip = aligned + width_bits - bit_length(low) - 1
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
    """Steps of variant HF: a skip has a cycle of its own, and never two in a row.

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
    aligned = bit_length(divisor)
    done = 0
    steps = 0
    skipped = False
    while done < width_bits:
        left = width_bits - 1 - done
        shift = 0
        if not skipped and left > 0:
            if high > 0:
                shift = aligned - bit_length(high) - 1
            elif low > 0:
                shift = aligned + width_bits - bit_length(low) - 1
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
    """Steps of variant HP as intended: one per quotient one, and one more if it ends in zero.

    The published code is defective; ``published_high_performance`` models that one.
    """
    # By zero every compare succeeds: ones from the first bit of the dividend on.
    quotient = dividend // divisor if divisor else (1 << bit_length(dividend)) - 1
    return bit_count(quotient) + 1 - (quotient & 1)


def engine_cycles(
    law: int,
    first: int,
    second: int,
    table: Lookup,
    dividend: int,
    divisor: int,
    width_bits: int,
) -> int:
    """Engine cycles of one division.

    Args:
        law: ``FIXED`` to ``TABLE``.
        first: FIXED: the cycles. DIGITS, EARLY_CLZ: quotient bits per cycle. DIVISOR_CLZ: cycles
            besides the leading zeros. VL_LS: the least skip of the shifter. Else not used.
        second: DIGITS: cycles besides the digits. VL_LS: the most the shifter skips.
        table: TABLE: cycles at ``LENGTHS * bits of dividend + bits of divisor``.
        dividend: magnitude, below 2**width_bits.
        divisor: magnitude, below 2**32.
        width_bits: 32 to 63; laws FIXED, DIVISOR_CLZ and TABLE are known for 32 only.
    """
    if law == FIXED:
        return first
    if law == DIGITS:
        return (width_bits + first - 1) // first + second
    if law == VL_STD:
        return 2 + standard_steps(dividend, divisor, width_bits, 0, _ANY_SKIP)
    if law == VL_HF:
        return 2 + high_frequency_steps(dividend, divisor, width_bits)
    if law == VL_LS:
        return 2 + standard_steps(dividend, divisor, width_bits, first, second)
    if law == VL_HP:
        return 2 + high_performance_steps(dividend, divisor)
    dividend_bits = bit_length(dividend)
    divisor_bits = bit_length(divisor)
    if law == EARLY_CLZ:
        if dividend_bits < divisor_bits or divisor == 0:
            return 1
        return 1 + (dividend_bits - divisor_bits + first) // first
    if law == DIVISOR_CLZ:
        return first + WORD_BITS - divisor_bits
    return int(table[LENGTHS * dividend_bits + divisor_bits])
