"""Exceptions, the software interrupt, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.oracle.csrs import HartCsrs

ILLEGAL, LOAD_MISALIGNED, LOAD_ERROR, STORE_MISALIGNED, STORE_ERROR, ECALL = 2, 4, 5, 6, 7, 11
VECTOR_SIZE, VECTOR_NOT_SPM, VECTOR_OVERRUN, VECTOR_SAME_SPM = 0x100, 0x101, 0x102, 0x103
MISALIGNED = {LOAD_MISALIGNED, STORE_MISALIGNED}
SOFTWARE_INTERRUPT, SOFTWARE_INTERRUPT_IN_WFI = 0x8000_0003, 0xC000_0003


class Trap(Exception):  # noqa: N818 - an architectural event, not a failure of the oracle
    """An instruction raised an exception. ``extra_cycles`` is what it still costs."""

    def __init__(self, cause: int, extra_cycles: int = 0) -> None:
        super().__init__(cause)
        self.cause, self.extra_cycles = cause, extra_cycles


def enter_exception(regs: HartCsrs, pc: int, cause: int) -> int:
    """Take an exception and return the handler's pc. MPIE becomes 1 whatever MIE was."""
    regs.mestatus_saved = regs.mstatus
    regs.mepc, regs.mcause = pc, cause
    regs.mie, regs.mpie = 0, 1
    return regs.mtvec


def interrupt_pending(regs: HartCsrs) -> bool:
    return bool(regs.mie and regs.msip)


def enter_interrupt(regs: HartCsrs, pc: int, *, in_wfi: bool) -> int:
    """Take the software interrupt in place of the instruction at ``pc``."""
    regs.mestatus_saved = regs.mstatus
    regs.mepc = pc
    regs.mcause = SOFTWARE_INTERRUPT_IN_WFI if in_wfi else SOFTWARE_INTERRUPT
    regs.mpie, regs.mie = regs.mie, 0
    regs.msip = 0
    return regs.mtvec


def leave(regs: HartCsrs) -> int:
    """``mret``: an interrupt that was taken in wfi returns to the instruction after it."""
    regs.mie, regs.mpie = regs.mpie, 1
    slept = regs.mcause >> 30 == 0b11
    return (regs.mepc + (4 if slept else 0)) & 0xFFFF_FFFF
