"""Measured regions: every cycle against the trace of the same run."""

from __future__ import annotations

import pytest

from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Energy
from gnomon.isa import assemble
from gnomon.sim import Region, RegionRun, Run, simulate
from tests.robustness._programs import (
    RESET_PC,
    all_harts_words,
    issue_cycles,
    machine,
    program,
    t13_words,
)

MACHINES = {
    "shared": ("vcu.sharing=shared",),
    "multithreaded": ("vcu.sharing=multithreaded",),
    "in order": ("core.superscalar=false",),
}


def pc_of(words: list[int], statement: str, occurrence: int = 0) -> int:
    """Address of an instruction that takes one word."""
    (word,) = assemble(statement)
    places = [index for index, each in enumerate(words) if each == word]
    return RESET_PC + 4 * places[occurrence]


def measure(
    words: list[int], regions: list[Region], *overrides: str, quantum_cycles: int = 1_000_000
) -> tuple[Run, Run]:
    """The run with regions, and the traced run without; they must agree in everything else."""
    architecture = machine("t13-simd2", *overrides)
    it = program(words)
    run = simulate(
        it, architecture, max_cycles=50_000, regions=regions, quantum_cycles=quantum_cycles
    )
    traced = simulate(it, architecture, max_cycles=50_000, trace=True)
    without = {"regions": {}, "warnings": ()}
    assert run.to_json() | without == traced.to_json() | without
    return run, traced


def only(run: Run, name: str, hart: int = 0) -> RegionRun:
    (part,) = [part for part in run.regions[name] if part.hart == hart]
    return part


LOOP = all_harts_words(
    """
    csrr s0, mhartid
    li t0, 16
    csrw mvsize, t0
    li a0, 0x10000000
    li a1, 0x10001000
    li a3, 0x100000
    addi s1, s0, 4
loop:
    addi t1, zero, 11
    kmemld a0, a3, t0
    kvmul a1, a0, a1
    kaddv a1, a0, a1
    div t2, s1, t1
    sw t2, 0(a3)
    addi t1, zero, 22
    addi s1, s1, -1
    bnez s1, loop
    bnez s0, asleep
    li t1, 4000
wait:
    addi t1, t1, -1
    bnez t1, wait
    li t0, 0x1a10fff0
    sw zero, 0(t0)
stay: j stay
asleep:
    csrwi mstatus, 8
    wfi
    """
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


FUNCTIONS = t13_words(
    """
    li sp, 0x104000
    li a0, 5
    jal ra, factorial
    jal ra, outer
    jal ra, outer
    li t0, 0x1a10fff0
    sw zero, 0(t0)
stay: j stay
factorial:
    addi sp, sp, -16
    sw ra, 0(sp)
    sw a0, 4(sp)
    addi a0, a0, -1
    beqz a0, one
    jal ra, factorial
    lw t1, 4(sp)
    mul a0, a0, t1
    j leave
one:
    addi a0, zero, 1
leave:
    lw ra, 0(sp)
    addi sp, sp, 16
    ret
outer:
    addi sp, sp, -32
    sw ra, 0(sp)
    jal ra, inner
    jal ra, inner
    lw ra, 0(sp)
    addi sp, sp, 32
    ret
inner:
    xor t2, t2, t2
    ret
    """
)
FACTORIAL = pc_of(FUNCTIONS, "addi sp,sp,-16")
OUTER = pc_of(FUNCTIONS, "addi sp,sp,-32")
INNER = pc_of(FUNCTIONS, "xor t2,t2,t2")


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
    """The limit falls between the last instruction of the region and the one behind it."""
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


# --- over all harts ----------------------------------------------------------------------------

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
