"""Marginal costs on the gates of a machine: by unit, and by its energy table."""

from __future__ import annotations

import pytest

from gnomon.arch import load_architecture
from gnomon.cost.energy import GateTable, load_table
from gnomon.gates import marginal
from gnomon.gates.flow import OSU018, GateMachine
from gnomon.gates.marginal import PAIRS, measure_marginal, prices_of
from gnomon.rtl.tools import tool
from tests.rtl.conftest import need

_MACHINE = "t13-simd4"
_PAIRS = {"mul over add", "lw over add", "sw over add", "add over add of zeros"}
_LARGE = 0.1  # of the energy of a loop; the table meets smaller differences less well
_LIMIT_PERCENT = 15


@pytest.mark.heavy("gates")
def test_the_table_meets_large_marginal_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    need(tool("yosys"))
    if not OSU018.is_file():
        pytest.skip("no osu018 library (apt-get install qflow-tech-osu018)")
    table = load_table(f"osu018-{_MACHINE}")
    assert isinstance(table, GateTable)
    monkeypatch.setattr(marginal, "PAIRS", tuple(each for each in PAIRS if str(each) in _PAIRS))
    machine = GateMachine.from_architecture(load_architecture(_MACHINE))
    assert machine.digest() == table.gate_run.netlist
    costs = {str(each.pair): each for each in measure_marginal(machine, prices_of(table))}
    assert costs.keys() == _PAIRS
    for name, cost in costs.items():
        if abs(cost.pj) > _LARGE * sum(cost.less.pj.values()):
            assert cost.error_percent is not None
            assert abs(cost.error_percent) < _LIMIT_PERCENT, name
    # the multiplier sees the operands of additions as well
    add = costs["mul over add"].less.pj
    assert add["core.execute.multiplier"] > 0.1 * sum(add.values())
    zeros = costs["add over add of zeros"].by_unit
    assert zeros["core.execute.multiplier"] > 0.1 * sum(zeros.values())
