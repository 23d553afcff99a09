"""Start and prints of the small programs of corners.

Hart 0 prints what it sees. Traps are counted by the handler: it adds mcause to a register and
continues after the instruction.
"""

from __future__ import annotations

from tests.exactness import _assembler as asm

_TRAPS, _PRINT, _HANDLER = 23, 24, 25


def start(*, all_harts: bool = False) -> asm.Assembler:
    """Hart 0 continues here, the others park, unless all are to continue."""
    a = asm.Assembler()
    a.jal(0, asm.START_PC)
    while a.here < asm.TRAP_PC:
        a.nop()
    handler = a.word(0)
    park = a.here
    a.addi(asm.T0, 0, 8)
    a.csrrw(0, asm.MSTATUS, asm.T0)
    spin = a.wfi()
    a.jal(0, spin)
    asm.patch_jump(a, handler, a.here)
    a.csrr(_HANDLER, asm.MCAUSE)
    a.r(0x33, 0, 0, (_TRAPS, _TRAPS, _HANDLER))
    a.csrr(_HANDLER, asm.MEPC)
    a.addi(_HANDLER, _HANDLER, 4)
    a.csrrw(0, asm.MEPC, _HANDLER)
    a.mret()
    asm.patch_jump(a, asm.RESET_PC, a.here)
    a.addi(_TRAPS, 0, 0)
    a.li(_PRINT, asm.PRINT)
    a.csrr(asm.T0, asm.MHARTID)
    if not all_harts:
        a.branch(1, asm.T0, 0, park)
    return a


def show(a: asm.Assembler, register: int) -> None:
    a.sw(register, 0, _PRINT)


def show_csr(a: asm.Assembler, csr: int) -> None:
    a.csrr(asm.T1, csr)
    show(a, asm.T1)


def show_traps(a: asm.Assembler) -> None:
    show(a, _TRAPS)
    a.addi(_TRAPS, 0, 0)


def patch_branch(a: asm.Assembler, address: int, register: int, target: int) -> None:
    """Put a branch, taken if mhartid in t0 is the register, at an address already placed."""
    branch = asm.Assembler(address)
    branch.branch(0, asm.T0, register, target)
    a.words[(address - a.base) // 4] = branch.words[0]
