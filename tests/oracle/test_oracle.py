"""The oracle refuses what the rules leave open, and says when a program goes astray."""

from __future__ import annotations

import re

import pytest

from tests.exactness import _assembler as asm
from tests.oracle import Oracle, OracleConfig, OracleError, OracleRun, UnmodelledError


def _run(a: asm.Assembler, config: OracleConfig | None = None, cycles: int = 1000) -> OracleRun:
    return Oracle(config or OracleConfig()).run([(a.base, a.code())], cycles)


def _refuses(message: str) -> pytest.RaisesExc[UnmodelledError]:
    return pytest.raises(UnmodelledError, match=f"^{re.escape(message)}$")


def test_without_an_exit_it_stops_at_the_limit() -> None:
    a = asm.Assembler()
    a.jal(0, a.here)

    run = _run(a, cycles=100)

    assert (run.halted, run.exit_code, run.exit_cycle) == (False, None, 100)
    assert run.issued == (33, 33, 33)  # cycles 2 to 100, one issue each
    assert run.hart_cycles == (33, 33, 33)


def test_a_fetch_outside_the_instruction_memory_is_reported() -> None:
    a = asm.Assembler()
    a.li(asm.T0, 0x0010_0000)
    a.jalr(0, asm.T0)

    with pytest.raises(OracleError, match=r"^fetch at 0x00100000 is outside the instruction mem"):
        _run(a)


def test_a_segment_must_fit() -> None:
    with pytest.raises(OracleError, match=r"^segment 0x3fffc\+8 does not fit a memory$"):
        Oracle(OracleConfig()).run([(0x3_FFFC, bytes(8))])


def test_ebreak_is_refused() -> None:
    a = asm.start_single_hart()
    a.word(0x0010_0073)

    with _refuses("ebreak enters debug mode, which is not modelled"):
        _run(a)


def test_the_address_check_works_with_four_scratchpads_only() -> None:
    a = asm.start_single_hart()
    a.addi(asm.A2, 0, 4)
    a.kmem("kmemld", 0, 0, asm.A2)

    with _refuses("0x00000000 is no scratchpad address; the check works with 4 scratchpads only"):
        _run(a, OracleConfig(spm_count=2))


def test_a_width_unlike_that_of_hart_0_hangs_the_shared_accelerator() -> None:
    """Hart 1 uses bytes, hart 0 words: a product longer than the first beat never ends."""
    a = asm.Assembler()
    a.jal(0, a.here + 4)
    a.csrr(asm.T0, asm.MHARTID)
    a.addi(asm.T1, 0, 1)
    a.branch(1, asm.T0, asm.T1, a.here)  # all harts but 1 stay here
    a.addi(asm.T0, 0, 8)
    a.csrrw(0, asm.MVSIZE, asm.T0)
    a.csrrwi(0, asm.MVTYPE, 0)
    a.li(asm.A0, asm.SPM_BASE)
    a.li(asm.A1, asm.SPM_BASE + 4096)
    a.li(asm.A2, asm.SPM_BASE + 8192)
    a.kdsp("kvmul", asm.A0, asm.A1, asm.A2)
    second = a.kdsp("kvmul", asm.A0, asm.A1, asm.A2)

    run = _run(a)

    assert not run.halted
    tries = [row for row in run.trace if row[2] == second]
    assert run.retries[1] == len(tries) > 100
    assert all(word == 0x6F for *_, word in tries)


def test_a_misplaced_vector_is_refused() -> None:
    a = asm.start_single_hart()
    a.addi(asm.T0, 0, 8)
    a.csrrw(0, asm.MVSIZE, asm.T0)
    a.li(asm.A0, asm.SPM_BASE + 2)
    a.li(asm.A1, asm.SPM_BASE + 4096)
    a.li(asm.A2, asm.SPM_BASE + 8192)
    a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)

    with _refuses("kaddv: scratchpad offset 2 is not word aligned"):
        _run(a)
