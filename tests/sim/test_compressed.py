"""Programs of compressed instructions: what they compute, and what observers see of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import variants
from gnomon.base.errors import GnomonError
from gnomon.observe.profile import RunProfile
from gnomon.program import build
from gnomon.sim import Region, simulate
from tests.conftest import need_riscv_gcc

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture

SOURCE = """\
#include <stdio.h>
#include "gnomon.h"
GNOMON_REGION int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void)
{
    int a[40];
    unsigned s = 1;
    for (int i = 0; i < 40; i++) a[i] = (int)((s = s * 1664525u + 1013904223u) >> 8) % 1000;
    for (int i = 1; i < 40; i++)
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
            int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t;
        }
    printf("%d %d %d\\n", fib(9), a[0], a[39]);
    return a[20] & 63;
}
"""
# It replaces its own c.li, the second half of a word, by another one.
REWRITES = """\
.globl main
.option rvc
main:
    la t0, place
    li t1, 0x4515       # c.li a0, 5
    li a0, 0
    .balign 4
    c.nop
place:
    c.li a0, 3
    bnez a1, 1f
    li a1, 1
    sh t1, 0(t0)
    fence.i
    j place
1:  ret
"""


def _machine(isa: str) -> Architecture:
    return variants("rv32im")([f"core.isa={isa}"])


@pytest.mark.parametrize("compiler", ["zig", "gcc"])
def test_a_program_does_the_same_in_fewer_bytes(tmp_path: Path, compiler: str) -> None:
    if compiler == "gcc":
        need_riscv_gcc()
    source = tmp_path / "a.c"
    source.write_text(SOURCE)
    ends, sizes = [], []
    for isa in ("rv32im_zicsr", "rv32imc_zicsr"):
        machine = _machine(isa)
        program = build([source], machine, compiler=compiler)
        symbol = program.symbol("fib")
        run = simulate(
            program, machine, trace=True, calls=False,
            regions=[Region("fib", symbol.address)],
        )  # fmt: skip
        ends.append((run.exit_code, run.console, len(run.regions["fib"])))
        sizes.append(sum(s.size_bytes for s in program.segments if s.executable))
        profile = RunProfile.from_run(run, program, machine)
        assert run.trace is not None
        words = dict(zip(run.trace["pc"].tolist(), run.trace["word"].tolist(), strict=True))
        assert dict(zip(profile.addresses, profile.words, strict=True)) == words
        assert program.compressed == ("c" in isa[5:7])
        assert any(address % 4 for address in words) == program.compressed
    assert ends[0] == ends[1]
    assert sizes[1] < 0.85 * sizes[0]


def test_call_paths_sum_to_the_run(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text(SOURCE)
    machine = _machine("rv32imc_zicsr")
    run = simulate(build([source], machine), machine, calls=True)
    assert sum(node.cycles for node in run.call_nodes) == run.wall_cycles
    assert any(node.function == "fib" and node.calls for node in run.call_nodes)


def test_code_that_writes_code(tmp_path: Path) -> None:
    source = tmp_path / "a.S"
    source.write_text(REWRITES)
    machine = _machine("rv32imc_zicsr")
    assert simulate(build([source], machine), machine).exit_code == 5


def test_a_machine_without_them_says_so(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("int main(void) { return 0; }")
    program = build([source], _machine("rv32imc"))
    with pytest.raises(GnomonError, match=r"^a: built with compressed instructions; rv32im has"):
        simulate(program, _machine("rv32im"))
