"""Small loops for the second tier: one hart at work, or all of them."""

from __future__ import annotations

from gnomon.program import Program, load_elf
from tests.exactness import _assembler as asm
from tests.exactness._elf_writer import write_elf

ROUNDS = 2000
LOOP_WORDS = 9
_CODE = 0x80  # where machines of every kind start


def counting(*, alone: bool, rounds: int = ROUNDS) -> tuple[Program, int]:
    """Each hart, or hart 0 alone, counts in a word of its own; also returns where its loop starts.

    A line of 64 bytes belongs to all harts, so that they race for it.
    """
    a = asm.Assembler()
    a.jal(0, asm.START_PC)
    while a.here < asm.START_PC:
        a.nop()
    a.csrr(asm.T0, asm.MHARTID)
    a.branch(0, asm.T0, 0, a.here + 20)
    if alone:
        a.addi(asm.T1, 0, 8)
        a.csrrw(0, asm.MSTATUS, asm.T1)
        a.jal(0, a.wfi())
    else:
        a.nop()
        a.nop()
        a.nop()
        a.nop()
    a.i(0x13, 1, asm.T1, asm.T0, 2)  # slli: a word by hart
    a.li(asm.S0, asm.DATA_BASE)
    a.r(0x33, 0, 0, (asm.S0, asm.S0, asm.T1))
    a.li(asm.S1, rounds)
    loop = a.lw(asm.A0, 0, asm.S0)
    a.muldiv("mulh", asm.A1, asm.A0, asm.S1)
    a.r(0x33, 0, 0, (asm.A0, asm.A0, asm.S1))
    a.sw(asm.A0, 0, asm.S0)
    a.s(0, asm.A1, asm.S0, 64)
    a.lw(asm.A2, 64, asm.S0)
    a.r(0x33, 4, 0, (asm.A3, asm.A3, asm.A2))
    a.addi(asm.S1, asm.S1, -1)
    a.branch(1, asm.S1, 0, loop)
    a.branch(0, asm.T0, 0, a.here + 8)
    a.jal(0, a.here)
    asm.exit_with(a, 7)
    return load_elf(write_elf([(a.base, a.code()), (asm.DATA_BASE, bytes(256))])), loop


def divided() -> Program:
    """All harts divide, multiply and shift by operands of every length, and by zero."""
    a = asm.Assembler(_CODE)
    a.li(asm.A0, -(2**31) + 12345)
    a.li(asm.S1, 300)
    loop = a.muldiv("div", asm.A1, asm.A0, asm.S1)
    a.muldiv("remu", asm.A2, asm.A0, asm.A1)
    a.muldiv("mul", asm.A3, asm.A2, asm.A0)
    a.r(0x33, 5, 0, (asm.T1, asm.A0, asm.S1))  # srl
    a.i(0x13, 1, asm.T0, asm.T1, 7)  # slli
    a.muldiv("divu", asm.T1, asm.T0, asm.T1)
    a.r(0x33, 5, 0x20, (asm.A0, asm.A0, asm.T1))  # sra
    a.r(0x33, 4, 0, (asm.A0, asm.A0, asm.A3))
    a.addi(asm.S1, asm.S1, -1)
    a.branch(1, asm.S1, 0, loop)
    asm.exit_with(a, 7)
    return load_elf(write_elf([(_CODE, a.code())], entry=_CODE))
