"""Long random programs with translated blocks and without: no field of a run may differ."""

from __future__ import annotations

import random
from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.program import load_elf
from gnomon.sim import simulate
from gnomon.sim._effort import FORCED, Effort
from tests.exactness._runner import run_on_engine, run_on_oracle
from tests.rows import light_and_heavy
from tests.sim.blocks._long_program import long_case

if TYPE_CHECKING:
    from gnomon.sim import Profile, Run

_SEEDS = 5
_HEAVY_SEEDS = 1000
_HEAVY_AT_ONCE = 16
_ORACLE_SEEDS = 4
_HEAVY_ORACLE_SEEDS = 200
_PREFIX_CYCLES = 30_000
_MAX_CYCLES = 100_000_000
_MOST_TURNS = 16


def effort_of(seed: int) -> Effort:
    """All blocks before the first instruction, or the hot ones once it is known which they are."""
    rng = random.Random(seed)
    if rng.random() < 0.5:
        return FORCED._replace(quick=seed % 10 != 0)
    return Effort(
        issues=0,
        wait=True,
        quick=seed % 10 != 0,
        window_slots=rng.choice([64, 512, 2048]),
        line_bytes=rng.choice([4, 64]),
    )


def translated(monkeypatch: pytest.MonkeyPatch, effort: Effort | None) -> None:
    monkeypatch.setattr("gnomon.sim._simulate.chosen_effort", lambda: effort)


def assert_same(one: Run, other: Run) -> None:
    for field in fields(one):
        mine, yours = getattr(one, field.name), getattr(other, field.name)
        if field.name == "profile":
            assert_same_profile(mine, yours)
        else:
            assert mine == yours, field.name


def assert_same_profile(one: Profile, other: Profile) -> None:
    assert one.base_address == other.base_address
    assert np.array_equal(one.issues, other.issues)
    assert np.array_equal(one.cycles, other.cycles)
    assert one.parts.keys() == other.parts.keys()
    for name, part in one.parts.items():
        assert np.array_equal(part, other.parts[name]), name


def compare(monkeypatch: pytest.MonkeyPatch, seed: int, turns: int = 1) -> None:
    case = long_case(seed, turns=turns)
    program = load_elf(case.elf)
    architecture = load_architecture(case.machine, overrides=list(case.overrides))
    quantum = random.Random(seed).choice([300_000, 1_000_003, 20_000_000])
    translated(monkeypatch, None)
    expected = simulate(program, architecture, max_cycles=_MAX_CYCLES)
    if sum(hart.issued for hart in expected.harts) < 1_000_000:
        assert turns < _MOST_TURNS
        compare(monkeypatch, seed, 2 * turns)
        return
    translated(monkeypatch, effort_of(seed))
    got = simulate(program, architecture, max_cycles=_MAX_CYCLES, quantum_cycles=quantum)
    assert_same(expected, got)


@pytest.mark.parametrize("seed", light_and_heavy("oracle", 4, range(_SEEDS), str))
def test_long_program(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(monkeypatch, seed)


@pytest.mark.heavy("oracle")
@pytest.mark.parametrize("first", range(_SEEDS, _HEAVY_SEEDS, _HEAVY_AT_ONCE))
def test_many_long_programs(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(first, first + _HEAVY_AT_ONCE):
        compare(monkeypatch, seed)


def compare_with_oracle(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """The first cycles; the oracle is slow, and does not say how fetch and stores to code meet."""
    case = long_case(seed, rewrites=False, dividers=False)
    if case.machine != "t13":
        return
    settings = dict(item.removeprefix("core.").split("=") for item in case.overrides)
    configuration = {
        "harts": int(settings["harts"]),
        "count_all": settings["count_all"] == "true",
        "trace": False,
    }
    translated(monkeypatch, FORCED)
    got = run_on_engine(case.elf, max_cycles=_PREFIX_CYCLES, **configuration)
    expected = run_on_oracle(case.elf, max_cycles=got.exit_cycle, **configuration)
    assert got == expected, f"seed {seed}"


def test_prefixes_on_the_oracle(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(_ORACLE_SEEDS):
        compare_with_oracle(monkeypatch, seed)


@pytest.mark.heavy("oracle")
@pytest.mark.parametrize("first", range(_ORACLE_SEEDS, _HEAVY_ORACLE_SEEDS, 14))
def test_many_prefixes_on_the_oracle(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(first, first + 14):
        compare_with_oracle(monkeypatch, seed)
