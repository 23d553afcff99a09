"""What harts lose to each other: the rule of deployments against the simulator."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from benchmarks.cases import CASES
from gnomon.deploy import measure_service, read_deployment, simulate_deployment
from gnomon.deploy._service import price_service
from gnomon.sim import simulate

from .test_read import GOOD, written

if TYPE_CHECKING:
    from pathlib import Path


def per_turn(harts: int) -> tuple[float, float, float]:
    """Wall cycles, hart cycles and issues of hart 0 for one matrix product on each hart."""
    (case,) = [each for each in CASES if each.source == "scalar3"]
    case = replace(case, active_harts=harts)
    runs = [simulate(case.build(repeats), case.architecture()) for repeats in (1, 3)]
    figures = [(run.exit_cycle, run.harts[0].hart_cycles, run.harts[0].issued) for run in runs]
    wall, held, issued = ((b - a) / 2 for a, b in zip(*figures, strict=True))
    return wall, held, issued


def test_the_rule_is_what_the_simulator_does() -> None:
    alone, held, issued = per_turn(1)
    lost = (held - issued) / issued  # held_per_issue of a service
    for others in (1, 2):
        assert per_turn(others + 1)[0] == pytest.approx(alone + others * issued * lost, rel=0.003)


def test_taking_turns_is_the_longest_that_shared_units_take() -> None:
    (case,) = [
        each for each in CASES if (each.source, each.sharing) == ("vector3", "multithreaded")
    ]

    def cycles_per_turn(harts: int) -> float:
        chosen = replace(case, active_harts=harts)
        first, last = (
            simulate(chosen.build(turns), chosen.architecture()).exit_cycle for turns in (10, 30)
        )
        assert first is not None
        assert last is not None
        return (last - first) / 20

    assert cycles_per_turn(1) == 299
    assert cycles_per_turn(3) == 660  # docs/method/deployment.md; taking turns: 3 x 299 = 897


def test_a_deployment_on_more_harts_is_slower_per_stage(tmp_path: Path) -> None:
    chosen = read_deployment(written(tmp_path, GOOD))
    service = measure_service(chosen)
    assert service.held_per_issue > 0
    one, two = (price_service(service, chosen.architecture, others) for others in (0, 1))
    longer = two.stages.select_ps - one.stages.select_ps
    cycles = [run.select.issued * service.held_per_issue for run in service.runs]
    assert longer / 20_000 == pytest.approx(cycles, abs=1)  # at 50 MHz
    assert one.idle_mw is not None
    for before, after, ps in zip(one.select_uj, two.select_uj, longer, strict=True):
        # A stage switches no more than alone; the clock runs on.
        assert after.value - before.value == pytest.approx(one.idle_mw.value * ps * 1e-9)
    result = simulate_deployment(chosen, service)
    assert result.servers == 2
    assert result.costs.stages.select_ps.tolist() == two.stages.select_ps.tolist()
