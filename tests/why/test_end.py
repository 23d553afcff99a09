"""Programs without an exit: `why` explains them up to the jump to itself in which they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.observe.why import StallAnalysis, run_to_end
from gnomon.sim import simulate
from tests.robustness._programs import RESET_PC, all_harts_words, elf, machine, program, t13_words

WORK = """
    li a0, 0x100000
    li s1, 30
again:
    lw t1, 0(a0)
    add t1, t1, s1
    sw t1, 0(a0)
    addi s1, s1, -1
    bnez s1, again
"""
STAY = "stay: j stay"
ENDS = {
    "t13, others asleep": ("t13-simd2", t13_words(WORK + STAY)),
    "t13, all harts": ("t13", all_harts_words(WORK + STAY)),
    "in order": ("rv32im", all_harts_words(WORK + STAY)),
    "measured": ("hazard3", all_harts_words(WORK + STAY)),
    "a second jump after the first": ("rv32im", all_harts_words(WORK + STAY + "\nj stay")),
    "superscalar": ("t13-simd2 core.superscalar=true", t13_words(WORK + STAY)),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_up_to_the_jump(name: str) -> None:
    """The run is that of a limit after the first issue of the jump by hart 0."""
    (arch, *overrides), words = ENDS[name][0].split(" "), ENDS[name][1]
    architecture, it = machine(arch, *overrides), program(words)
    jump = RESET_PC + 4 * words.index(0x6F)
    run, ends = run_to_end(it, architecture, max_cycles=10**9)
    traced = simulate(it, architecture, max_cycles=3000, trace=True).trace
    assert traced is not None
    rows = traced[(traced["pc"] == jump) & (traced["hart"] == 0)]
    assert run.wall_cycles == rows["cycle"][0] + 1 < 3000
    assert f"at 0x{jump:08X} in cycle {rows['cycle'][0]:,} and stays there" in ends
    assert (
        sum(part.cycles for part in StallAnalysis(run, architecture, None, ends).stack)
        == run.wall_cycles
    )


def test_an_exit_is_an_exit() -> None:
    words = all_harts_words(WORK + "li t0, 0x1a10fff0\nsw zero, 0(t0)\n" + STAY)
    run, ends = run_to_end(program(words), machine("rv32im"), max_cycles=10**6)
    assert (run.halted, ends) == ("exit", "")


def test_a_jump_that_an_interrupt_ends_is_no_end() -> None:
    """Hart 1 interrupts hart 0 again and again, which waits in a jump to itself."""
    body = """
        csrr s0, mhartid
        la t1, handler
        csrw mtvec, t1
        csrwi mstatus, 8
        bnez s0, others
stay:   j stay
others: li t1, 0xff00
        li t2, 8
ring:   li t3, 300
wait:   addi t3, t3, -1
        bnez t3, wait
        sw t2, 0(t1)
        j ring
handler:
        csrwi mip, 0
        mret
    """
    words = all_harts_words(body)
    run, ends = run_to_end(program(words), machine("t13"), max_cycles=300_000)
    assert (run.halted, run.wall_cycles, ends) == ("max-cycles", 300_000, "")


@pytest.mark.parametrize("flag", ["--no-what-if", "--what-if"])
def test_on_the_command_line(tmp_path: Path, flag: str) -> None:
    path = tmp_path / "it.elf"
    path.write_bytes(elf(ENDS["in order"][1]))
    arguments = ["why", str(path), "--arch", "rv32im", "--json", flag]
    if flag == "--what-if":  # the program has no main to compare machines by
        with pytest.raises(GnomonError, match="no symbol 'main'"):
            CliRunner().invoke(app, arguments, catch_exceptions=False)
        return
    told = json.loads(CliRunner().invoke(app, arguments, catch_exceptions=False).stdout)
    assert "comes to a jump to itself" in told["ends"]
    assert sum(part["cycles"] for part in told["stack"]) == told["wall_cycles"]
