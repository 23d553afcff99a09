"""Instructions with state: translated blocks and harts that run ahead change no field of a run."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.program import build
from gnomon.sim import simulate
from gnomon.sim._effort import FORCED, Effort
from tests.sim.blocks._noted import note_tiers
from tests.sim.blocks.test_long_programs import assert_same, translated
from tests.units.test_runs import machine

if TYPE_CHECKING:
    from gnomon.program import Program
    from gnomon.sim import Run
    from gnomon.sim._hot import SecondTier

_PROGRAM = Path(__file__).parents[1] / "state.c"
_ROUNDS = 3000
_NEVER = 1 << 30
_LONG = Effort(issues=0, everything=True, wait=True, quick=True, window_slots=2048, line_bytes=64)
_MACHINE = ("core.harts=3", "units.latest={}")


def _build(harts: int, seed: int, board: int, shared: int, rounds: int | str = _ROUNDS) -> Program:
    defines = {"HARTS": harts, "SEED": seed, "ROUNDS": rounds, "BOARD_EVERY": board,
               "SHARED_EVERY": shared}  # fmt: skip
    return build([_PROGRAM], machine("t13", *_MACHINE), active_harts=harts, defines=defines)


@pytest.fixture
def tiers(monkeypatch: pytest.MonkeyPatch) -> list[SecondTier]:
    """The second tiers of the runs of a test."""
    return note_tiers(monkeypatch)


def _run_both(
    program: Program, effort: Effort, monkeypatch: pytest.MonkeyPatch, **options: int
) -> Run:
    architecture = machine("t13", *_MACHINE)
    translated(monkeypatch, None)
    expected = simulate(program, architecture, **options)
    translated(monkeypatch, effort)
    run = simulate(program, architecture, **options)
    assert_same(expected, run)
    return run


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("effort", [FORCED, _LONG])
@pytest.mark.parametrize("harts", [1, 2, 3])
def test_state_of_a_hart_is_rolled_back(
    harts: int, effort: Effort, tiers: list[SecondTier], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = _run_both(_build(harts, 5, 97, _NEVER), effort, monkeypatch)
    figures = tiers[-1].figures
    done = figures["solo_instructions"] + figures["runner_instructions"]
    # Blocks and windows contain the instructions: else few would be done there.
    assert done > 0.9 * sum(run.work.instructions.values())
    assert (figures["rollbacks"] > 5) == (harts > 1)
    assert run.work.instructions["tally"] > harts * _ROUNDS


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("shared", [1, 7, 61])
@pytest.mark.parametrize("harts", [1, 2, 3])
def test_state_of_all_harts_changes_in_the_order_of_issues(
    harts: int, shared: int, tiers: list[SecondTier], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = _run_both(_build(harts, shared, 97, shared), FORCED, monkeypatch)
    figures = tiers[-1].figures
    assert run.work.instructions["latest"] >= harts * (_ROUNDS // shared - 1)
    if harts == 1:
        # Alone, a hart needs no order: its blocks contain the instruction.
        assert figures["solo_instructions"] > 0.9 * sum(run.work.instructions.values())
    else:
        assert figures["runner_instructions"] > 0


@pytest.mark.usefixtures("project")
def test_harts_that_finish_at_different_times_or_are_cut_keep_their_state(
    tiers: list[SecondTier], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _build(3, 3, 97, 61, rounds=f"({_ROUNDS}u >> (2 * hart))")
    whole = _run_both(program, _LONG, monkeypatch)
    figures = tiers[-1].figures
    assert figures["solo_instructions"] > 1000  # of the last hart
    assert figures["runner_instructions"] > 1000
    assert whole.halted == "exit"
    for cut in (1 << 12, 30_001, 54_320, whole.wall_cycles - 700):
        assert _run_both(program, _LONG, monkeypatch, max_cycles=cut).wall_cycles <= cut


@pytest.mark.heavy("oracle")
@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("first", range(0, 100, 25))
def test_many_mixtures(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(first, first + 25):
        rng = random.Random(seed)
        program = _build(
            rng.choice([1, 2, 3]), seed, rng.choice([1, 3, 31, 211, _NEVER]),
            rng.choice([1, 5, 17, 113, 997, _NEVER]),
        )  # fmt: skip
        effort = _LONG._replace(
            window_slots=rng.choice([64, 512, 2048]),
            line_bytes=rng.choice([4, 64]),
            quick=seed % 5 != 0,
        )
        _run_both(program, effort, monkeypatch)
