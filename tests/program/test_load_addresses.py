"""Only bytes of the file have a load address: zeros belong to where the program runs."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.program import load_elf
from gnomon.program._program import ElfError
from gnomon.sim import simulate
from tests.program.test_elf import executable

if TYPE_CHECKING:
    from pathlib import Path

START = """
.section .text.start,"ax"
.globl _start
_start:
    la sp, _stack_top
    la a0, _sdata
    la a1, _edata
    la a2, _sidata
1:  bgeu a0, a1, 2f
    lw t0, 0(a2)
    sw t0, 0(a0)
    addi a0, a0, 4
    addi a2, a2, 4
    j 1b
2:  call begin
3:  j 3b
.section .stack,"aw",@nobits
    .space 1024
"""
SUM = """
typedef unsigned word;
static volatile word squares_of[8] = {1, 2, 3, 4, 5, 6, 7, 8};
word zero[4];
void begin(void)
{
    word sum = zero[1];
    for (int i = 0; i < 8; i++) sum += squares_of[i] * squares_of[i];
    *(volatile word *)0x1A10FFF0 = sum;
    for (;;);
}
"""
SCRIPT = """
ENTRY(_start)
MEMORY {{ rom : ORIGIN = {rom}, LENGTH = 64K
         ram : ORIGIN = 0x100000, LENGTH = 64K }}
SECTIONS {{
  .text : {{ *(.text.start) *(.text*) *(.rodata*) . = ALIGN(4); }} >rom
  _sidata = LOADADDR(.data);
  .data : {{ _sdata = .; *(.data*) *(.sdata*) . = ALIGN(4); _edata = .; }} >ram AT>rom
  {after}
  _stack_top = ORIGIN(ram) + LENGTH(ram);
  /DISCARD/ : {{ *(.eh_frame*) *(.comment) *(.riscv.attributes) }}
}}
"""
BSS = ".bss (NOLOAD) : { *(.bss*) *(.sbss*) *(COMMON) . = ALIGN(4); } >ram"
LAYOUTS = {
    "bss-and-stack": (0, f"{BSS}\n.stack (NOLOAD) : {{ *(.stack) }} >ram"),
    "bss-loaded-after-data": (0, f"{BSS} AT>rom\n.stack (NOLOAD) : {{ *(.stack) }} >ram"),
    "bss-at-its-place": (0, f"{BSS} AT>ram\n.stack (NOLOAD) : {{ *(.stack) }} >ram AT>ram"),
    "heap-after-bss": (0, f"{BSS}\n.heap (NOLOAD) : {{ . += 4096; *(.stack) }} >ram"),
    "second-data": (0, BSS + "\n.more : { LONG(7) LONG(9) *(.stack) } >ram AT>rom"),
    "rom-elsewhere": (0x2000_0000, f"{BSS}\n.stack (NOLOAD) : {{ *(.stack) }} >ram"),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_program_in_rom_copies_its_data(name: str, tmp_path: Path) -> None:
    """1 + 4 + 9 + ... + 64 = 204, whatever follows the data that is loaded into the ROM."""
    rom, after = LAYOUTS[name]
    files = {"crt.S": START, "sum.c": SUM, "it.ld": SCRIPT.format(rom=rom, after=after)}
    for file, text in files.items():
        (tmp_path / file).write_text(text)
    target = ["-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m"]
    options = ["-nostdlib", "-ffreestanding", "-O2", "-T", "it.ld", "-o", "it.elf"]
    command = [sys.executable, "-m", "ziglang", "cc", *target, *options, "crt.S", "sum.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
    machine = load_architecture("rv32im", [f"memory.instruction.base={rom:#x}"])
    run = simulate(load_elf(tmp_path / "it.elf"), machine, max_cycles=100_000)
    assert (run.halted, run.exit_code) == ("exit", 204)


PLACES = {
    "zeros-after-data": ([(0x80, 0x80, b"code", 4), (0x84, 0x1000, b"data", 24)],
                         [(0x80, 4), (0x84, 4), (0x1004, 20)]),
    "no-bytes-at-all": ([(0x80, 0x80, b"code", 4), (0x80, 0x1000, b"", 64)],
                        [(0x80, 4), (0x1000, 64)]),
    "a-stack-over-what-is-copied": ([(0x80, 0x80, b"codedata", 8), (0x40, 0x40, b"", 256)],
                                    [(0x40, 256), (0x80, 8)]),
    "overlays": ([(0x80, 0x1000, b"one", 16), (0x84, 0x1000, b"two", 32)],
                 [(0x80, 3), (0x84, 3), (0x1003, 13), (0x1003, 29)]),
}  # fmt: skip


def with_places(segments: list[tuple[int, int, bytes, int]]) -> bytes:
    """An ELF file whose segments have load and run addresses, data and size."""
    elf = executable([(load, data, size) for load, _, data, size in segments])
    for index, (_, runs, _, _) in enumerate(segments):
        at = 52 + 32 * index + 8
        elf[at : at + 4] = runs.to_bytes(4, "little")
    return bytes(elf)


@pytest.mark.parametrize("name", PLACES)
def test_places(name: str) -> None:
    segments, places = PLACES[name]
    loaded = load_elf(with_places(segments)).segments
    assert [(each.address, each.size_bytes) for each in loaded] == places
    assert b"".join(each.data for each in loaded) == b"".join(each[2] for each in segments)


def test_bytes_that_meet_are_refused() -> None:
    with pytest.raises(ElfError, match="0x00000080 \\(4 bytes\\) and 0x00000082 overlap"):
        load_elf(with_places([(0x80, 0x1000, b"aaaa", 8), (0x82, 0x2000, b"bbbb", 4)]))
