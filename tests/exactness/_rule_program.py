"""Programs of one rule each, on hart 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.exactness import _assembler as asm
from tests.exactness._reference import assert_clean, elf_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.exactness._runner import Runner, RunResult


TRAP_PRINTS = 0x5555


def run_body(runner: Runner, body: Callable[[asm.Assembler], object], **hardware: Any) -> RunResult:
    """Run a body on hart 0, begun when the other harts are parked."""
    a = asm.start_single_hart()
    for _ in range(6):
        a.nop()
    body(a)
    asm.exit_with(a)
    result = runner(elf_of(a), **hardware)
    assert_clean(result)
    return result


def print_register(a: asm.Assembler, register: int) -> None:
    a.li(asm.T6, asm.PRINT)
    a.sw(register, 0, asm.T6)


def two_harts(first: int) -> tuple[asm.Assembler, Callable[[int], None]]:
    """Begin a program for harts 0 and ``first``; the second value places the entry of either."""
    a = asm.Assembler()
    a.jal(0, asm.START_PC)
    while a.here < asm.START_PC:
        a.nop()
    a.csrr(asm.T0, asm.MHARTID)
    a.addi(asm.T1, 0, first)
    jumps = {first: a.word(0), 0: a.word(0)}
    a.branch(1, asm.T0, 0, a.here)  # the others stay here

    def entry(hart: int) -> None:
        jump = asm.Assembler(jumps[hart])
        jump.branch(0, asm.T0, asm.T1 if hart else 0, a.here)
        a.words[(jumps[hart] - a.base) // 4] = jump.words[0]

    return a, entry
