"""Pages about gates: the committed tables agree, and other numbers choose other sentences."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.base.interval import Interval
from gnomon.base.tables import read_yaml_table
from gnomon.content.reports.gate_energy.study import best_widths, orders
from gnomon.content.reports.gates.distance import Distance
from gnomon.content.reports.gates.fit import (
    BUSES,
    T13X_BUSES,
    T13X_UNITS,
    Fitted,
    terms,
    unit_of,
)
from gnomon.content.reports.gates.measure import Measured, Programs
from gnomon.content.reports.gates.study import MACHINES, gates_report
from gnomon.cost.energy.gate_fit import count_term
from gnomon.gates.flow import MadeOf
from gnomon.sim import BUSES as ALL_BUSES
from gnomon.sim import Work

REPORT = content("reports", "gates")


def _work(cycles: int, factor: int) -> Work:
    buses: Any = {bus: SimpleNamespace(values=cycles, toggles=factor * (k + 3) * cycles % 997)
                  for k, bus in enumerate(ALL_BUSES)}  # fmt: skip
    return Work(cycles, {"add": cycles}, {}, 0, (), 0, buses)


def _measured(name: str, by: float, seed: int) -> Measured:
    """A program whose energy is that of its registers, times ``by``."""
    works = tuple(_work(64, seed + k) for k in range(1, 9))
    pj = np.array([[each.buses["rs1_read"].toggles * 2.0 * by, 5.0 * 64] for each in works])
    per_ff = np.array([1.0, 0.0])
    return Measured(name, 0, "0", 3.0, 5120.0, 100.0, 0, 0, pj, per_ff, works)


def _fitted(by: float, core: object = None, library: str = "cells") -> Fitted:
    architecture = load_architecture("t13-simd1")
    machine: Any = SimpleNamespace(
        units=("core.registers", "core.fetch") if core is None else ("core.pipe.rf", "core.csr"),
        architecture=architecture, path_ns=5.0, core=core,
        library=SimpleNamespace(name=library, volt=1.8, title=f"{library}, 1.8 V"),
        digest=lambda: "0",
        leakage_nw=lambda: np.array([1.0]),
        wire_ff=lambda: Interval(2.0, 1.0, 4.0), clock_tree_pj=lambda: Interval(3.0, 2.0, 5.0),
        size=lambda: (1, 1, 1.0),
        made_of=MadeOf((), "abc", {"HARTS": "3"}, "def", "0.23"),
    )  # fmt: skip
    training = [_measured(f"p{k}", 1.0, 10 * k) for k in range(3)]
    return Fitted.of(cast("Any", machine), training, [_measured("other", by, 90)])


def test_sentences_go_by_the_errors() -> None:
    near = gates_report([_fitted(1.0)], []).page().replace("\n", " ")
    assert "within the required 7 % and 15 %" in near
    assert "On every machine the median error of the table is smaller" in near
    far = gates_report([_fitted(3.0)], []).page().replace("\n", " ")
    assert "the requirement is 7 % and 15 %" in far
    assert "within the 7 %" not in far


def test_how_far_our_table_is_from_that_of_the_t13x() -> None:
    """A core that takes what our table says, times 3: the factor is all that it is off by."""
    core = _fitted(1.0, core=True, library="osu018_stdcells")
    ours = Distance.of(core).ours
    for each in (*core.training, *core.held_out):
        each.pj[:] = [[3 * sum(count_term(work, term) * pj for term, pj in ours.items()), 0.0]
                      for work in each.works]  # fmt: skip
    again = Fitted.of(core.machine, core.training, core.held_out)
    distance = Distance.of(again)
    assert distance.factor == pytest.approx(3)
    assert distance.sizes("our_table_percent") == pytest.approx((66.7, 66.7))
    assert distance.sizes("by_factor_percent") == (0, 0)
    page = gates_report([again], [], distance).page().replace("\n", " ")
    assert "take 3.00 times the predicted energy" in page
    assert "10 % and 20 %" in page


def test_what_is_fitted_is_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "models" / "power" / "osu018-t13-simd1.yaml"
    table.parent.mkdir(parents=True)
    table.write_text(_fitted(1.0).yaml("a command"))
    monkeypatch.setenv("GNOMON_PATH", str(tmp_path))
    machine = load_architecture("t13-simd1", ["power=osu018-t13-simd1"])
    assert machine.counts_operands
    assert not load_architecture("t13-simd1").counts_operands
    stated: Any = read_yaml_table(table, "power table").data
    pj = _fitted(1.0).training[0].pj[:, 0].sum()
    assert stated["stated"]["wires"]["registers"]["high"] >= 0.99 * 4.0 / pj


def test_each_instance_is_in_a_unit_that_has_terms() -> None:
    for instance, unit in {
        "core.execute.alu": "alu", "core.execute": "control", "ports": "control",
        "g_vcu.unit.g_units[0].units.g_lane[3].multiplier": "lane multipliers",
        "g_vcu.unit.g_units[0].units.g_lane[3].adder": "lanes",
        "g_vcu.unit.engine": "vector control",
    }.items():  # fmt: skip
        assert unit_of(instance) == unit
    assert all(bus in ALL_BUSES for buses in BUSES.values() for bus in buses)
    for each in (*BUSES.values(), *T13X_BUSES.values()):
        assert len(set(terms(each))) == len(terms(each))
    assert {unit_of(each, T13X_UNITS) for each in ("core.pipe.rf", "core.csr", "core.pipe.decode")
            } == {"registers", "csrs", "control"}  # fmt: skip
    assert T13X_UNITS.keys() == T13X_BUSES.keys()


def test_committed_tables_agree() -> None:
    """The errors of a table are those of its programs; programs are those fixed beforehand."""
    programs: Any = pd.read_csv(REPORT / "programs.csv")
    named = Programs.read()
    for machine in MACHINES:
        own = programs[programs["machine"] == machine]
        held_out = own[own["held_out"] == "yes"]
        assert held_out["program"].tolist() == [each.title() for each in named.held_out]
        path = content("models", "power", f"osu018-{machine}.yaml")
        table: Any = read_yaml_table(path, "power table").data
        off = held_out["error_percent"].abs()
        assert table["errors"]["median_percent"] == pytest.approx(off.median(), abs=0.06)
        assert table["errors"]["worst_percent"] == pytest.approx(off.max(), abs=0.06)
        assert table["gate_run"]["training"] == [each.title() for each in named.training]


def test_widths_and_orders() -> None:
    rows = [
        {"operands": "full range", "n": n, "simd": simd, "data_pj_per_mac": abs(simd - n),
         "gated_pj_per_mac": simd, "total_pj_per_mac": -simd}
        for n in (1, 4) for simd in (0, 1, 4)
    ]  # fmt: skip
    assert best_widths(pd.DataFrame(rows)).to_numpy().tolist() == [[1, 1, 0, 4], [4, 4, 0, 4]]
    steps = pd.DataFrame({"learner": ["a", "b", "c"], "variant": "v", "simd": 1,
                          "total_uj": [1.0, 2.0, 3.0], "fpga_uj": [2.0, 1.0, 3.0]})  # fmt: skip
    found = orders(steps)
    assert (found["pairs"], found["turned"], found["moved"]) == (3, 1, 1)
    assert not found["same_best"]
