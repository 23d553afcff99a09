"""One memory for code and data: loaded and run as with two, and code may be anywhere in it."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.program import build, load_elf
from gnomon.sim import Region, Run, simulate

if TYPE_CHECKING:
    from pathlib import Path

ONE = ("memory.instruction.size=1 MiB", "memory.data.size=1 MiB")
SUM = """
#include "gnomon.h"
static const int weights[4] = {2, 3, 5, 7};
int values[4] = {1, 2, 3, 4};
static int zeros[64];
int main(int hart)
{
    int sum = hart;
    for (int i = 0; i < 4; i++) sum += weights[i] * values[i];
    for (int i = 0; i < 64; i++) { sum += zeros[i]; zeros[i] = sum; }
    gnomon_print(zeros[63]);
    return sum & 255;
}
"""
# Writes `addi a0, a0, 77; ret` where there was data, and calls it.
MADE = """
#include "gnomon.h"
unsigned made[4];
int main(int hart)
{
    made[0] = 0x04D50513; made[1] = 0x00008067;
    __asm__ volatile("fence.i" ::: "memory");
    int first = ((int (*)(int))made)(1);
    made[0] = 0x06450513;  /* addi a0, a0, 100 */
    __asm__ volatile("fence.i" ::: "memory");
    return first + ((int (*)(int))made)(1) + hart;
}
"""


def one(arch: str, base: int = 0x8000_0000, *overrides: str) -> Architecture:
    """A machine whose memories are one."""
    places = (f"memory.instruction.base={base:#x}", f"memory.data.base={base:#x}")
    return load_architecture(arch, [*ONE, *places, *overrides])


def run_of(text: str, architecture: Architecture, folder: Path, **options: object) -> Run:
    source = folder / "it.c"
    source.write_text(text)
    program = build([source], architecture)
    return simulate(program, architecture, max_cycles=2_000_000, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("arch", ["rv32im", "hazard3-c", "ibex-like", "picorv32"])
def test_a_program_runs_as_with_two(arch: str, tmp_path: Path) -> None:
    """Same result and cycles: the bus does not tell the two apart."""
    together = run_of(SUM, one(arch), tmp_path)
    apart = run_of(SUM, load_architecture(arch, list(ONE)), tmp_path)
    assert (together.halted, together.exit_code) == ("exit", apart.exit_code) == ("exit", 51)
    assert together.printed == apart.printed
    assert together.wall_cycles == apart.wall_cycles


@pytest.mark.parametrize("waits", [0, 3])
def test_a_t13_keeps_its_interrupt_registers(waits: int, tmp_path: Path) -> None:
    machine = load_architecture(
        "t13-simd2",
        ["memory.instruction.size=1 MiB", "memory.data.size=1 MiB", "memory.instruction.base=0",
         "memory.data.base=0", f"memory.data.waits={waits}", "vcu.scratchpads.base=0x200000"],
    )  # fmt: skip
    source = tmp_path / "it.c"
    source.write_text(SUM)
    program = build([source], machine)
    assert program.symbol("_data").address >= 0x1_0000
    run = simulate(program, machine, max_cycles=2_000_000)
    assert (run.halted, run.exit_code) == ("exit", 51)


@pytest.mark.parametrize("arch", ["rv32im", "ibex-like"])
def test_code_that_the_program_makes_is_executed(arch: str, tmp_path: Path) -> None:
    """In what was data before: 78 + 101."""
    machine = one(arch)
    run = run_of(MADE, machine, tmp_path)
    assert (run.halted, run.exit_code) == ("exit", 78 + 101)
    for options in ({"trace": True}, {"calls": True}, {"quantum_cycles": 3}):
        again = run_of(MADE, machine, tmp_path, **options)
        assert again.to_json() == run.to_json()
    program = build([tmp_path / "it.c"], machine)
    made = Region("made", program.symbol("made").address)
    (measured,) = simulate(program, machine, regions=[made]).regions["made"]
    assert measured.entries == 2


def test_code_in_separate_data_memory_is_a_fault(tmp_path: Path) -> None:
    run = run_of(MADE, load_architecture("rv32im", list(ONE)), tmp_path)
    assert (run.halted, run.exit_code) == ("fault", None)
    assert "fetch outside the instruction memory" in run.reason


def test_a_handler_in_data_is_entered(tmp_path: Path) -> None:
    """The word of the handler is written by the program: it sets a0 and goes to the exit."""
    text = """
    .globl _start
_start:
    la t0, handler
    csrw mtvec, t0
    la t1, words
    li t3, 4
1:  lw t2, 0(t1)
    sw t2, 0(t0)
    addi t0, t0, 4
    addi t1, t1, 4
    addi t3, t3, -1
    bnez t3, 1b
    .word 0
words:
    li t0, 0x1a10fff0
    li t1, 21
    sw t1, 0(t0)
    j .
    .section .made, "aw", @nobits
    .balign 64
handler: .space 64
"""
    path = linked(text, 0x8000_0000, tmp_path)
    run = simulate(load_elf(path), one("rv32im"), max_cycles=10_000)
    assert (run.halted, run.exit_code) == ("exit", 21)


def linked(text: str, base: int, folder: Path) -> Path:
    """Everything of a program in one place, as small systems link it."""
    (folder / "it.S").write_text(text)
    (folder / "it.ld").write_text(
        f"ENTRY(_start) SECTIONS {{ . = {base:#x}; "
        ".all : { *(.text*) *(.rodata*) *(.data*) *(.sdata*) *(.bss*) *(.made) } }"
    )
    options = ["-nostdlib", "-T", "it.ld", "-o", "it.elf", "it.S"]
    target = ["-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m+zicsr+zifencei"]
    command = [sys.executable, "-m", "ziglang", "cc", *target, *options]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "it.elf"


@pytest.mark.parametrize("base", [0, 0x1000, 0x8000_0000])
def test_an_elf_with_all_its_sections_in_one_place(base: int, tmp_path: Path) -> None:
    text = """
    .globl _start
_start:
    la t0, value
    lw t1, 0(t0)
    lw t2, 4(t0)
    add t1, t1, t2
    sw t1, 4(t0)
    lw t1, 4(t0)
    li t0, 0x1a10fff0
    sw t1, 0(t0)
    j .
    .data
value: .word 40, 2
"""
    run = simulate(load_elf(linked(text, base, tmp_path)), one("rv32im", base), max_cycles=1000)
    assert (run.halted, run.exit_code) == ("exit", 42)
    assert run.data_memory == run.instruction_memory


@pytest.mark.parametrize(
    "places",
    [("0x80000000", "1 MiB", "0x80000000", "2 MiB"), ("0x80000000", "1 MiB", "0x80080000", "1 MiB"),
     ("0x80080000", "1 MiB", "0x80000000", "1 MiB")],
)  # fmt: skip
def test_memories_that_meet_in_part_are_refused(places: tuple[str, ...]) -> None:
    keys = ("instruction.base", "instruction.size", "data.base", "data.size")
    overrides = [f"memory.{key}={value}" for key, value in zip(keys, places, strict=True)]
    with pytest.raises(GnomonError, match=r"overlaps instruction memory.*one base and one size"):
        load_architecture("rv32im", overrides)
