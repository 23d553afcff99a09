"""Measured regions: every cycle against the trace of the same run."""

from __future__ import annotations

import pytest

from gnomon.base.errors import GnomonError
from gnomon.sim import Region, simulate
from tests.robustness._programs import RESET_PC, issue_cycles, machine, program, t13_words
from tests.robustness._regions import (
    FACTORIAL,
    FUNCTIONS,
    INNER,
    LOOP,
    MACHINES,
    OUTER,
    measure,
    only,
    pc_of,
)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("addi t1, zero, 11", "addi t1, zero, 22"),
        ("kvmul a1, a0, a1", "sw t2, 0(a3)"),
        ("kaddv a1, a0, a1", "div t2, s1, t1"),
        ("addi t1, zero, 11", "kaddv a1, a0, a1"),
    ],
    ids=["plain", "from vector to store", "from a retried instruction", "to a retried one"],
)
def test_a_pair_of_addresses_on_every_hart(name: str, start: str, end: str) -> None:
    first, last = pc_of(LOOP, start), pc_of(LOOP, end)
    run, traced = measure(LOOP, [Region("part", first, last)], *MACHINES[name])
    assert run.halted == "exit"
    assert all("read unwritten words of a scratchpad" in each for each in run.warnings)
    for hart in range(3):
        part = only(run, "part", hart)
        assert traced.trace is not None
        rows = traced.trace[traced.trace["hart"] == hart]
        wall = issued = entries = 0
        lengths: dict[int, int] = {}
        opened: int | None = None
        for row, (cycle, _, pc, _) in enumerate(rows.tolist()):
            if opened is None and pc == first:
                opened = row
            elif opened is not None and pc == last:
                length = int(cycle - rows["cycle"][opened])
                wall += length
                lengths[length] = lengths.get(length, 0) + 1
                issued += row - opened
                entries += 1
                opened = None
        assert (part.entries, part.wall_cycles, part.issued) == (entries, wall, issued)
        assert part.lengths == lengths
        assert list(part.lengths) == sorted(lengths)
        assert entries == 4 + hart
        assert sum(part.counters.values()) > 0
        assert part.hart_cycles <= part.wall_cycles


def test_the_whole_run_of_a_hart_is_its_counters() -> None:
    """From the first instruction on hart 0 to its last: counters of the region and of the run."""
    words = t13_words("nop\nli t0, 0x1a10fff0\nsw zero, 0(t0)\nsw zero, 0(t0)\nstay: j stay")
    last = pc_of(words, "sw zero, 0(t0)", 0)
    run, traced = measure(words, [Region("all", pc_of(words, "csrrs t0,mhartid,zero"), last)])
    part = only(run, "all")
    (start,) = issue_cycles(traced, pc_of(words, "csrrs t0,mhartid,zero"))
    assert part.wall_cycles == issue_cycles(traced, last)[0] - start
    # All of hart 0 but for the jump at reset and the exit.
    counted = {
        name.removeprefix("hart0."): count
        for name, count in run.counters.items()
        if name.startswith("hart0.")
    }
    assert counted.pop("issue.jump") == 1
    assert counted.pop("issue.store") == 1
    assert counted == part.counters


@pytest.mark.parametrize("quantum_cycles", [1, 7, 1_000_000])
def test_functions_recursive_and_nested(quantum_cycles: int) -> None:
    regions = [
        Region("factorial", FACTORIAL),
        Region("outer", OUTER),
        Region("inner", INNER),
        Region("inner too", INNER),
    ]
    run, traced = measure(FUNCTIONS, regions, quantum_cycles=quantum_cycles)
    assert run.halted == "exit"
    assert not run.warnings
    calls = [pc_of(FUNCTIONS, "addi a0,zero,5") + 4 * k for k in range(1, 5)]  # and what follows
    back = [issue_cycles(traced, call)[0] for call in calls]
    assert only(run, "factorial").entries == 1
    entered = issue_cycles(traced, FACTORIAL)
    assert len(entered) == 5
    assert only(run, "factorial").wall_cycles == back[1] - entered[0]
    outer = issue_cycles(traced, OUTER)
    assert only(run, "outer").entries == 2
    assert only(run, "outer").wall_cycles == back[2] - outer[0] + back[3] - outer[1]
    inner = issue_cycles(traced, INNER)
    after = sorted(issue_cycles(traced, OUTER + 12) + issue_cycles(traced, OUTER + 16))
    assert only(run, "inner").entries == 4
    assert only(run, "inner").wall_cycles == sum(after) - sum(inner)
    assert only(run, "inner").issued == 4 * 2
    assert only(run, "inner too").counters == only(run, "inner").counters
    assert only(run, "outer").counters["issue.load"] == 2


def test_a_region_without_end_warns() -> None:
    words = t13_words("addi t3, zero, 7\nli t0, 0x1a10fff0\nsw zero, 0(t0)\nstay: j stay")
    run, _ = measure(words, [Region("open", pc_of(words, "addi t3,zero,7"))])
    assert run.regions == {"open": ()}
    assert run.warnings == ("region open was entered and not left on hart 0",)


def test_a_region_whose_end_is_not_issued_any_more_warns() -> None:
    """The limit falls between the last instruction of the region and the next one."""
    words = t13_words("addi t3, zero, 7\ndiv t0, t3, t3\nstay: j stay")
    region = Region("cut", pc_of(words, "addi t3,zero,7"), pc_of(words, "addi t3,zero,7") + 8)
    it, architecture = program(words), machine("t13-simd2")
    traced = simulate(it, architecture, max_cycles=1000, trace=True)
    (start,) = issue_cycles(traced, region.start_address)
    assert region.end_address is not None
    end = issue_cycles(traced, region.end_address)[0]
    for limit in range(start + 1, end + 3):
        run = simulate(it, architecture, max_cycles=limit, regions=[region])
        if limit <= end:
            assert run.regions == {"cut": ()}
            assert run.warnings == ("region cut was entered and not left on hart 0",), limit
        else:
            assert only(run, "cut").wall_cycles == end - start
            assert not run.warnings


def test_a_region_that_is_never_entered() -> None:
    run, _ = measure(FUNCTIONS, [Region("never", RESET_PC + 8)])
    assert run.regions == {"never": ()}
    assert not run.warnings


@pytest.mark.parametrize(
    ("start", "end", "shown"),
    [
        (0x100000, None, 0x100000),
        (0x82, None, 0x82),
        (0x80, 0x40000, 0x40000),
        (-4, None, -4),
    ],
)
def test_a_region_outside_the_instruction_memory(start: int, end: int | None, shown: int) -> None:
    with pytest.raises(GnomonError) as caught:
        simulate(program(FUNCTIONS), machine("t13"), regions=[Region("bad", start, end)])
    assert str(caught.value) == f"region bad: 0x{shown:08X} is not in the instruction memory"


def test_a_region_over_code_that_is_rewritten() -> None:
    """A word under a mark is written: the new one is executed, and the mark stays."""
    words = t13_words(
        """
        li s1, 3
        la t1, patch
        lw t2, 4(t1)
again:
patch:
        addi t3, zero, 1
        addi t3, zero, 2
        sw t2, 0(t1)
        addi s1, s1, -1
        bnez s1, again
        li t0, 0x1a10fff0
        sw t3, 0(t0)
        stay: j stay
        """
    )
    patch = pc_of(words, "addi t3,zero,1")
    run, traced = measure(words, [Region("patched", patch, patch + 8)])
    assert run.exit_code == 2
    assert only(run, "patched").entries == 3
    starts, ends = issue_cycles(traced, patch), issue_cycles(traced, patch + 8)
    assert only(run, "patched").wall_cycles == sum(ends) - sum(starts)
    assert traced.trace is not None
    rows = traced.trace[traced.trace["pc"] == patch]
    assert rows["word"].tolist() == [0x00100E13, 0x00200E13, 0x00200E13]


def test_a_retried_instruction_of_a_hart_that_is_alone_awake() -> None:
    """Its tries are booked at once; the region starts and ends at the first one."""
    words = t13_words(
        """
        li t0, 256
        csrw mvsize, t0
        li a0, 0x10000000
        li a1, 0x10001000
        kvmul a1, a0, a1
        kaddv a1, a0, a1
        ksubv a1, a0, a1
        li t0, 0x1a10fff0
        sw zero, 0(t0)
        stay: j stay
        """
    )
    product = pc_of(words, "kvmul a1,a0,a1")
    regions = [Region("to", product, product + 4), Region("from", product + 4, product + 8)]
    run, traced = measure(words, regions)
    tries = [issue_cycles(traced, pc) for pc in (product, product + 4, product + 8)]
    assert [len(cycles) > 10 for cycles in tries] == [False, True, True]
    assert only(run, "to").wall_cycles == tries[1][0] - tries[0][0]
    assert only(run, "from").wall_cycles == tries[2][0] - tries[1][0]
    assert only(run, "from").counters["retry.vcu"] == len(tries[1]) - 1


def test_a_function_that_returns_to_code_just_written() -> None:
    """The mark of the return is put over a word that waits to be decoded."""
    words = t13_words(
        """
        la t1, back
        la t2, new
        lw t2, 0(t2)
        sw t2, 0(t1)
        jal ra, function
back:
        addi t3, zero, 1
        li t0, 0x1a10fff0
        sw t3, 0(t0)
stay:   j stay
function:
        xor t4, t4, t4
        ret
new:    addi t3, zero, 2
        """
    )
    function = pc_of(words, "xor t4,t4,t4")
    run, traced = measure(words, [Region("function", function)])
    assert run.exit_code == 2
    back = pc_of(words, "addi t3,zero,1")
    part = only(run, "function")
    assert part.wall_cycles == issue_cycles(traced, back)[0] - issue_cycles(traced, function)[0]
