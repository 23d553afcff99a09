"""Arithmetic inside one 32-bit word or one beat, with the hardware's own ideas about lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MASK = 0xFFFF_FFFF


def _signed(value: int, bits: int) -> int:
    return value - ((value >> (bits - 1) & 1) << bits)


def repeat_element(value: int, element_bits: int) -> int:
    """Put the low element of a value in every lane of a word."""
    element = value & ((1 << element_bits) - 1)
    return sum(element << shift for shift in range(0, 32, element_bits))


def element_word(
    name: str, a: int, b: int, element_bits: int, shift: int, *, lane_masks: bool
) -> int:
    """One word of an element-wise result."""
    if name == "kvcp":
        return a
    if name in {"ksrav", "ksrlv"}:
        return _shift_word(
            a, shift, element_bits, arithmetic=name == "ksrav", lane_masks=lane_masks
        )
    mask = (1 << element_bits) - 1
    result = 0
    for position in range(0, 32, element_bits):
        x, y = a >> position & mask, b >> position & mask
        result |= (_element(name, x, y, element_bits) & mask) << position
    return result


def _element(name: str, x: int, y: int, bits: int) -> int:
    match name:
        case "kaddv" | "ksvaddsc" | "ksvaddrf":
            return x + y
        case "ksubv":
            return x - y
        case "kvmul" | "ksvmulsc" | "ksvmulrf":
            return x * y
        case "krelu":
            return 0 if x >> (bits - 1) else x
        case "kvslt" | "ksvslt":
            return int(_signed(x, bits) < _signed(y, bits))
    raise AssertionError(name)


def product_bytes(a: int, b: int) -> int:
    """Low bytes of the products of the four bytes of two words."""
    return element_word("kvmul", a, b, 8, 0, lane_masks=True)


def _shift_word(
    word: int, shift: int, element_bits: int, *, arithmetic: bool, lane_masks: bool
) -> int:
    """Shift a whole word, then cut each lane to what it may keep.

    The cut and the sign fill use the amount modulo the lane width, so with a larger amount bits
    of the neighbour lane appear. Without lane masks nothing is cut, and the fill is the same.
    """
    if element_bits == 32:
        return (_signed(word, 32) if arithmetic else word) >> shift & _MASK
    return _cut_lanes(
        word, word >> shift, shift, element_bits, element_bits,
        arithmetic=arithmetic, lane_masks=lane_masks,
    )  # fmt: skip


def _cut_lanes(
    before: int,
    shifted: int,
    shift: int,
    lane_bits: int,
    sign_bits: int,
    *,
    arithmetic: bool,
    lane_masks: bool,
) -> int:
    """Keep the low ``sign_bits - shift`` bits of each lane and fill with the sign.

    ``sign_bits`` is the distance of the sign positions: for 8-bit products it is 8 in lanes of 16.
    The mask has a wire for the amount of its own (``dsp_shift_enabler`` of the hart), which the
    multithreaded hardware drives for hart 0 alone: elsewhere it reads 0, and ``sign_bits`` are
    kept. The fill takes the amount of the unit, which is always there.
    """
    amount = shift % sign_bits
    keep = (1 << (sign_bits - (amount if lane_masks else 0))) - 1
    fill = ((1 << (amount + 1)) - 1) << (sign_bits - 1 - amount)
    result = 0
    for position in range(0, 32, lane_bits):
        result |= shifted & keep << position
    if arithmetic:
        for position in range(0, 32, sign_bits):
            if before >> (position + sign_bits - 1) & 1:
                result |= fill << position
    return result & _MASK


def reduce_beat(a: Sequence[int], element_bits: int) -> int:
    """Sum of one beat: 32-bit lanes modulo 2^32, narrower ones modulo 2^16."""
    return sum(a) & (_MASK if element_bits == 32 else 0xFFFF)


def dot_beat(
    a: Sequence[int],
    b: Sequence[int],
    element_bits: int,
    shift: int | None,
    *,
    lane_masks: bool,
) -> int:
    """Sum of the products of one beat, each shifted right first if ``shift`` is given.

    8-bit operands are zero-extended and products of narrow lanes are cut to 16 bits.
    """
    if element_bits == 32:
        products = [x * y & _MASK for x, y in zip(a, b, strict=True)]
        if shift is not None:
            products = [_signed(product, 32) >> shift for product in products]
        return sum(products) & _MASK
    products = [x * y & 0xFFFF for x, y in zip(a, b, strict=True)]
    if shift is None:
        return sum(products) & 0xFFFF
    total = 0
    for low, high in zip(products[::2], products[1::2], strict=True):
        word = low | high << 16
        cut = _cut_lanes(
            word, word >> shift, shift, 16, element_bits, arithmetic=True, lane_masks=lane_masks
        )
        total += (cut & 0xFFFF) + (cut >> 16)
    return total & 0xFFFF


def wrap32(value: int) -> int:
    """The low 32 bits, as a signed word."""
    return _signed(value & _MASK, 32)


def post_scaled_product(a: int, b: int, shift: int, *, unsigned: bool = False) -> int:
    """Low 32 bits of floor(a * b / 2**shift), the product in full; shift 0 to 31.

    ``unsigned``: as the public Morph RTL reads its operands (measured, klessydra/Morph e3f0dcbd).
    """
    return wrap32(((a & _MASK) * (b & _MASK) if unsigned else a * b) >> shift)


def pre_shifted_quotient(dividend: int, divisor: int, shift: int) -> int:
    """(dividend << shift) / divisor towards zero, saturated; shift 0 to 31.

    x / 0 is the largest or smallest value, by the sign of x; 0 / 0 is 0.
    """
    most = 2**31 - 1
    if divisor == 0:
        return 0 if dividend == 0 else most if dividend > 0 else -most - 1
    quotient = (abs(dividend) << shift) // abs(divisor)
    if (dividend < 0) != (divisor < 0):
        quotient = -quotient
    return min(max(quotient, -most - 1), most)


def signed(value: int, bits: int) -> int:
    """The low bits of a value as a signed number."""
    return _signed(value & (1 << bits) - 1, bits)


def own_word(
    element: Callable[[int, int, int], int], a: int, b: int, element_bits: int, third: int
) -> int:
    """One word of the result of an instruction of a unit."""
    result = 0
    for position in range(0, 32, element_bits):
        x, y = (signed(word >> position, element_bits) for word in (a, b))
        result |= (element(x, y, third) & ((1 << element_bits) - 1)) << position
    return result
