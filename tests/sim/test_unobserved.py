"""What a run says it has not observed may change, and the run is the same to the last bit."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import content
from gnomon.program import build
from gnomon.sim import Run, observed_fingerprint, simulate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gnomon.program import Program

MACHINE = "t13-paper-simd4"
LIKE = {
    "plain": "int main(int hart) { return hart + 3; }",
    "divides": "volatile unsigned a = 1000, b = 7;\nint main(int hart) { return a / b + hart; }",
    "vector": (
        '#include "vcu.h"\nint words[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n'
        "int main(int hart) { vcu_set_mvsize(32); kmemld(VCU_SPM(0), words, 32);"
        " kaddv(VCU_SPM(1), VCU_SPM(0), VCU_SPM(2)); kmemstr(words, VCU_SPM(1), 32);"
        " return words[7] + hart; }"
    ),
    "vector-divides": (
        '#include "vcu.h"\nint words[8] = {100, 2000, 3, 45678, 5, 6, 7, 8};\n'
        "int main(int hart) { vcu_set_mvsize(32); kmemld(VCU_SPM(0), words, 32);"
        " kbcast(VCU_SPM(2), 7); kvdiv(VCU_SPM(1), VCU_SPM(0), VCU_SPM(2));"
        " kmemstr(words, VCU_SPM(1), 32); return words[1] + hart; }"
    ),
}
CHANGES = (
    "clock=10 MHz",
    "power=none",
    "core.divider=klessydra_vl_hf",
    "core.divider=restoring_r4",
    "vcu.simd=1",
    "vcu.simd=8",
    "vcu.sharing=replicated",
    "vcu.sharing=multithreaded",
    "vcu.divider=restoring_r2",
    "vcu.scratchpads.count=5",
    "vcu.divide_by_zero=riscv",
    "core.harts=4",
    "core.superscalar=false",
    "memory.data.size=8 KiB",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, int], Program]:
    """Builds one of the programs above for the machine."""
    folder: Path = tmp_path_factory.mktemp("programs")

    def of(name: str, harts: int) -> Program:
        path = folder / f"{name}.c"
        path.write_text(LIKE[name])
        return build([path], load_architecture(MACHINE), active_harts=harts, stack_size_bytes=256)

    return of


def machine(*overrides: str) -> Architecture:
    return load_architecture(MACHINE, overrides)


def differences(left: Run, right: Run) -> list[str]:
    """Fields of two runs that are not the same, the machine aside."""
    found = []
    for field in fields(Run):
        a, b = getattr(left, field.name), getattr(right, field.name)
        if field.name == "profile":
            same = np.array_equal(a.issues, b.issues) and np.array_equal(a.cycles, b.cycles)
        else:
            same = a == b
        if not same and field.name not in ("arch", "architecture"):
            found.append(field.name)
    return found


@pytest.mark.parametrize("harts", [1, 3])
@pytest.mark.parametrize("name", LIKE)
def test_same_observed_fingerprint_means_same_run(
    program: Callable[[str, int], Program], name: str, harts: int
) -> None:
    built = program(name, harts)
    base = simulate(built, machine(), max_cycles=100_000)
    mark = observed_fingerprint(machine(), base.unobserved)
    alike = []
    for change in CHANGES:
        other = machine(change)
        if observed_fingerprint(other, base.unobserved) == mark:
            run = simulate(built, other, max_cycles=100_000)
            assert differences(base, run) == [], change
            assert run.unobserved == base.unobserved
            alike.append(change)
    assert "clock=10 MHz" in alike
    assert not {"core.harts=4", "core.superscalar=false", "memory.data.size=8 KiB"} & {*alike}


@pytest.mark.parametrize(
    ("name", "harts", "seen", "unseen"),
    [
        ("plain", 3, [], ["core.divider=restoring_r4", "vcu.simd=1", "vcu.sharing=multithreaded"]),
        ("divides", 1, ["core.divider=restoring_r4"], ["vcu.simd=8", "vcu.divider=restoring_r2"]),
        (
            "vector",
            1,
            ["vcu.simd=1", "vcu.sharing=multithreaded", "vcu.scratchpads.count=5"],
            ["vcu.sharing=replicated", "vcu.divider=restoring_r2"],
        ),
        ("vector", 3, ["vcu.sharing=replicated"], ["vcu.divider=restoring_r2"]),
        ("vector-divides", 1, ["vcu.divider=restoring_r2"], ["core.divider=restoring_r2"]),
    ],
)
def test_what_is_observed(
    program: Callable[[str, int], Program],
    name: str,
    harts: int,
    seen: list[str],
    unseen: list[str],
) -> None:
    unobserved = simulate(program(name, harts), machine(), max_cycles=100_000).unobserved
    mark = observed_fingerprint(machine(), unobserved)
    for change in seen:
        assert observed_fingerprint(machine(change), unobserved) != mark, change
    for change in unseen:
        assert observed_fingerprint(machine(change), unobserved) == mark, change


def test_a_program_that_writes_its_own_instructions_observes_everything(tmp_path: Path) -> None:
    source = tmp_path / "rewrites.c"
    # Overwrites the addi of `later` with addi a0, zero, 7 and calls it.
    source.write_text(
        '__asm__(".text\\nlater: li a0, 3\\n ret"); int later(void);\n'
        "int main(int hart) { int a = later(); *(volatile unsigned *)(unsigned long)&later ="
        ' 0x00700513; __asm__ volatile("fence.i"); return hart + a + later(); }\n'
    )
    run = simulate(build([source], machine()), machine(), max_cycles=100_000)
    assert run.exit_code == 3 + 7
    assert "core.divider" not in run.unobserved
    assert "vcu.*" not in run.unobserved


def test_a_machine_without_vector_unit_is_not_one_with() -> None:
    assert content("arch", "t13.yaml").is_file()
    scalar = load_architecture("t13")
    unobserved = ("name", "title", "source", "vcu.*")
    assert observed_fingerprint(scalar, unobserved) != observed_fingerprint(machine(), unobserved)
