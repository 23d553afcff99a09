"""Where the operands sit in a word: one pack and one unpack per immediate format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    import numpy as np

    from gnomon.isa._instruction import Format

    Word = TypeVar("Word", int, np.ndarray[Any, np.dtype[np.int64]])

IMMEDIATE_RANGE: Final[dict[Format, tuple[int, int, int]]] = {
    "I": (-2048, 2047, 1),
    "S": (-2048, 2047, 1),
    "B": (-4096, 4094, 2),
    "U": (-(2**31), 2**31 - 4096, 4096),
    "J": (-(2**20), 2**20 - 2, 2),
    "shift": (0, 31, 1),
    "csri": (0, 31, 1),
    "fence": (0, 0xFFF, 1),
    "amo": (0, 3, 1),
}
"""Lowest, highest and step of the immediate. A format that is absent has none.

U holds the value the instruction adds, not the 20-bit field. fence holds fm, pred and succ, four
bits each. amo holds the aq and rl bits.
"""

REGISTER_FIELDS: Final[dict[Format, frozenset[str]]] = {
    "R": frozenset({"rd", "rs1", "rs2"}),
    "I": frozenset({"rd", "rs1"}),
    "S": frozenset({"rs1", "rs2"}),
    "B": frozenset({"rs1", "rs2"}),
    "U": frozenset({"rd"}),
    "J": frozenset({"rd"}),
    "shift": frozenset({"rd", "rs1"}),
    "csr": frozenset({"rd", "rs1"}),
    "csri": frozenset({"rd"}),
    "amo": frozenset({"rd", "rs1", "rs2"}),
    "fence": frozenset(),
    "system": frozenset(),
    "kmem": frozenset({"rd", "rs1", "rs2"}),
    "kdsp": frozenset({"rd", "rs1", "rs2"}),
}
"""Which register fields the format has. All others decode as 0."""


def pack_immediate(layout: Format, imm: int) -> int:
    """Return the bits of an immediate, in place. The value must be in range."""
    if layout == "I":
        return (imm & 0xFFF) << 20
    if layout == "S":
        return (imm >> 5 & 0x7F) << 25 | (imm & 0x1F) << 7
    if layout == "B":
        return (
            (imm >> 12 & 1) << 31
            | (imm >> 5 & 0x3F) << 25
            | (imm >> 1 & 0xF) << 8
            | (imm >> 11 & 1) << 7
        )
    if layout == "U":
        return imm & 0xFFFF_F000
    if layout == "J":
        return (
            (imm >> 20 & 1) << 31
            | (imm >> 1 & 0x3FF) << 21
            | (imm >> 11 & 1) << 20
            | (imm >> 12 & 0xFF) << 12
        )
    if layout in ("shift", "fence"):
        return imm << 20
    if layout == "csri":
        return imm << 15
    if layout == "amo":
        return imm << 25
    return 0


def unpack_immediate(layout: Format, word: Word) -> Word:
    """Return the immediate of a 32-bit word, or of each of an int64 array, signed where it is."""
    if layout == "I":
        return _signed(word >> 20, 12)
    if layout == "S":
        return _signed(word >> 25 << 5 | word >> 7 & 0x1F, 12)
    if layout == "B":
        return _signed(
            (word >> 31) << 12
            | (word >> 7 & 1) << 11
            | (word >> 25 & 0x3F) << 5
            | (word >> 8 & 0xF) << 1,
            13,
        )
    if layout == "U":
        return _signed(word & 0xFFFF_F000, 32)
    if layout == "J":
        return _signed(
            (word >> 31) << 20
            | (word >> 12 & 0xFF) << 12
            | (word >> 20 & 1) << 11
            | (word >> 21 & 0x3FF) << 1,
            21,
        )
    if layout == "shift":
        return word >> 20 & 0x1F
    if layout == "fence":
        return word >> 20
    if layout == "csri":
        return word >> 15 & 0x1F
    if layout == "amo":
        return word >> 25 & 3
    return word & 0


def _signed(value: Word, bits: int) -> Word:
    # Without a branch, so that it serves arrays too.
    sign = 1 << (bits - 1)
    return (value ^ sign) - sign
