"""Measured regions over all harts: the time in which at least one hart is in it."""

from __future__ import annotations

import pytest

from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Energy
from gnomon.sim import Region, Run
from tests.robustness._programs import RESET_PC, all_harts_words, machine
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

PAIRS = {
    "plain": ("addi t1, zero, 11", "addi t1, zero, 22"),
    "around a transfer": ("kmemld a0, a3, t0", "kvmul a1, a0, a1"),
    "to a retried instruction": ("addi t1, zero, 11", "kaddv a1, a0, a1"),
}


def passes_of(traced: Run, first: int, last: int) -> dict[int, list[tuple[int, int]]]:
    """Entries and exits of each hart, in cycles, from a trace."""
    assert traced.trace is not None
    found: dict[int, list[tuple[int, int]]] = {}
    opened: dict[int, int] = {}
    for cycle, hart, pc, _ in traced.trace.tolist():
        if hart in opened and pc == last:
            found.setdefault(hart, []).append((opened.pop(hart), cycle))
        elif hart not in opened and pc == first:
            opened[hart] = cycle
    return found


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("pair", PAIRS)
def test_repeated_passes_of_all_harts_are_the_time_in_which_one_is_in_it(
    name: str, pair: str
) -> None:
    first, last = (pc_of(LOOP, text) for text in PAIRS[pair])
    run, traced = measure(LOOP, [Region("part", first, last)], *MACHINES[name])
    spans = sorted(span for some in passes_of(traced, first, last).values() for span in some)
    cycles, reached = 0, 0
    for start, end in spans:
        cycles += max(0, end - max(start, reached))
        reached = max(reached, end)
    total = run.region_totals["part"]
    assert (total.harts, total.entries, total.unfinished) == ((0, 1, 2), len(spans), ())
    assert total.wall_cycles == total.work.wall_cycles == cycles
    assert cycles < sum(part.wall_cycles for part in run.regions["part"])
    if pair == "plain":  # else it begins or ends in a wait
        assert sum(total.hart_cycles) == cycles


ONCE = """
    csrr s0, mhartid
    li a3, 0x100000
    slli t0, s0, {shift}
    addi t0, t0, 1
    slli t1, s0, 8
before: addi t1, t1, -1
    blt zero, t1, before
    addi t2, zero, 11
inside: addi t0, t0, -1
    blt zero, t0, inside
    addi t2, zero, 22
    sw t2, 0(a3)
    bnez s0, others
    li t1, {wait}
last: addi t1, t1, -1
    bnez t1, last
    li t0, 0x1a10fff0
    sw zero, 0(t0)
stay: j stay
others: csrwi mstatus, 8
    wfi
"""
ONCE_CASES = {
    "longer on later harts": {"shift": 5, "wait": 2000},
    "one after the other": {"shift": 1, "wait": 2000},
    "much longer on the last": {"shift": 9, "wait": 3000},
}


@pytest.mark.parametrize("name", ["t13-simd2", "superscalar"])
@pytest.mark.parametrize("case", ONCE_CASES)
def test_one_pass_of_each_hart_is_from_the_first_entry_to_the_last_exit(
    case: str, name: str
) -> None:
    words = all_harts_words(ONCE.format(**ONCE_CASES[case]))
    first, last = pc_of(words, "addi t2, zero, 11"), pc_of(words, "addi t2, zero, 22")
    more = ["core.superscalar=true"] if name == "superscalar" else []
    run, traced = measure(words, [Region("part", first, last)], *more)
    (a,), (b,), (c,) = (passes_of(traced, first, last)[hart] for hart in range(3))
    total = run.region_totals["part"]
    assert total.wall_cycles == max(a[1], b[1], c[1]) - min(a[0], b[0], c[0])
    assert (total.harts, total.entries) == ((0, 1, 2), 3)
    assert total.wall_cycles > only(run, "part").wall_cycles
    assert sum(total.hart_cycles) == total.wall_cycles
    architecture = machine("t13-simd2", *more)
    assert Energy.from_work(total.work, architecture).wall_cycles == total.wall_cycles


def test_one_hart_alone_is_its_own_total() -> None:
    regions = [Region("factorial", FACTORIAL), Region("outer", OUTER), Region("inner", INNER)]
    run, _ = measure(FUNCTIONS, regions)
    for name in ("factorial", "outer", "inner"):
        part, total = only(run, name), run.region_totals[name]
        assert (total.entries, total.wall_cycles) == (part.entries, part.wall_cycles)
        assert (total.hart_cycles[0], total.work) == (part.hart_cycles, part.work)


def test_a_region_that_one_hart_never_leaves_has_no_total() -> None:
    words = all_harts_words(ONCE.format(shift=12, wait=1000))
    first, last = pc_of(words, "addi t2, zero, 11"), pc_of(words, "addi t2, zero, 22")
    run, _ = measure(words, [Region("part", first, last)])
    total = run.region_totals["part"]
    assert (total.harts, total.unfinished) == ((0,), (1, 2))
    with pytest.raises(GnomonError, match="hart 1, 2 is in it when the program ends"):
        total.check_finished()


def test_a_region_that_no_hart_leaves_is_not_there() -> None:
    run, _ = measure(FUNCTIONS, [Region("never", RESET_PC + 8)])
    assert run.region_totals == {}
