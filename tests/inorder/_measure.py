"""Issue cycles of small programs on an in-order machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from gnomon.arch import load_architecture
from gnomon.program import load_elf
from gnomon.sim import simulate
from tests.exactness import _assembler as asm
from tests.exactness._elf_writer import write_elf

Body = Callable[[asm.Assembler], None]
_CODE = 0x80


@cache
def _machine(name: str, overrides: tuple[str, ...]) -> Any:
    return load_architecture(name, list(overrides))


def run_body(machine: str, body: Body, overrides: Sequence[str] = ()) -> tuple[Any, int, int]:
    """Run a body between two marks.

    Returns the run, the issue cycle of the first instruction of the body, and that of the
    first one after it. x8 holds the base of the data memory; a trap handler returns to the
    instruction after the trap.
    """
    a = asm.Assembler(_CODE)
    start = a.word(0)
    handler = a.here
    a.csrr(asm.T6, asm.MEPC)
    a.addi(asm.T6, asm.T6, 4)
    a.csrrw(0, asm.MEPC, asm.T6)
    a.mret()
    asm.patch_jump(a, start, a.here)
    a.li(asm.T6, handler)
    a.csrrw(0, asm.MTVEC, asm.T6)
    a.li(asm.S0, asm.DATA_BASE)
    for _ in range(8):
        a.nop()  # whatever was loaded before is there now
    first = a.here
    body(a)
    behind = a.here
    asm.exit_with(a)
    elf = write_elf([(_CODE, a.code()), (asm.DATA_BASE, bytes(range(64)))], entry=_CODE)
    run = simulate(load_elf(elf), _machine(machine, tuple(overrides)), trace=True)
    assert run.halted == "exit", run.reason
    cycles = {pc: cycle for cycle, _, pc, _ in run.trace.tolist()}
    return run, cycles[first], cycles[behind]


def cycles_of(machine: str, body: Body, overrides: Sequence[str] = ()) -> int:
    """Cycles from the issue of the first instruction of a body to that of the one after it."""
    _, first, behind = run_body(machine, body, overrides)
    return behind - first
