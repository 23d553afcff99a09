"""Advice on regions and caches: each saving is that of a run of its own."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.content import content
from gnomon.observe.why import StallAnalysis, find_advice
from gnomon.program import Program, build
from gnomon.sim import simulate

NETWORK = content("examples", "network")
BOARD = str(NETWORK / "board.yaml")


def _advice(*settings: str) -> tuple[int, dict[str, int]]:
    machine = load_architecture(BOARD, settings)

    def rebuild(*, architecture: Architecture = machine, **more: Any) -> Program:
        return build([NETWORK / "network.c"], architecture, **more)

    program = rebuild()
    run = simulate(program, machine)
    found = find_advice(StallAnalysis(run, machine), program, BOARD, settings, rebuild)
    return run.wall_cycles, {each.change: each.saves_cycles for each in found}


def test_placements_and_a_cache_are_advised_with_the_saving_of_their_run() -> None:
    cycles, found = _advice()
    mine = {change: saved for change, saved in found.items() if "memory." in change}
    assert len(mine) == 4
    for change, saved in mine.items():
        there = load_architecture(BOARD, change.replace("--set ", "").split())
        other = simulate(build([NETWORK / "network.c"], there), there)
        assert saved == cycles - other.wall_cycles


@pytest.mark.parametrize("setting", ["memory.regions.flash.waits=0", "memory.link.text=ram"])
def test_nothing_is_moved_if_nothing_waits(setting: str) -> None:
    assert not [change for change in _advice(setting)[1] if "memory." in change]
