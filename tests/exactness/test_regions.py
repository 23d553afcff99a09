"""Random programs on a T13 whose memories are regions of different speed."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from tests.exactness import _assembler as asm
from tests.exactness._random_program import random_case
from tests.exactness._runner import run_on_both_tiers, run_on_engine, run_on_oracle
from tests.oracle import OracleRegion
from tests.rows import light_and_heavy

_CYCLES = 100_000
_PAGE, _DATA_BYTES = 0x1000, 0x4_0000


def random_regions(rng: random.Random) -> tuple[OracleRegion, ...]:
    """Regions over the addresses of the reference machine, whose transfers lie in one page."""
    code = OracleRegion(
        name="code", base=0, size_bytes=0x4_0000, access_words=rng.choice([1, 2]),
    )  # fmt: skip
    # One of them, or none, is the data region of the machine; any may be: the others are alike.
    cuts = {_PAGE * rng.randint(1, 12) for _ in range(rng.randint(0, 4))}
    ends = [*sorted(cuts), _DATA_BYTES]
    found, main = [code], rng.randrange(len(ends))
    for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        found.append(
            OracleRegion(
                name="data" if number == main else f"r{number}",
                base=asm.DATA_BASE + start, size_bytes=end - start,
                waits=rng.choice([0, 0, 1, 2, 5, 11]),
                access_words=rng.choice([1, 1, 2, 4]), burst=rng.choice([1, 1, 3]),
            )
        )  # fmt: skip
    return tuple(found)


def _compare(seed: int) -> None:
    case = random_case(seed)
    regions = random_regions(random.Random(f"regions {seed}"))
    configuration = case.configuration | {"regions": regions}
    expected = run_on_oracle(case.elf, max_cycles=_CYCLES, **configuration)
    got = run_on_engine(case.elf, max_cycles=_CYCLES, **configuration)
    for number, (wanted, seen) in enumerate(zip(expected.trace, got.trace, strict=False)):
        assert seen == wanted, f"seed {seed}, issue {number} (cycle, hart, pc, word)"
    if not expected.halted:  # a hart is held for ever, see test_differential
        assert configuration["sharing"] == "multithreaded", f"seed {seed}: no end"
        assert not got.halted, f"seed {seed}: the oracle sees no end"
        return
    assert got == replace(expected, buses={}), f"seed {seed}, {configuration}"
    untraced = run_on_engine(case.elf, max_cycles=_CYCLES, trace=False, **configuration)
    bare = replace(expected, trace=[], vcu_intervals=[], lsu_intervals=[], buses={})
    assert untraced == bare, f"seed {seed} without a trace, {configuration}"


@pytest.mark.parametrize("start", light_and_heavy("oracle", 1, range(0, 400, 8)))
def test_random_programs_with_regions(start: int) -> None:
    for seed in range(start, start + 8):
        _compare(seed)


@pytest.mark.parametrize("seed", light_and_heavy("oracle", 1, range(3, 40, 4)))
def test_translated_blocks_reach_regions(seed: int) -> None:
    case = random_case(seed)
    regions = random_regions(random.Random(f"regions {seed}"))
    run_on_both_tiers(case.elf, **case.configuration, regions=regions, max_cycles=_CYCLES)
