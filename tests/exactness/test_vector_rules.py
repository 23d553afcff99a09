"""Rules of the vector unit that the tables do not reach, one directed program each.

The expected figures are worked out by hand from the documented behavior of the core; they come
from no simulator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.exactness import _assembler as asm
from tests.exactness._reference import IssueIndex, assert_clean, elf_of
from tests.exactness._rule_program import print_register, run_body, two_harts

if TYPE_CHECKING:
    from tests.exactness._runner import Runner


@pytest.mark.parametrize(("value", "read"), [(0, 0), (1, 4), (2, 8)])
def test_mvtype_reads_back_shifted(runner: Runner, value: int, read: int) -> None:
    def body(a: asm.Assembler) -> None:
        a.csrrwi(0, asm.MVTYPE, value)
        a.csrr(asm.A0, asm.MVTYPE)
        print_register(a, asm.A0)

    assert run_body(runner, body).printed == (read,)


def test_exit_by_a_transfer(runner: Runner) -> None:
    """Word k of a kmemstr is on the bus in cycle I+1+2k; the exit counts issues up to there."""
    a = asm.start_single_hart()
    a.li(asm.A0, asm.SPM_BASE)
    a.li(asm.A1, asm.EXIT - 8)
    a.addi(asm.A2, 0, 16)
    store = a.kmem("kmemstr", asm.A1, asm.A0, asm.A2)
    a.jal(0, a.here)

    result = runner(elf_of(a))

    assert_clean(result)
    assert result.exit_cycle == IssueIndex(result).first(store) + 1 + 2 * 2
    assert result.trace[-1][0] == result.exit_cycle
    assert sum(result.issued) == len(result.trace)


def test_registers_are_written_by_no_vector_instruction(runner: Runner) -> None:
    def body(a: asm.Assembler) -> None:
        a.li(asm.T0, 16)
        a.csrrw(0, asm.MVSIZE, asm.T0)
        a.li(asm.A0, asm.SPM_BASE)
        a.li(asm.A1, asm.SPM_BASE + 4096)
        a.li(asm.A2, asm.SPM_BASE + 8192)
        a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)
        a.kmem("kmemld", asm.A0, 0, 0)
        print_register(a, asm.A0)

    assert run_body(runner, body).printed == (asm.SPM_BASE,)


def test_an_interrupted_retry_is_a_retry(runner: Runner) -> None:
    """The trace shows its word, and the counts follow the trace."""
    a = asm.start_single_hart()
    handler_jump = a.word(0)
    handler = a.here
    asm.exit_with(a)
    asm.patch_jump(a, handler_jump, a.here)
    a.li(asm.T0, handler)
    a.csrrw(0, asm.MTVEC, asm.T0)
    a.li(asm.T0, 1024)
    a.csrrw(0, asm.MVSIZE, asm.T0)
    a.li(asm.A0, asm.SPM_BASE)
    a.li(asm.A1, asm.SPM_BASE + 4096)
    a.li(asm.A2, asm.SPM_BASE + 8192)
    a.csrrwi(0, asm.MSTATUS, 8)
    a.li(asm.T0, 0xFF00)
    a.addi(asm.T1, 0, 8)
    a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)
    a.sw(asm.T1, 0, asm.T0)  # interrupts hart 0 itself
    busy = a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)

    result = runner(elf_of(a))

    assert_clean(result)
    assert IssueIndex(result).count(busy) == IssueIndex(result).retries(busy) == 1
    assert (result.retries, result.retired[0]) == ((1, 0, 0), result.issued[0] - 1)


@pytest.mark.parametrize(
    ("distance", "delay"),
    [(3, 0), (2, 0), (1, 3), (0, 3), (-1, 4), (-2, 5)],
)
def test_multithreaded_functional_unit_hands_over(
    runner: Runner, distance: int, delay: int
) -> None:
    """Hart 1 and then hart 0 add. ``distance`` is from the last busy cycle to the second issue.

    Two cycles after the end the unit is free at once. Earlier, the second one starts in the cycle
    after max(end + 2, issue + 2).
    """
    nops = 5
    # Hart 0 has the nops and one more branch, so it issues 3 * (nops + 1) + 1 cycles after hart 1.
    words = 3 * (nops + 1) - 2 - distance
    a, entry = two_harts(1)
    measured = {}
    for hart in (1, 0):
        entry(hart)
        a.addi(asm.T0, 0, 4 * words)
        a.csrrw(0, asm.MVSIZE, asm.T0)
        a.li(asm.A0, asm.SPM_BASE)
        a.li(asm.A1, asm.SPM_BASE + 4096)
        a.li(asm.A2, asm.SPM_BASE + 8192)
        for _ in range(0 if hart else nops):
            a.nop()
        measured[hart] = a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)
        if hart:
            a.jal(0, a.here)
    a.kmem_nothing()
    asm.exit_with(a)

    result = runner(elf_of(a), sharing="multithreaded")

    assert_clean(result)
    index = IssueIndex(result)
    first, second = index.first(measured[1], 1), index.first(measured[0], 0)
    end = first + words + 4 - 1
    assert second - end == distance
    assert (1, first, end) in result.vcu_intervals
    assert (0, second, second + delay + words + 4 - 1) in result.vcu_intervals


@pytest.mark.parametrize("shift", [3, 4, 5, 6])
def test_overlapping_copy_sees_writes_that_are_old_enough(runner: Runner, shift: int) -> None:
    """Copy words 0..11 to ``shift``.. in the same scratchpad; writes are 4 cycles after reads.

    Beat k reads word k, written by beat k - shift in cycle k - shift + 4. A read in the cycle of
    the write still gets the old word.
    """
    count = 12

    def body(a: asm.Assembler) -> None:
        a.li(asm.S0, asm.DATA_BASE)
        for word in range(count + shift):
            a.addi(asm.T0, 0, 100 + word)
            a.sw(asm.T0, 4 * word, asm.S0)
        a.li(asm.A0, asm.SPM_BASE)
        a.addi(asm.A1, 0, 4 * (count + shift))
        a.kmem("kmemld", asm.A0, asm.S0, asm.A1)
        a.addi(asm.T0, 0, 4 * count)
        a.csrrw(0, asm.MVSIZE, asm.T0)
        a.addi(asm.A2, asm.A0, 4 * shift)
        a.kdsp("kvcp", asm.A2, asm.A0, 0)
        a.kmem("kmemstr", asm.S0, asm.A0, asm.A1)
        for word in range(count + shift):
            a.lw(asm.T0, 4 * word, asm.S0)
            print_register(a, asm.T0)

    expected = [100 + word for word in range(count + shift)]
    source = list(expected)
    for beat in range(count):
        seen = expected if shift > 4 else source
        expected[beat + shift] = seen[beat]
    assert list(run_body(runner, body).printed) == expected
