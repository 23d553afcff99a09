"""What vector instructions compute, bit for bit, on scratchpad words.

Source: rules of microarchitecture.md section 7 as measured on the T13x RTL (3264 cases, see
docs/accuracy.md). Element widths follow MVTYPE: 0 = 8 bit, 1 = 16 bit, 2 = 32 bit. Words are
carried as int64 in the range of a signed 32-bit word; scratchpads are flat int32 arrays.
"""

from __future__ import annotations

from gnomon.base.compiled import Words, inner, int64
from gnomon.sim import _ops as op

_M32 = 0xFFFFFFFF


@inner
def signed32(value: int) -> int:
    """Wrap to a signed 32-bit value."""
    return ((value & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000


@inner
def is_product(o: int) -> bool:
    """Instructions that need the multiplier or the reduction tree: half rate on bytes."""
    return (
        o == op.KVMUL
        or o == op.KSVMULSC
        or o == op.KSVMULRF
        or o == op.KDOTP
        or o == op.KDOTPPS
        or o == op.KVRED
    )


@inner
def is_reduction(o: int) -> bool:
    """Instructions whose result is one word."""
    return o == op.KDOTP or o == op.KDOTPPS or o == op.KVRED


@inner
def _shift_lanes(a: int, amount: int, mask_amount: int, bits: int, arithmetic: bool) -> int:
    """Shift a word and repair its 16- or 8-bit lanes the way the shifter does.

    ``mask_amount`` is what the lane mask is made from, which the hardware may have wrong; the
    sign fill always takes the real amount, modulo the lane.
    """
    shifted = (a & _M32) >> amount
    keep = (1 << (bits - mask_amount)) - 1
    full = (1 << bits) - 1
    fill = full & ~((1 << (bits - amount % bits - 1)) - 1)
    result = 0
    for lane in range(32 // bits):
        low = lane * bits
        value = (shifted >> low) & keep
        if arithmetic and (a >> (low + bits - 1)) & 1:
            value |= fill
        result |= (value & full) << low
    return result


@inner
def element_word(o: int, vt: int, a: int, b: int, shift: int, mask_shift: int) -> int:
    """One result word of an element-wise instruction.

    ``a`` is the vector word, ``b`` the second word: vector, or the scalar repeated in every lane.
    """
    if o == op.KVCP:
        return a
    if o == op.KBCAST:
        return b
    if vt == 2:
        if o == op.KADDV or o == op.KSVADDSC or o == op.KSVADDRF:
            return signed32(a + b)
        if o == op.KSUBV:
            return signed32(a - b)
        if o == op.KVMUL or o == op.KSVMULSC or o == op.KSVMULRF:
            return signed32(a * b)
        if o == op.KSRAV:
            return a >> shift
        if o == op.KSRLV:
            return signed32((a & _M32) >> shift)
        if o == op.KRELU:
            return max(a, 0)
        return 1 if a < b else 0
    bits = 16 if vt == 1 else 8
    if o == op.KSRAV or o == op.KSRLV:
        return signed32(_shift_lanes(a, shift, mask_shift, bits, o == op.KSRAV))
    full = (1 << bits) - 1
    sign = 1 << (bits - 1)
    result = 0
    for lane in range(32 // bits):
        low = lane * bits
        x = (a >> low) & full
        y = (b >> low) & full
        if o == op.KADDV or o == op.KSVADDSC or o == op.KSVADDRF:
            value = x + y
        elif o == op.KSUBV:
            value = x - y
        elif o == op.KVMUL or o == op.KSVMULSC or o == op.KSVMULRF:
            value = x * y
        elif o == op.KRELU:
            value = 0 if x & sign else x
        else:
            value = 1 if (x ^ sign) < (y ^ sign) else 0
        result |= (value & full) << low
    return signed32(result)


@inner
def repeat_scalar(value: int, vt: int) -> int:
    """The scalar operand as the lanes of one word see it."""
    if vt == 2:
        return signed32(value)
    if vt == 1:
        return signed32((value & 0xFFFF) * 0x00010001)
    return signed32((value & 0xFF) * 0x01010101)


@inner
def _scaled_pair(p0: int, p1: int, vt: int, shift: int, mask_shift: int) -> int:
    """Post-scale two 16-bit products held in one word, as kdotpps does."""
    word = p0 | (p1 << 16)
    shifted = word >> shift
    result = 0
    if vt == 1:
        keep = (1 << (16 - mask_shift)) - 1
        fill = 0xFFFF & ~((1 << (15 - shift % 16)) - 1)
        for lane in range(2):
            value = (shifted >> (16 * lane)) & keep
            if (word >> (16 * lane + 15)) & 1:
                value |= fill
            result |= value << (16 * lane)
        return result
    # Bytes: only the low 8-(f mod 8) bits of each half survive, and every byte is sign filled.
    # As in shifts, the mask may be made from another amount than the fill.
    keep = (1 << (8 - mask_shift)) - 1
    result = shifted & (keep | (keep << 16))
    fill = 0xFF & ~((1 << (7 - shift % 8)) - 1)
    for byte in range(4):
        if (word >> (8 * byte + 7)) & 1:
            result |= fill << (8 * byte)
    return result


@inner
def _lane16(word: int, lane: int, vt: int) -> int:
    """One operand of the 16-bit multiplier array: a half word, or a byte zero-extended."""
    if vt == 1:
        return (word >> (16 * lane)) & 0xFFFF
    return (word >> (8 * lane)) & 0xFF


@inner
def reduce_beat(
    o: int,
    vt: int,
    spm: Words,
    word_a: int,
    word_b: int,
    first_byte: int,
    beat_bytes: int,
    n: int,
    shift: int,
    mask_shift: int,
    repeat_low_half: bool,
) -> int:
    """The sum that one beat of kdotp, kdotpps or kvred adds to the accumulator.

    ``word_a`` and ``word_b`` index the operands' first words in ``spm``; the beat covers bytes
    ``first_byte`` to ``first_byte + beat_bytes``, those beyond ``n`` count as zero.
    """
    if vt == 2:
        total = 0
        for k in range(beat_bytes // 4):
            byte = first_byte + 4 * k
            if byte < n:
                a = int64(spm[word_a + (byte >> 2)])
                if o == op.KVRED:
                    total += a
                else:
                    product = signed32(a * int64(spm[word_b + (byte >> 2)]))
                    total += product >> shift if o == op.KDOTPPS else product
        return total
    size = 2 if vt == 1 else 1
    lanes = beat_bytes // size
    total = 0
    previous = int64(0)
    for lane in range(lanes):
        byte = first_byte + lane * size
        value = 0
        if byte < n:
            within = (byte % 2 if repeat_low_half else byte % 4) // size
            a = _lane16(int64(spm[word_a + (byte >> 2)]), within, vt)
            if o == op.KVRED:
                value = a
            else:
                value = (a * _lane16(int64(spm[word_b + (byte >> 2)]), within, vt)) & 0xFFFF
        if o == op.KDOTPPS:
            # Products are scaled in pairs, since the shifter works on 32-bit words.
            if lane % 2 == 1:
                pair = _scaled_pair(previous, value, vt, shift, mask_shift)
                total += (pair & 0xFFFF) + (pair >> 16)
            previous = value
        else:
            total += value
    return total & 0xFFFF
