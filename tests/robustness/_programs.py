"""Small programs in assembly, as the executable files that gnomon reads."""

from __future__ import annotations

from gnomon.arch import Architecture, load_architecture
from gnomon.isa import assemble
from gnomon.program import Program, load_elf
from gnomon.sim import Run, simulate
from tests.exactness._elf_writer import write_elf

RESET_PC, HANDLER_PC, START_PC = 0x80, 0x94, 0x98
EXIT = 0x1A10FFF0
PRINT = 0x1A10FFF4

# An unexpected trap exits with this code.
TRAP_CODE = 99
EXIT_ON_TRAP = f"li t0, {EXIT}\nli t1, {TRAP_CODE}\nsw t1, 0(t0)"
STOP = f"li t0, {EXIT}\nsw zero, 0(t0)\nstopped: j stopped"


def t13_words(body: str, handler: str = "j on_trap") -> list[int]:
    """Words from 0x80 on: ``body`` runs on hart 0, the other harts sleep.

    ``handler`` is the one word at the trap vector.
    """
    return assemble(
        f"""
        j start
        nop
        nop
        nop
        nop
        {handler}
start:  csrr t0, mhartid
        bnez t0, park
        {body}
park:   csrwi mstatus, 8
asleep: wfi
        j asleep
on_trap:
        {EXIT_ON_TRAP}
        """,
        RESET_PC,
    )


def all_harts_words(body: str) -> list[int]:
    """Words from 0x80 on that every hart runs; a trap exits."""
    return assemble(
        f"""
        j start
        nop
        nop
        nop
        nop
        j on_trap
start:  {body}
on_trap:
        {EXIT_ON_TRAP}
        """,
        RESET_PC,
    )


def elf(words: list[int], *data: tuple[int, bytes], base: int = RESET_PC) -> bytes:
    """An executable with code at ``base``, where it starts, and data segments."""
    code = b"".join(word.to_bytes(4, "little") for word in words)
    return write_elf([(base, code), *data], entry=base)


def program(words: list[int], *data: tuple[int, bytes], base: int = RESET_PC) -> Program:
    """The same, read."""
    return load_elf(elf(words, *data, base=base), "it")


def machine(name: str, *overrides: str) -> Architecture:
    """A shipped machine with changes."""
    return load_architecture(name, overrides)


def issue_cycles(run: Run, pc: int, hart: int = 0) -> list[int]:
    """Cycles in which a hart issues the instruction at ``pc``."""
    assert run.trace is not None
    rows = run.trace[(run.trace["pc"] == pc) & (run.trace["hart"] == hart)]
    return [int(cycle) for cycle in rows["cycle"]]


def run_words(
    words: list[int], *overrides: str, arch: str = "t13-simd2", max_cycles: int = 100_000
) -> Run:
    """Run from 0x80 on."""
    return simulate(program(words), machine(arch, *overrides), max_cycles=max_cycles)
