"""Firmware of other projects runs unchanged, from the user's checkouts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.program import build, load_elf
from gnomon.sim import simulate
from tests.conftest import need_checkout, need_riscv_gcc

BLINK = Path(__file__).parent / "blink"
GCC = "riscv64-unknown-elf-gcc"


def board(folder: Path, core: str, *lines: str) -> Architecture:
    path = folder / "board.yaml"
    head = (f"extends: {core}", "name: board", "title: A core with devices", "source: assumed")
    path.write_text("\n".join((*head, *lines, "")))
    return load_architecture(path)


CONSOLE = (
    "core: {interrupts: {entry: 4}}",
    "devices:",
    "  timer: {kind: clint, base: 0x02000000, every: 10}",
    "  uart: {kind: ns16550, base: 0x10000000}",
)


@pytest.mark.heavy("firmware")
@pytest.mark.parametrize("computes", [0, 1])
@pytest.mark.parametrize("core", ["rv32im", "hazard3"])
def test_freertos_blinks(tmp_path: Path, core: str, computes: int) -> None:
    """Kernel, queues, heap and the RISC-V port, whose tasks a tick of the timer switches."""
    kernel = need_checkout("freertos")
    port = kernel / "portable" / "GCC" / "RISC-V"
    sources = (
        BLINK / "blink.c",
        *(kernel / name for name in ("tasks.c", "list.c", "queue.c", "portable/MemMang/heap_4.c")),
        *(port / name for name in ("port.c", "portASM.S")),
    )
    extensions = port / "chip_specific_extensions" / "RISCV_MTIME_CLINT_no_extensions"
    machine = board(tmp_path, core, *CONSOLE)
    program = build(
        sources, machine, defines={"COMPUTES": computes},
        include=[BLINK, kernel / "include", port, extensions],
    )  # fmt: skip
    run = simulate(program, machine, max_cycles=2_000_000, calls=True)
    assert (run.halted, run.exit_code) == ("exit", 50)  # the fifth beat is in tick 50
    assert run.console == "ab" * 5
    assert 50 * 10_000 <= run.wall_cycles < 52 * 10_000  # 50 ticks, and the start of the kernel
    slept = run.counters.get("hart0.parked", 0)
    assert (slept > 400_000) == (not computes)
    sliced = simulate(program, machine, max_cycles=2_000_000, quantum_cycles=1013)
    assert sliced.to_json() == simulate(program, machine, max_cycles=2_000_000).to_json()


TOHOST = (
    "memory:",
    "  instruction: none",
    "  data: none",
    "  regions:",
    "    ram: {base: 0x80000000, size: 1 MiB, kind: ram}",
    "  link: {text: ram, data: ram}",
    "devices: {host: {kind: tohost}}",
)


NOT_OURS = {"ma_data"}  # expects accesses that are not aligned, which trap on these machines


@pytest.mark.heavy("firmware")
def test_riscv_tests_pass(tmp_path: Path) -> None:
    """rv32ui and rv32um in their own environment: each ends with tohost = 1, exit code 0."""
    need_riscv_gcc()
    tests, environment = need_checkout("riscv_tests"), need_checkout("riscv_test_env") / "p"
    machine = board(tmp_path, "rv32im", *TOHOST)
    codes = {}
    for source in sorted(
        (*(tests / "isa" / "rv32ui").glob("*.S"), *(tests / "isa" / "rv32um").glob("*.S"))
    ):
        subprocess.run(
            [GCC, "-march=rv32im_zicsr_zifencei", "-mabi=ilp32", "-static", "-mcmodel=medany",
             "-fvisibility=hidden", "-nostdlib", "-nostartfiles", f"-I{environment}",
             f"-I{tests}/isa/macros/scalar", f"-T{environment}/link.ld", source, "-o",
             tmp_path / "it.elf"], check=True,
        )  # fmt: skip
        if source.stem not in NOT_OURS:
            run = simulate(load_elf(tmp_path / "it.elf"), machine, max_cycles=1_000_000)
            codes[source.stem] = (run.halted, run.exit_code)
    assert len(codes) > 45
    assert {name: code for name, code in codes.items() if code != ("exit", 0)} == {}
