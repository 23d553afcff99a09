"""From a mnemonic and operands to a word. Nothing is truncated: what does not fit is an error.

Where the operands sit in a word is one table for both ways, words to instructions included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from gnomon.isa._instruction import IsaError
from gnomon.isa._table import instruction

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


_PARTS: Final[dict[Format, tuple[tuple[int, int, int], ...]]] = {
    "I": ((20, 12, 0),),
    "S": ((25, 7, 5), (7, 5, 0)),
    "B": ((31, 1, 12), (25, 6, 5), (8, 4, 1), (7, 1, 11)),
    "U": ((12, 20, 12),),
    "J": ((31, 1, 20), (21, 10, 1), (20, 1, 11), (12, 8, 12)),
    "shift": ((20, 5, 0),),
    "csri": ((15, 5, 0),),
    "fence": ((20, 12, 0),),
    "amo": ((25, 2, 0),),
}
"""Parts of the immediate: lowest bit in the word, number of bits, lowest bit in the immediate."""

_SIGNED_BITS: Final[dict[Format, int]] = {"I": 12, "S": 12, "B": 13, "U": 32, "J": 21}


def pack_immediate(layout: Format, imm: int) -> int:
    """Return the bits of an immediate, in place. The value must be in range."""
    parts = _PARTS.get(layout, ())
    return sum((imm >> low & (1 << bits) - 1) << place for place, bits, low in parts)


def unpack_immediate(layout: Format, word: Word) -> Word:
    """Return the immediate of a 32-bit word, or of each of an int64 array, signed where it is."""
    value = word & 0
    for place, bits, low in _PARTS.get(layout, ()):
        value = value | (word >> place & (1 << bits) - 1) << low
    # Without a branch on the value, so that it serves arrays too.
    sign = 1 << _SIGNED_BITS.get(layout, 64) - 1
    return (value ^ sign) - sign if layout in _SIGNED_BITS else value


ABI_NAMES: tuple[str, ...] = (
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1",
    *(f"a{index}" for index in range(8)),
    *(f"s{index}" for index in range(2, 12)),
    *(f"t{index}" for index in range(3, 7)),
)  # fmt: skip
"""ABI name of registers 0 to 31 (RISC-V calling convention)."""

REGISTER_OF_NAME: dict[str, int] = {
    **{name: index for index, name in enumerate(ABI_NAMES)},
    **{f"x{index}": index for index in range(32)},
    "fp": 8,
}


def encode(
    mnemonic: str, *, rd: int = 0, rs1: int = 0, rs2: int = 0, imm: int = 0, csr: int = 0
) -> int:
    """Return the 32-bit word of an instruction.

    Args:
        mnemonic: as in ``INSTRUCTIONS``; no pseudo-instructions.
        rd: destination register 0 to 31. The vector instructions read it.
        rs1: first register read, 0 to 31.
        rs2: second register read, 0 to 31.
        imm: byte offset for branches, jumps, loads and stores; the value added (a multiple of
            4096) for lui and auipc; the shift amount; the operand of csrrwi and its kin; fm, pred
            and succ (12 bits) for fence; aq and rl (2 bits) for amoswap.w.
        csr: CSR address 0 to 0xfff.

    Raises:
        IsaError: unknown mnemonic, a value out of range, or an operand the instruction lacks.
    """
    row = instruction(mnemonic)
    registers = REGISTER_FIELDS[row.format]
    word = row.template
    for name, value, shift in (("rd", rd, 7), ("rs1", rs1, 15), ("rs2", rs2, 20)):
        if name not in registers:
            _must_be_absent(mnemonic, name, value)
        elif not 0 <= value <= 31:
            raise IsaError(f"{mnemonic}: {name} must be a register 0 to 31, not {value}")
        word |= value << shift
    if row.format in ("csr", "csri"):
        if not 0 <= csr <= 0xFFF:
            raise IsaError(f"{mnemonic}: csr must be 0 to 0xfff, not {csr:#x}")
        word |= csr << 20
    else:
        _must_be_absent(mnemonic, "csr", csr)
    if row.format not in IMMEDIATE_RANGE:
        _must_be_absent(mnemonic, "imm", imm)
        return word
    low, high, step = IMMEDIATE_RANGE[row.format]
    if not low <= imm <= high or imm % step:
        multiple = f" and a multiple of {step}" if step > 1 else ""
        raise IsaError(f"{mnemonic}: imm must be {low} to {high}{multiple}, not {imm}")
    return word | pack_immediate(row.format, imm)


def _must_be_absent(mnemonic: str, operand: str, value: int) -> None:
    if value:
        raise IsaError(f"{mnemonic} has no operand {operand}, got {value}")
