"""Placement in memory: around the interrupt registers, and never outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.program import Program, build
from gnomon.program._linker import layout, machine_header
from tests.oracle import Oracle, OracleConfig

if TYPE_CHECKING:
    from pathlib import Path


def program_of(folder: Path, text_bytes: int, data_bytes: int, **options: object) -> Program:
    machine = options.pop("machine", None) or load_architecture("t13-simd4")
    path = folder / "large.c"
    path.write_text(
        '#define FILL(n) __asm__(".section .text.fill, \\"ax\\"\\n.globl fill\\nfill: .skip " #n)\n'
        "#define TEXT(n) FILL(n)\n"
        f"TEXT({text_bytes});\n"
        f"char data[{data_bytes}];\n"
        "extern char fill[];\n"
        "int main(int hart) { data[0] = 5; return data[hart] + fill[0]; }\n"
    )
    return build([path], machine, **options)  # type: ignore[arg-type]


def refusal(*arguments: object, **options: object) -> str:
    with pytest.raises(GnomonError) as caught:
        program_of(*arguments, **options)  # type: ignore[arg-type]
    return str(caught.value)


def exit_code(program: Program) -> int | None:
    segments = [(s.address, s.data) for s in program.segments]
    return Oracle(OracleConfig(simd=4)).run(segments, 10_000, trace=False).exit_code


def covers(program: Program, start: int, end: int) -> bool:
    return any(s.address < end and start < s.end for s in program.segments)


def test_text_stays_below_the_interrupt_registers_as_long_as_it_fits(tmp_path: Path) -> None:
    small = program_of(tmp_path, 16, 16)
    overhead = small.symbol("_text_end").address - 0x80 - 16
    room = 0xFF00 - 0x80 - overhead
    full = program_of(tmp_path, room, 16)
    assert full.symbol("_text_end").address == 0xFF00
    assert full.symbol("main").address < 0xFF00
    assert exit_code(full) == 5


def test_larger_text_goes_above_the_interrupt_registers(tmp_path: Path) -> None:
    program = program_of(tmp_path, 0xFF00, 16)
    assert program.symbol("_start").address == 0x80
    assert program.symbol("_text").address == 0x10000
    assert program.symbol("main").address >= 0x10000
    assert not covers(program, 0xFF00, 0x10000)
    assert exit_code(program) == 5


def test_text_that_fits_nowhere_reports_the_sizes(tmp_path: Path) -> None:
    message = refusal(tmp_path, 0x30000, 16)
    assert message == (
        f"large: {message.split()[1]} bytes of text do not fit the instruction memory of t13-simd4:"
        " it has 65152 bytes below the software-interrupt registers at 0xff00"
        " and 196608 bytes above them"
    )
    assert int(message.split()[1]) > 0x30000


def test_a_machine_without_those_registers_has_one_piece(
    tmp_path: Path, rv32im: Architecture
) -> None:
    program = program_of(tmp_path, 0x30000, 16, machine=rv32im)
    assert covers(program, 0xFF00, 0x10000)
    message = refusal(tmp_path, 0x40000, 16, machine=rv32im)
    assert message == (
        f"large: {message.split()[1]} bytes of text do not fit the instruction memory of rv32im:"
        " it has 262016 bytes"
    )


def test_data_and_stacks_share_the_data_memory(tmp_path: Path) -> None:
    most = (256 << 10) - 3 * 1024
    program = program_of(tmp_path, 16, most - 64, active_harts=3, stack_size_bytes=1024)
    assert program.symbol("_data_end").address <= program.symbol("_stack_bottom").address
    message = refusal(tmp_path, 16, most + 1, active_harts=3, stack_size_bytes=1024)
    assert message == (
        f"large: {message.split()[1]} bytes of data and 3 stack(s) of 1024 bytes do not fit the"
        " data memory of t13-simd4: it has 262144 bytes"
    )
    assert int(message.split()[1]) > most


def test_a_section_of_the_users_own_cannot_land_in_the_stacks(tmp_path: Path) -> None:
    path = tmp_path / "own.S"
    path.write_text(
        '.section .own, "aw", @nobits\n.globl own\nown: .skip 0x3f000\n'
        '.section .text.main, "ax"\n.globl main\nmain: la a0, own\nret\n'
    )
    with pytest.raises(GnomonError) as caught:
        build([path], load_architecture("t13-simd4"))
    message = str(caught.value)
    assert message.startswith("own: ")
    assert message.endswith("are outside the memories of t13-simd4 that programs may use")


def test_machines_may_be_anywhere(tmp_path: Path) -> None:
    moved = load_architecture(
        "rv32im", ["memory.instruction.base=0x80000000", "memory.data.base=0x90000000"]
    )
    program = program_of(tmp_path, 16, 16, machine=moved)
    assert program.entry == 0x80000080
    assert program.symbol("data").address >= 0x90000000
    later = load_architecture("t13-simd4", ["core.reset_pc=0x20080"])
    assert program_of(tmp_path, 16, 16, machine=later).symbol("_start").address == 0x20080


# --- layout and machine.h ------------------------------------------------------------------


def test_stacks_take_at_most_a_quarter_unless_asked(t13: Architecture) -> None:
    assert layout(t13, 3, None).stack_size_bytes == 16 << 10
    small = load_architecture("t13-simd4", ["memory.data.size=10 KiB"])
    assert layout(small, 3, None).stack_size_bytes == 848  # 10240 / 4 / 3 down to 16
    assert layout(small, 1, 4096).stack_size_bytes == 4096


@pytest.mark.parametrize("size_bytes", [0, 8, 100, -16, 87392])
def test_a_stack_that_cannot_be(t13: Architecture, size_bytes: int) -> None:
    with pytest.raises(GnomonError) as caught:
        layout(t13, 3, size_bytes)
    assert str(caught.value) == (
        f"a stack of {size_bytes} bytes is impossible: it must be a multiple of 16 from 16 to 87376"
        " (262144 bytes of data memory for 3 harts)"
    )


def test_the_machine_as_c_sees_it(t13: Architecture, rv32im: Architecture) -> None:
    assert machine_header(t13, layout(t13, 2, 4096)) == (
        "/* The machine a program is built for; generated. */\n"
        "#pragma once\n"
        "#define GNOMON_HARTS 3\n"
        "#define GNOMON_CORE_T13 1\n"
        "#define GNOMON_CLOCK_HZ 100000000\n"
        "#define GNOMON_HAS_VCU 1\n"
        "#define GNOMON_ACTIVE_HARTS 2\n"
        "#define GNOMON_STACK_BYTES 4096\n"
        "#define GNOMON_INSTRUCTION_BASE 0\n"
        "#define GNOMON_INSTRUCTION_BYTES 262144\n"
        "#define GNOMON_DATA_BASE 1048576\n"
        "#define GNOMON_DATA_BYTES 262144\n"
        "#define GNOMON_SIMD 4\n"
        "#define GNOMON_SPM_COUNT 4\n"
        "#define GNOMON_SPM_BYTES 4096\n"
        "#define GNOMON_SPM_BASE 268435456\n"
        "#define GNOMON_VCU_SHARED 1\n"
    )
    assert machine_header(rv32im, None) == (
        "/* The machine a program is built for; generated. */\n"
        "#pragma once\n"
        "#define GNOMON_HARTS 1\n"
        "#define GNOMON_CORE_T13 0\n"
        "#define GNOMON_CLOCK_HZ 100000000\n"
        "#define GNOMON_HAS_VCU 0\n"
    )


@pytest.mark.parametrize(
    ("overrides", "by_zero", "shift"),
    [
        ([], 0, 15),
        (["vcu.divide_by_zero=riscv", "vcu.postscale_shift=mpsclfac"], 1, -1),
    ],
)
def test_c_sees_what_the_optional_instructions_do(
    overrides: list[str], by_zero: int, shift: int
) -> None:
    text = machine_header(load_architecture("t13-paper-simd4", overrides), None)
    assert text.endswith(
        "#define GNOMON_VCU_SHARED 1\n"
        "#define GNOMON_VCU_HAS_KDIV 1\n"
        "#define GNOMON_VCU_HAS_KPS 1\n"
        f"#define GNOMON_VCU_DIVIDE_BY_ZERO_RISCV {by_zero}\n"
        f"#define GNOMON_VCU_POSTSCALE_SHIFT {shift}\n"
    )
