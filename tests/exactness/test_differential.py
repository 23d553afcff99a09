"""Random programs on the engine and on the oracle: nothing that can be seen may differ."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

import pytest

from tests.exactness._random_program import random_case
from tests.exactness._reference import RETRY_WORD
from tests.exactness._runner import run_on_engine, run_on_oracle
from tests.rows import light_and_heavy

WFI_WORD = 0x1050_0073
_CYCLES = 100_000
_SEEDS = 16
_HEAVY_SEEDS, _HEAVY_STEP = 1000, 41  # of the rest, all of it


def _compare(seed: int, **changes: int) -> None:
    case = random_case(seed)
    case = replace(case, configuration=case.configuration | changes)
    expected = run_on_oracle(case.elf, max_cycles=_CYCLES, **case.configuration)
    got = run_on_engine(case.elf, max_cycles=_CYCLES, **case.configuration)

    if not expected.halted:
        # A request left with the arbiter of a multithreaded unit may hold a hart for ever, as in
        # the RTL. The engine stops where nothing can happen any more.
        assert case.configuration["sharing"] == "multithreaded", f"seed {seed}: no end"
        assert not got.halted, f"seed {seed}: the oracle sees no end"
        assert got.trace == expected.trace[: len(got.trace)], f"seed {seed}"
        # At the limit itself the oracle still issues; harts that wait for the one that is held do.
        rest = [row for row in expected.trace[len(got.trace) :] if row[0] < _CYCLES]
        assert {row[3] for row in rest} <= {RETRY_WORD, WFI_WORD}, f"seed {seed}"
        return
    for number, (wanted, seen) in enumerate(zip_longest(expected.trace, got.trace)):
        assert seen == wanted, (
            f"seed {seed}, {case.configuration}\nissue {number} (cycle, hart, pc, word): "
            f"oracle {wanted}, engine {seen}, after {expected.trace[max(0, number - 4) : number]}"
        )
    buses = expected.buses
    expected = replace(expected, buses={})
    assert got == expected, f"seed {seed}, {case.configuration}"

    # Without a trace the engine may step over parked harts. It must not show.
    untraced = run_on_engine(case.elf, max_cycles=_CYCLES, trace=False, **case.configuration)
    bare = replace(expected, trace=[], vcu_intervals=[], lsu_intervals=[])
    assert untraced == bare, f"seed {seed} without a trace, {case.configuration}"

    toggling = run_on_engine(
        case.elf, max_cycles=_CYCLES, trace=False, toggles=True, **case.configuration
    )
    for each in sorted(buses.keys() | toggling.buses.keys()):
        seen, wanted = toggling.buses.get(each), buses.get(each)
        assert seen == wanted, (
            f"seed {seed}, {case.configuration}\npc {each[0]:#x}, bus {each[1]} (values,"
            f" toggles): oracle {wanted}, engine {seen}"
        )
    assert replace(toggling, buses={}) == bare, f"seed {seed} with toggles, {case.configuration}"


@pytest.mark.parametrize("start", range(0, _SEEDS, 8))
def test_random_programs(start: int) -> None:
    for seed in range(start, start + 8):
        _compare(seed)


def _slow_memory(seed: int) -> dict[str, int]:
    """One of 24, all of them within as many seeds."""
    waits, words, burst = (1, 2, 5, 11), (1, 1, 2), (1, 3)
    return {
        "data_waits": waits[seed % 4], "access_words": words[seed // 4 % 3],
        "burst": burst[seed // 12 % 2],
    }  # fmt: skip


@pytest.mark.parametrize("start", light_and_heavy("oracle", 1, range(0, 24, 8)))
def test_random_programs_with_a_slow_memory(start: int) -> None:
    for seed in range(start, start + 8):
        _compare(seed, **_slow_memory(seed))


@pytest.mark.parametrize("seed", [312, 358, 579])
def test_an_interrupt_takes_the_place_of_a_branch(seed: int) -> None:
    """The branch is fetched, and read from the registers, but compares nothing."""
    _compare(seed)


@pytest.mark.parametrize("start", light_and_heavy("oracle", 1, range(0, 9, 3)))
def test_random_programs_with_more_harts(start: int) -> None:
    for seed in range(start, start + 3):
        _compare(seed, harts=6 + seed % 3)


@pytest.mark.heavy("oracle")
@pytest.mark.parametrize("start", range(_SEEDS, _HEAVY_SEEDS, _HEAVY_STEP))
def test_many_random_programs(start: int) -> None:
    for seed in range(start, start + _HEAVY_STEP):
        _compare(seed)


def test_a_seed_gives_the_same_bytes() -> None:
    assert random_case(3) == random_case(3)
    assert random_case(3) != random_case(4)
