"""When blocks are translated, and that a run shows nothing of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.generated import RuntimeLibrary
from gnomon.base.native import load_native
from gnomon.sim import Region, simulate
from gnomon.sim._effort import FORCED, NORMAL, Effort, chosen_effort
from gnomon.sim._library import ENGINE
from tests.sim.blocks._noted import note_tiers
from tests.sim.blocks._programs import LOOP_WORDS, ROUNDS, counting, divided
from tests.sim.blocks.test_long_programs import assert_same, translated

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.sim import Run
    from gnomon.sim._hot import SecondTier

T13 = load_architecture("t13")
EAGER = Effort(issues=0, wait=True, quick=True)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept blocks of a test are its own; the engine is the usual one."""
    load_native(ENGINE)
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path))


@pytest.fixture
def tiers(monkeypatch: pytest.MonkeyPatch) -> list[SecondTier]:
    """The second tiers of the runs of a test."""
    return note_tiers(monkeypatch)


def both(
    monkeypatch: pytest.MonkeyPatch,
    effort: Effort,
    *,
    alone: bool,
    rounds: int = ROUNDS,
    architecture: Architecture = T13,
    quantum_cycles: int = 10_000,
    **options: object,
) -> Run:
    """A run with blocks, which is that without."""
    program, _ = counting(alone=alone, rounds=rounds)
    translated(monkeypatch, None)
    expected = simulate(program, architecture, **options)  # type: ignore[arg-type]
    translated(monkeypatch, effort)
    got = simulate(program, architecture, quantum_cycles=quantum_cycles, **options)  # type: ignore[arg-type]
    assert_same(expected, got)
    return got


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("effort", [FORCED, EAGER])
def test_blocks_do_nearly_all_of_a_loop(
    monkeypatch: pytest.MonkeyPatch, tiers: list[SecondTier], effort: Effort, *, alone: bool
) -> None:
    # Before it knows what is hot, a run must have gone on for some slots.
    rounds = 40 * ROUNDS if effort == EAGER else ROUNDS
    both(monkeypatch, effort, alone=alone, rounds=rounds)
    figures = tiers[-1].figures
    done = figures["solo_instructions"] + figures["runner_instructions"]
    assert done > (0.9 if effort is FORCED else 0.5) * rounds * LOOP_WORDS * (1 if alone else 3)
    assert (figures["windows"] > 0) == (not alone or effort is FORCED)


@pytest.mark.parametrize(
    ("name", "overrides"),
    [
        ("t13", ["core.divider=klessydra_vl_hf"]),
        ("rv32im", ["core.divider=early_clz_r2", "core.latency.div=none"]),
        ("ibex-like-slow-multiplier", []),
        ("picorv32", []),
    ],
)
def test_blocks_take_cycles_that_depend_on_operands(
    monkeypatch: pytest.MonkeyPatch, tiers: list[SecondTier], name: str, overrides: list[str]
) -> None:
    """Divisions, products and shifts, by dividers, ``mul-per-bit``, ``div-by-zero`` and rules."""
    architecture = load_architecture(name, overrides)
    program = divided()
    translated(monkeypatch, None)
    expected = simulate(program, architecture)
    translated(monkeypatch, FORCED)
    assert_same(expected, simulate(program, architecture))
    figures = tiers[-1].figures
    assert figures["solo_instructions"] + figures["runner_instructions"] > 1000


@pytest.mark.parametrize("alone", [True, False])
def test_a_run_may_end_anywhere(monkeypatch: pytest.MonkeyPatch, *, alone: bool) -> None:
    program, _ = counting(alone=alone)
    translated(monkeypatch, None)
    whole = simulate(program, T13)
    rng = np.random.default_rng(0)
    for cycles in rng.integers(1, whole.wall_cycles, 6).tolist():
        both(monkeypatch, FORCED, alone=alone, max_cycles=cycles)


@pytest.mark.parametrize(
    ("offset", "alone"), [(0, False), (8, True), (8, False), (4 * (LOOP_WORDS - 1), True)]
)
def test_a_region_may_begin_inside_of_a_block(
    monkeypatch: pytest.MonkeyPatch, offset: int, *, alone: bool
) -> None:
    _, loop = counting(alone=alone)
    region = Region(name="inside", start_address=loop + offset, end_address=loop)
    run = both(monkeypatch, FORCED, alone=alone, rounds=300, regions=[region])
    assert run.regions["inside"][0].entries > 200


@pytest.mark.parametrize(
    ("overrides", "options"),
    [(["core.superscalar=false"], {}), ([], {"trace": True}), ([], {"calls": True})],
)
def test_where_every_instruction_is_looked_at_nothing_is_translated(
    monkeypatch: pytest.MonkeyPatch,
    tiers: list[SecondTier],
    overrides: list[str],
    options: dict[str, bool],
) -> None:
    program, _ = counting(alone=False, rounds=10)
    translated(monkeypatch, FORCED)
    simulate(program, load_architecture("t13", overrides=overrides), **options)  # type: ignore[arg-type]
    assert tiers[-1].figures == {}


def test_short_runs_do_not_start_a_compiler(
    monkeypatch: pytest.MonkeyPatch, tiers: list[SecondTier]
) -> None:
    monkeypatch.setattr(RuntimeLibrary, "start", lambda *_: pytest.fail("started"))
    both(monkeypatch, NORMAL, alone=True, rounds=40 * ROUNDS)
    assert tiers[-1].figures == {}


def test_a_second_run_takes_what_the_first_has_kept(
    monkeypatch: pytest.MonkeyPatch, tiers: list[SecondTier]
) -> None:
    effort = EAGER._replace(quick=False)
    both(monkeypatch, effort, alone=True, rounds=40 * ROUNDS)
    first = tiers[-1].figures
    monkeypatch.setattr(RuntimeLibrary, "start", lambda *_: pytest.fail("started"))
    both(monkeypatch, effort._replace(issues=10**12), alone=True, rounds=40 * ROUNDS)
    assert tiers[-1].figures["solo_instructions"] >= first["solo_instructions"] > 0


def no_compiler(*_: object, **__: object) -> None:
    raise GnomonError("there is no compiler")


@pytest.mark.parametrize("how", ["missing", "refuses"])
def test_without_a_compiler_a_run_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
    tiers: list[SecondTier],
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    how: str,
) -> None:
    if how == "missing":
        monkeypatch.setattr("gnomon.base.generated.recipe", no_compiler)
    else:
        monkeypatch.setattr("gnomon.sim._translator.translate", lambda *_: "this is not C")
    with caplog.at_level(logging.INFO, logger="gnomon.sim.hot"):
        both(monkeypatch, FORCED, alone=False)
    assert tiers[-1].figures == {}
    assert "blocks are not translated" in caplog.text
    assert capsys.readouterr() == ("", "")


def test_a_compiler_still_at_work_at_the_end_serves_the_next_run(
    monkeypatch: pytest.MonkeyPatch, tiers: list[SecondTier]
) -> None:
    started: list[RuntimeLibrary] = []
    start = RuntimeLibrary.start
    monkeypatch.setattr(
        RuntimeLibrary, "start", lambda self, *rest: (started.append(self), start(self, *rest))
    )
    effort = EAGER._replace(quick=False, wait=False)
    both(monkeypatch, effort, alone=True, rounds=40 * ROUNDS)
    started[0].result()
    both(monkeypatch, effort, alone=True, rounds=40 * ROUNDS)
    assert tiers[-1].figures["solo_instructions"] > 0
    assert len(started) == 1


def test_the_variable_names_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_BLOCKS", "force")
    assert chosen_effort() == FORCED
    monkeypatch.setenv("GNOMON_BLOCKS", "off")
    assert chosen_effort() is None
    monkeypatch.delenv("GNOMON_BLOCKS")
    assert chosen_effort() == NORMAL
    monkeypatch.setenv("GNOMON_BLOCKS", "ofn")
    with pytest.raises(GnomonError, match=r"GNOMON_BLOCKS.*off"):
        chosen_effort()
