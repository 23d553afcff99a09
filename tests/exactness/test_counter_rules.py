"""Rules of CSRs and counters that the tables do not reach, one directed program each.

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


def test_mcycle_counts_from_the_write_of_pcer(runner: Runner) -> None:
    pcs: dict[str, int] = {}

    def body(a: asm.Assembler) -> None:
        a.addi(asm.T0, 0, 3)
        pcs["write"] = a.csrrw(0, asm.PCER, asm.T0)
        a.nop()
        pcs["cycles"] = a.csrr(asm.A0, asm.MCYCLE)
        pcs["issues"] = a.csrr(asm.A1, asm.MINSTRET)
        print_register(a, asm.A0)
        print_register(a, asm.A1)

    result = run_body(runner, body)

    index = IssueIndex(result)
    written, read = index.first(pcs["write"]), index.first(pcs["cycles"])
    issues = [row for row in result.trace if written + 2 <= row[0] <= index.first(pcs["issues"])]
    assert result.printed == (read - written - 1, len(issues) - 1)


@pytest.mark.parametrize("count_all", [True, False])
def test_writing_the_counters(runner: Runner, count_all: bool) -> None:
    pcs: dict[str, int] = {}

    def body(a: asm.Assembler) -> None:
        a.addi(asm.T0, 0, 3)
        a.csrrw(0, asm.PCER, asm.T0)
        a.li(asm.T1, 1000)
        pcs["write_cycles"] = a.csrrw(0, asm.MCYCLE, asm.T1)
        a.muldiv("div", asm.A2, asm.T1, asm.T0)
        pcs["read_cycles"] = a.csrr(asm.A0, asm.MCYCLE)
        pcs["write_issues"] = a.csrrw(0, asm.MINSTRET, asm.T1)
        a.nop()
        pcs["read_issues"] = a.csrr(asm.A1, asm.MINSTRET)
        print_register(a, asm.A0)
        print_register(a, asm.A1)

    result = run_body(runner, body, count_all=count_all)

    index = IssueIndex(result)
    at = {name: index.first(pc) for name, pc in pcs.items()}
    ends = [*(row[0] for row in result.trace[1:]), result.exit_cycle + 1]
    holder = {
        cycle: row[1]
        for row, end in zip(result.trace, ends, strict=True)
        for cycle in range(row[0], end)
    }
    cycles = range(at["write_cycles"] + 2, at["read_cycles"] + 1)
    held = len(cycles) if count_all else sum(holder[cycle] == 0 for cycle in cycles)
    issues = sum(
        at["write_issues"] < cycle <= at["read_issues"] and (count_all or hart == 0)
        for cycle, hart, _, _ in result.trace
    )
    assert result.printed == (1000 + held, 1000 - 1 + issues)


def test_clearing_and_setting_into_x0_changes_no_csr(runner: Runner) -> None:
    def body(a: asm.Assembler) -> None:
        a.li(asm.T0, 64)
        a.csrrw(0, asm.MVSIZE, asm.T0)
        a.li(asm.T1, 4)
        a.csrrs(0, asm.MVSIZE, asm.T1)
        a.csrr(asm.A0, asm.MVSIZE)
        a.csrrs(asm.A1, asm.MVSIZE, asm.T1)
        a.csrr(asm.A2, asm.MVSIZE)
        for register in (asm.A0, asm.A1, asm.A2):
            print_register(a, register)

    assert run_body(runner, body).printed == (64, 64, 68)


def test_a_counter_write_costs_the_other_harts_a_cycle(runner: Runner) -> None:
    """Hart 0 writes mcycle six times between two reads by hart 1."""
    a, entry = two_harts(1)
    entry(1)
    a.addi(asm.T0, 0, 3)
    a.csrrw(0, asm.PCER, asm.T0)
    first = a.csrr(asm.A0, asm.MCYCLE)
    for _ in range(16):
        a.nop()
    second = a.csrr(asm.A1, asm.MCYCLE)
    print_register(a, asm.A0)
    print_register(a, asm.A1)
    a.jal(0, a.here)
    entry(0)
    for _ in range(6):
        a.nop()
    writes = [a.csrrw(0, asm.MCYCLE, 0) for _ in range(6)]
    for _ in range(40):
        a.nop()
    asm.exit_with(a)

    result = runner(elf_of(a))

    assert_clean(result)
    index = IssueIndex(result)
    start, end = index.first(first, 1), index.first(second, 1)
    assert all(start < index.first(write) < end for write in writes)
    before, after = result.printed
    assert after - before == end - start - 6
