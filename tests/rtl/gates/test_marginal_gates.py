"""Marginal costs on the gates of a machine, by instance."""

from __future__ import annotations

import pytest

from gnomon.arch import load_architecture
from gnomon.gates import marginal
from gnomon.gates.flow import GateMachine
from gnomon.gates.marginal import PAIRS, measure_marginal
from gnomon.rtl.tools import tool
from tests.rtl.conftest import need, need_osu018

_PAIRS = {"mul over add", "add over add of zeros"}


@pytest.mark.heavy("gates")
def test_the_multiplier_takes_energy_in_additions(monkeypatch: pytest.MonkeyPatch) -> None:
    need(tool("yosys"))
    need_osu018()
    monkeypatch.setattr(marginal, "PAIRS", tuple(each for each in PAIRS if str(each) in _PAIRS))
    machine = GateMachine.from_architecture(load_architecture("t13-simd1"))
    costs = {str(each.pair): each for each in measure_marginal(machine, None)}
    assert costs.keys() == _PAIRS
    for cost in costs.values():
        assert cost.pj == pytest.approx(sum(cost.by_unit.values()))
        assert cost.error_percent is None
    add = costs["mul over add"].less.pj
    assert add["core.execute.multiplier"] > 0.1 * sum(add.values())
    zeros = costs["add over add of zeros"].by_unit
    assert zeros["core.execute.multiplier"] > 0.1 * sum(zeros.values())
