"""Steps of the variable-latency dividers, which depend on all bits of the operands.

The engine has the same in C (``sim/engine/latency.c``), and a test compares them. Operands are
magnitudes: 0 to 2**32 - 1 for the divisor, below 2**width_bits for the dividend. ``width_bits`` is
the number of quotient bits: 32 for a plain division, 32 + f if the dividend is first shifted left
by f <= 31. Sources: see ``models/dividers/laws.yaml``.
"""

from typing import Final

ANY_SKIP: Final = 128
"""A longest skip that sets no limit."""


def skip_steps(
    dividend: int, divisor: int, width_bits: int, least_skip: int, most_skip: int
) -> int:
    """Return the steps of the variable-latency scheme: skip quotient zeros, then restore a bit.

    A step takes one cycle. ``high`` holds the partial remainder; ``low`` holds the rest of the
    dividend and, growing from the low end, the quotient. The leading-zero counter sees both, as in
    the hardware. Skips below ``least_skip`` or above ``most_skip`` exceed the shifter and are not
    made (variant LS); 0 and ``ANY_SKIP`` set no limit (variant STD).
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
