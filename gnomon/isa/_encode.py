"""Encoding of a mnemonic and operands. Values are never truncated: if one does not fit, it fails.

A single table of operand positions serves encoding and decoding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from gnomon.base.errors import GnomonError
from gnomon.isa._instruction import Format, Instruction, find_instruction

if TYPE_CHECKING:
    import numpy as np

    Word = TypeVar("Word", int, np.ndarray[Any, np.dtype[np.int64]])


class Layout(NamedTuple):
    """Positions of the operands of a format in a word.

    ``parts``: of the immediate: lowest bit in the word, number of bits, lowest bit in the
    immediate; empty if there is no immediate.
    """

    registers: tuple[str, ...] = ()  # its register fields; all others decode as 0
    parts: tuple[tuple[int, int, int], ...] = ()
    signed: bool = False  # the immediate has a sign

    @property
    def bits(self) -> int:
        return max(low + bits for _, bits, low in self.parts)

    @property
    def immediates(self) -> range:
        """All values of the immediate; empty if there is none."""
        if not self.parts:
            return range(0)
        half = 1 << self.bits - 1
        low, high = (-half, half) if self.signed else (0, 2 * half)
        return range(low, high, 1 << min(part[2] for part in self.parts))

    def pack(self, imm: int) -> int:
        """Return the bits of an immediate at their positions. The value must be in range."""
        return sum((imm >> low & (1 << bits) - 1) << place for place, bits, low in self.parts)

    def unpack(self, word: Word) -> Word:
        """Return the immediate of a 32-bit word or int64 array, sign-extended if it is signed."""
        value = word & 0
        for place, bits, low in self.parts:
            value = value | (word >> place & (1 << bits) - 1) << low
        if not self.signed:
            return value
        # Without a branch on the value, so that it also works for arrays.
        sign = 1 << self.bits - 1
        return (value ^ sign) - sign


REGISTER_FIELDS: Final = {"rd": 7, "rs1": 15, "rs2": 20}
"""Lowest bit in the word, by name."""

_ALL = tuple(REGISTER_FIELDS)
LAYOUTS: Final[dict[Format, Layout]] = {
    "R": Layout(_ALL),
    "I": Layout(("rd", "rs1"), ((20, 12, 0),), signed=True),
    "S": Layout(("rs1", "rs2"), ((25, 7, 5), (7, 5, 0)), signed=True),
    "B": Layout(("rs1", "rs2"), ((31, 1, 12), (25, 6, 5), (8, 4, 1), (7, 1, 11)), signed=True),
    "U": Layout(("rd",), ((12, 20, 12),), signed=True),
    "J": Layout(("rd",), ((31, 1, 20), (21, 10, 1), (20, 1, 11), (12, 8, 12)), signed=True),
    "shift": Layout(("rd", "rs1"), ((20, 5, 0),)),
    "csr": Layout(("rd", "rs1")),
    "csri": Layout(("rd",), ((15, 5, 0),)),
    "amo": Layout(_ALL, ((25, 2, 0),)),
    "fence": Layout((), ((20, 12, 0),)),
    "system": Layout(),
    "kmem": Layout(_ALL),
    "kdsp": Layout(_ALL),
    "R4": Layout(_ALL, ((27, 5, 0),)),
}
"""The immediate of U is the value that the instruction adds, not the 20-bit field; that of fence
holds fm, pred and succ, four bits each; that of amo the aq and rl bits; that of R4 is rs3."""

_OPERANDS: Final[dict[Format, tuple[str, ...]]] = {
    "R": _ALL, "I": ("rd", "rs1", "imm"), "S": ("rs2", "memory"), "B": ("rs1", "rs2", "target"),
    "U": ("rd", "upper"), "J": ("rd", "target"), "shift": ("rd", "rs1", "shift"),
    "csr": ("rd", "csr", "rs1"), "csri": ("rd", "csr", "imm"), "amo": ("rd", "rs2", "address"),
    "fence": ("pred", "succ"), "system": (), "R4": (*_ALL, "rs3"),
}  # fmt: skip


def operands(row: Instruction) -> tuple[str, ...]:
    """Return the kinds of the operands of an instruction, in the order of assembly text."""
    if row.format in ("kmem", "kdsp"):
        return ("rd", *(field for field in row.reads if field != "rd"))
    if row.format == "I" and row.timing_class in ("load", "jump"):
        return ("rd", "memory")
    if row.extension == "unit":
        fields = (("rd", row.rd), ("rs1", row.rs1), ("rs2", row.rs2))
        rest = {"I": ("imm",), "R4": ("rs3",)}.get(row.format, ())
        return (*(field for field, role in fields if role is not None), *rest)
    return () if row.mnemonic == "fence.i" else _OPERANDS[row.format]


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
        mnemonic: from the table; no pseudo-instructions.
        rd: destination register 0 to 31. The vector instructions read it.
        rs1: first register read, 0 to 31.
        rs2: second register read, 0 to 31.
        imm: byte offset for branches, jumps, loads and stores; the added value (a multiple of
            4096) for lui and auipc; the shift amount; the operand of csrrwi, csrrsi, csrrci; fm,
            pred and succ (12 bits) for fence; aq and rl (2 bits) for amoswap.w.
        csr: CSR address 0 to 0xfff.

    Raises:
        GnomonError: if the mnemonic is unknown, a value is out of range, or an operand is absent.
    """
    return encode_row(find_instruction(mnemonic), rd=rd, rs1=rs1, rs2=rs2, imm=imm, csr=csr)


def encode_row(
    row: Instruction, *, rd: int = 0, rs1: int = 0, rs2: int = 0, imm: int = 0, csr: int = 0
) -> int:
    """Return the word of an instruction; see :func:`encode`. ``imm`` of format R4 is rs3.

    Raises:
        GnomonError: if a value is out of range, or an operand is absent.
    """
    mnemonic, layout, word = row.mnemonic, LAYOUTS[row.format], row.template
    for (name, shift), value in zip(REGISTER_FIELDS.items(), (rd, rs1, rs2), strict=True):
        if name not in layout.registers:
            _must_be_absent(mnemonic, name, value)
        elif not 0 <= value <= 31:
            raise GnomonError(f"{mnemonic}: {name} must be a register 0 to 31, not {value}")
        word |= value << shift
    if row.format in ("csr", "csri"):
        if not 0 <= csr <= 0xFFF:
            raise GnomonError(f"{mnemonic}: csr must be 0 to 0xfff, not {csr:#x}")
        word |= csr << 20
    else:
        _must_be_absent(mnemonic, "csr", csr)
    allowed = layout.immediates
    if not allowed:
        _must_be_absent(mnemonic, "imm", imm)
    elif imm not in allowed:
        multiple = f" and a multiple of {allowed.step}" if allowed.step > 1 else ""
        raise GnomonError(
            f"{mnemonic}: imm must be {allowed[0]} to {allowed[-1]}{multiple}, not {imm}"
        )
    return word | layout.pack(imm)


def _must_be_absent(mnemonic: str, operand: str, value: int) -> None:
    if value:
        raise GnomonError(f"{mnemonic} has no operand {operand}, got {value}")
