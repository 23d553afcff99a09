"""The compressed instructions of RV32C: what each 16-bit word stands for.

A compressed instruction means what its expansion means, but for the address of the next
instruction, which is pc + 2: a link too.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from gnomon.base.errors import GnomonError
from gnomon.isa._encode import ABI_NAMES, encode


class Compressed(NamedTuple):
    """One form.

    Attributes:
        pattern: bits 15:0; ``i`` the immediate, ``d`` and ``s`` registers, ``D`` and ``S``
            registers x8 to x15, written as ``d`` and ``s`` in the expansion as well.
        immediate: the bit of the immediate that each ``i`` is, from the left, as in the manual.
        signed: whether the highest of them is the sign.
        expansion: mnemonic, then fields of ``encode``: a letter, or the number itself.
        operands: as they stand in assembly text: the letters, the immediate as a ``shift`` amount,
            the ``upper`` bits of a word, or where a jump goes ``to``.
        nonzero: the letters whose value must not be 0.
    """

    mnemonic: str
    pattern: str
    immediate: str
    signed: bool
    expansion: str
    operands: str
    nonzero: str = ""


_BRANCH: Final = "8 4:3 7:6 2:1 5"
_JUMP: Final = "11 4 9:8 10 6 7 3:1 5"

# RISC-V Unprivileged ISA 20191213, chapter 16. The first row that fits counts. Words that are
# hints (c.nop with an immediate, c.li to x0, a shift by 0 ...) are their expansion, which changes
# no register.
COMPRESSED: Final = (
    Compressed("c.addi4spn", "000 iiiiiiii SSS 00", "5:4 9:6 2 3", False, "addi rd=s rs1=2",
               "s,sp,i", "i"),
    Compressed("c.lw", "010 iii DDD ii SSS 00", "5:3 2 6", False, "lw rd=s rs1=d", "s,i(d)"),
    Compressed("c.sw", "110 iii DDD ii SSS 00", "5:3 2 6", False, "sw rs2=s rs1=d", "s,i(d)"),
    Compressed("c.addi", "000 i ddddd iiiii 01", "5 4:0", True, "addi rd=d rs1=d", "d,i"),
    Compressed("c.jal", "001 iiiiiiiiiii 01", _JUMP, True, "jal rd=1", "to"),
    Compressed("c.li", "010 i ddddd iiiii 01", "5 4:0", True, "addi rd=d rs1=0", "d,i"),
    Compressed("c.addi16sp", "011 i 00010 iiiii 01", "9 4 6 8:7 5", True, "addi rd=2 rs1=2",
               "sp,i", "i"),
    Compressed("c.lui", "011 i ddddd iiiii 01", "17 16:12", True, "lui rd=d", "d,upper", "i"),
    Compressed("c.srli", "100 0 00 DDD iiiii 01", "4:0", False, "srli rd=d rs1=d", "d,shift"),
    Compressed("c.srai", "100 0 01 DDD iiiii 01", "4:0", False, "srai rd=d rs1=d", "d,shift"),
    Compressed("c.andi", "100 i 10 DDD iiiii 01", "5 4:0", True, "andi rd=d rs1=d", "d,i"),
    Compressed("c.sub", "100 0 11 DDD 00 SSS 01", "", False, "sub rd=d rs1=d rs2=s", "d,s"),
    Compressed("c.xor", "100 0 11 DDD 01 SSS 01", "", False, "xor rd=d rs1=d rs2=s", "d,s"),
    Compressed("c.or", "100 0 11 DDD 10 SSS 01", "", False, "or rd=d rs1=d rs2=s", "d,s"),
    Compressed("c.and", "100 0 11 DDD 11 SSS 01", "", False, "and rd=d rs1=d rs2=s", "d,s"),
    Compressed("c.j", "101 iiiiiiiiiii 01", _JUMP, True, "jal rd=0", "to"),
    Compressed("c.beqz", "110 iii DDD iiiii 01", _BRANCH, True, "beq rs1=d rs2=0", "d,to"),
    Compressed("c.bnez", "111 iii DDD iiiii 01", _BRANCH, True, "bne rs1=d rs2=0", "d,to"),
    Compressed("c.slli", "000 0 ddddd iiiii 10", "4:0", False, "slli rd=d rs1=d", "d,shift"),
    Compressed("c.lwsp", "010 i ddddd iiiii 10", "5 4:2 7:6", False, "lw rd=d rs1=2",
               "d,i(sp)", "d"),
    Compressed("c.jr", "100 0 ddddd 00000 10", "", False, "jalr rd=0 rs1=d", "d", "d"),
    Compressed("c.mv", "100 0 ddddd sssss 10", "", False, "add rd=d rs1=0 rs2=s", "d,s", "s"),
    Compressed("c.ebreak", "100 1 00000 00000 10", "", False, "ebreak", ""),
    Compressed("c.jalr", "100 1 ddddd 00000 10", "", False, "jalr rd=1 rs1=d", "d", "d"),
    Compressed("c.add", "100 1 ddddd sssss 10", "", False, "add rd=d rs1=d rs2=s", "d,s", "s"),
    Compressed("c.swsp", "110 iiiiii sssss 10", "5:2 7:6", False, "sw rs2=s rs1=2", "s,i(sp)"),
)  # fmt: skip


@cache
def _bits(ranges: str) -> tuple[int, ...]:
    """Return the bit numbers of ``"5:4 9"``, from the left: 5, 4, 9."""
    bits: list[int] = []
    for part in ranges.split():
        high, _, low = part.partition(":")
        bits += range(int(high), int(low or high) - 1, -1)
    return tuple(bits)


def _values(row: Compressed, halfword: int) -> dict[str, int] | None:
    """Return the value of each letter, None if the word is not of this form."""
    found: dict[str, str] = {}
    for letter, bit in zip(row.pattern.replace(" ", ""), f"{halfword:016b}", strict=True):
        if letter in "01":
            if letter != bit:
                return None
        else:
            found[letter] = found.get(letter, "") + bit
    values = {
        letter.lower(): int(bits, 2) + (8 if letter in "DS" else 0)
        for letter, bits in found.items()
    }
    if row.immediate:
        places = _bits(row.immediate)
        value = sum(1 << place for place, bit in zip(places, found["i"], strict=True) if bit == "1")
        sign = 1 << max(places)
        values["i"] = (value ^ sign) - sign if row.signed else value
    return None if any(values[letter] == 0 for letter in row.nonzero) else values


def is_compressed(word: int) -> bool:
    """Whether a word has the 16 bits of a compressed instruction."""
    return word <= 0xFFFF and word & 3 != 3


@cache
def _form(halfword: int) -> tuple[Compressed, dict[str, int]] | None:
    if not 0 <= halfword <= 0xFFFF:
        raise GnomonError(f"a compressed instruction must be 0 to 0xffff, not {halfword:#x}")
    fitting = ((row, _values(row, halfword)) for row in COMPRESSED)
    return next(((row, values) for row, values in fitting if values is not None), None)


def expand(halfword: int) -> int | None:
    """Return the instruction that a compressed one stands for; None if the word is none.

    None too for the forms of other machines: of floating point, 64 bits, and what is reserved.

    Raises:
        GnomonError: the word does not fit in 16 bits.
    """
    form = _form(halfword)
    if form is None:
        return None
    row, values = form
    mnemonic, *operands = row.expansion.split()
    fields = {
        field: values[value] if value in values else int(value)
        for field, value in (operand.split("=") for operand in operands)
    }
    if row.immediate:
        fields["imm"] = values["i"]
    return encode(mnemonic, **fields)


def compressed_text(halfword: int, pc: int) -> str | None:
    """Return the assembly text of a compressed instruction at ``pc``; None if the word is none."""
    form = _form(halfword)
    if form is None:
        return None
    row, values = form
    imm = values.get("i", 0)
    shown = {letter: ABI_NAMES[values[letter]] for letter in "ds" if letter in values}
    shown |= {"i": f"{imm}", "shift": f"{imm:#x}", "upper": f"{imm >> 12 & 0xFFFFF:#x}",
              "to": f"{(pc + imm) & 0xFFFF_FFFF:#x}"}  # fmt: skip
    operands = re.sub(r"\w+", lambda name: shown.get(name[0], name[0]), row.operands)
    return f"{row.mnemonic} {operands}".rstrip()
