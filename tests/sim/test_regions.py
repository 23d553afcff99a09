"""Programs on machines with regions: where they are placed, what stops them, what is shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.program import Program, build, load_elf
from gnomon.sim import Region, Run, simulate
from gnomon.sim._path import record_path
from gnomon.sim._recorder import NotPriceable
from tests.arch.test_regions import MAP
from tests.sim.test_one_memory import MADE, SUM


@pytest.fixture
def mapped(tmp_path: Path) -> Path:
    path = tmp_path / "mapped.yaml"
    path.write_text(MAP)
    return path


def run_of(text: str, machine: Architecture, folder: Path, **options: object) -> Run:
    source = folder / "it.c"
    source.write_text(text)
    program = build([source], machine)
    return simulate(program, machine, max_cycles=2_000_000, **options)  # type: ignore[arg-type]


PLACES = {
    "flash and ram": [],
    "constants in ram": ["memory.link.constants=ram"],
    "constants in a rom": ["memory.regions.ext.kind=rom", "memory.link.constants=ext"],
    "a stack of its own": ["memory.link.stack=ext"],
    "code in ram": ["memory.link.text=ram", "memory.link.data=ext"],
    "all in ram": ["memory.link.text=ram"],
    "constants apart from code and data": ["memory.link.text=ram", "memory.link.constants=ext"],
    "constants in flash, code in ram": ["memory.link.text=ram", "memory.link.constants=flash"],
    "constants and stack apart": [
        "memory.link.text=ram", "memory.link.constants=ext", "memory.link.stack=ext",
    ],
    "a stack in 64 bytes": ["memory.link.stack=ext", "memory.regions.ext.size=64 B"],
}  # fmt: skip


@pytest.mark.parametrize("places", PLACES)
def test_a_program_is_placed_and_its_data_copied(places: str, mapped: Path, tmp_path: Path) -> None:
    machine = load_architecture(mapped, PLACES[places])
    run = run_of(SUM, machine, tmp_path)
    assert (run.halted, run.exit_code) == ("exit", 51)
    sliced = run_of(SUM, machine, tmp_path, quantum_cycles=7)
    assert sliced.to_json() == run.to_json()
    assert set(run.memory_crc32) == {"data", "flash", "ram", "ext"}


def test_the_data_of_a_program_in_flash_is_loaded_there(mapped: Path, tmp_path: Path) -> None:
    (tmp_path / "it.c").write_text(SUM)
    machine = load_architecture(mapped)
    program = build([tmp_path / "it.c"], machine)
    values = program.symbol("values").address
    assert values >= 0x8000_0000
    assert 0x2000_0000 <= program.load_address(values) < 0x2001_0000
    assert all(segment.address < 0x2001_0000 for segment in program.segments if segment.data)
    run = simulate(program, machine, max_cycles=100_000)
    assert run.bytes_at(values, 8) == bytes([1, 0, 0, 0, 2, 0, 0, 0])


TOO_LARGE = {
    "memory.regions.flash.size=256 B": "bytes of text do not fit",
    "memory.regions.ram.size=256 B": "bytes of data and 1 stack(s)",
    "memory.regions.flash.size=1280 B": "region flash",
    "memory.regions.flash.size=4 B": "instruction memory of mapped: it has 0 bytes",
    "memory.regions.ram.size=4 B": "no stack of 16 bytes fits: 4 bytes of region ram for 1 hart",
}


@pytest.mark.parametrize("size", TOO_LARGE)
def test_what_does_not_fit_is_named(size: str, mapped: Path, tmp_path: Path) -> None:
    table = "const int table[200] = {1};\nint many[100] = {1};\n"
    text = SUM.replace("int main", table + "int main").replace("= hart", "= hart + table[hart]")
    (tmp_path / "it.c").write_text(text.replace("return", "sum += many[sum & 63]; return"))
    with pytest.raises(GnomonError) as caught:
        build([tmp_path / "it.c"], load_architecture(mapped, [size]))
    assert TOO_LARGE[size] in str(caught.value)


STORE = """
#include "gnomon.h"
int main(int hart) {{ *(volatile {kind} *){address:#x} = 1; return hart; }}
"""


@pytest.mark.parametrize("kind", ["char", "short", "int"])
@pytest.mark.parametrize("unmapped", ["fault", "protocol"])
def test_a_store_to_flash_stops_the_run(
    kind: str, unmapped: str, mapped: Path, tmp_path: Path
) -> None:
    machine = load_architecture(mapped, [f"memory.unmapped={unmapped}"])
    run = run_of(STORE.format(kind=kind, address=0x2000_F000), machine, tmp_path)
    assert (run.halted, run.exit_code) == ("fault", None)
    assert "store to 0x2000F000, in a memory that stores do not write" in run.reason
    outside = run_of(STORE.format(kind=kind, address=0x3000_0000), machine, tmp_path)
    assert outside.halted == ("fault" if unmapped == "fault" else "exit")


def test_code_in_another_region_is_refused(mapped: Path, tmp_path: Path) -> None:
    (tmp_path / "it.c").write_text(SUM)
    program = build([tmp_path / "it.c"], load_architecture(mapped))
    elsewhere = load_architecture(mapped, ["memory.link.text=ram"])
    with pytest.raises(GnomonError) as caught:
        simulate(program, elsewhere)
    assert "is in region flash, and memory.link.text is ram" in str(caught.value)
    assert "set memory.link.text=flash" in str(caught.value)


def test_code_that_the_program_makes_in_its_region(mapped: Path, tmp_path: Path) -> None:
    """One memory with code that changes itself: 78 + 101; between regions, a fetch stops."""
    machine = load_architecture(mapped, ["memory.link.text=ram"])
    run = run_of(MADE, machine, tmp_path)
    assert (run.halted, run.exit_code) == ("exit", 78 + 101)
    made = build([tmp_path / "it.c"], machine).symbol("made").address
    measured = run_of(MADE, machine, tmp_path, regions=[Region("made", made)])
    assert measured.regions["made"][0].entries == 2
    apart = run_of(MADE, load_architecture(mapped), tmp_path)
    assert apart.halted == "fault"
    assert "fetch outside" in apart.reason


FAR = """
.section .text.start,"ax"
.globl _start
_start:
    la a0, table
    li a1, 0x80000000
    li a2, 0x90000000
    li t0, {times}
1:  lw t1, 0(a0)
    lw t2, 4(a1)
    add t1, t1, t2
    sw t1, 4(a1)
    lh t3, 8(a2)
    lbu t4, 2(a2)
    add t3, t3, t1
    add t3, t3, t4
    sb t3, 8(a2)
    sh t1, 2(a2)
    addi t0, t0, -1
    bnez t0, 1b
    li t4, 0x1A10FFF0
    sw t3, 0(t4)
2:  j 2b
table: .word 3
"""


def far_program(folder: Path, times: int) -> Program:
    (folder / "far.S").write_text(FAR.format(times=times))
    (folder / "far.ld").write_text(
        "ENTRY(_start)\nSECTIONS { .text 0x20000080 : { *(.text*) } /DISCARD/ : { *(.riscv*) } }\n"
    )
    target = ["-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m", "-nostdlib"]
    command = [sys.executable, "-m", "ziglang", "cc", *target, "-T", "far.ld", "-o", "far.elf"]
    subprocess.run([*command, "far.S"], cwd=folder, check=True)
    return load_elf(folder / "far.elf")


def test_translated_blocks_reach_all_regions(
    mapped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both tiers book the same; 5 waits a load in flash, none in ram, 3 an access in ext."""
    program, machine = far_program(tmp_path, 3000), load_architecture(mapped)
    plain = load_architecture(mapped, [f"memory.regions.{r}.waits=0" for r in ("flash", "ext")])
    runs = []
    for tier in ("off", "force"):
        monkeypatch.setenv("GNOMON_BLOCKS", tier)
        runs.append(simulate(program, machine))
    interpreted, translated = runs
    assert translated.to_json() == interpreted.to_json()
    assert (translated.profile.cycles == interpreted.profile.cycles).all()
    fast = simulate(program, plain)
    fetches = interpreted.counters["hart0.wait.fetch"] - fast.counters.get("hart0.wait.fetch", 0)
    added = interpreted.wall_cycles - fast.wall_cycles - fetches
    assert added == 3000 * (5 + 4 * 3)
    assert fetches == 5 * (interpreted.harts[0].issued - 1 + 2999)  # a taken branch fetches twice


def test_a_path_is_not_priced_for_addresses(tmp_path: Path) -> None:
    path = tmp_path / "t13.yaml"
    path.write_text(
        MAP.replace("picorv32", "t13-simd1").replace("waits: 5", "waits: 0")
        .replace("0x20000000, size: 64", "0, size: 256")
        .replace("reset_pc: entry", "reset_pc: 0x80")
    )  # fmt: skip
    machine = load_architecture(path)
    (tmp_path / "it.c").write_text(SUM)
    program = build([tmp_path / "it.c"], machine)
    with pytest.raises(NotPriceable, match=r"memory\.regions"):
        record_path(program, machine, [], max_cycles=10_000)
    assert simulate(program, machine, max_cycles=100_000).exit_code == 51
