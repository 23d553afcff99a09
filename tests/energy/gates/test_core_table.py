"""The energy table of a core from energies that its terms explain: the prices come back."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.calibrate.energy_programs import held_out_programs, training_programs
from gnomon.calibrate.recording import CoreFile
from gnomon.cost.energy._gate_table import compute_gate_energies
from gnomon.cost.energy._load import load_table
from gnomon.cost.energy.gate_fit import count_term
from gnomon.gates import core_table
from gnomon.gates.core_table import OTHERS, CoreTable, MeasuredProgram
from gnomon.sim import simulate

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim import Work

_CORE = Path(__file__).parents[2] / "calibrate" / "tiny.v"
_FILE = f"""schema: 1
name: tiny
source: the tests
sources: [{_CORE}]
top: tiny_pico
clock: clk
reset: {{signal: rst, active: high}}
bus: pico
isa: rv32i
reset-pc: 0
"""
_MACHINE = """extends: rv32im
name: tiny
title: tiny, by its states
source: the tests
core:
  isa: rv32i
  latency:
    alu: 2
    load: 3
    store: 3
    branch: 2
    branch-taken: 2
    jump: 2
    fence: 2
    waits: none
    rules:
      - {of: [sll, srl, sra, slli, srli, srai], by: shift-amount, cycles: 2, each: 1}
"""
_PRICES = {
    "top.alu": {"cycle": 3.0, "toggle.alu_a": 0.5, "toggle.write_back": 0.25},
    "top.registers": {"value.instruction": 7.0, "toggle.rs1_select": 2.0},
    "top.tiny": {"toggle.address": 0.001},
}


def _priced(work: Work, unit: str) -> float:
    return sum(price * count_term(work, term) for term, price in _PRICES[unit].items())


def _measured(program: Program, machine: Architecture) -> MeasuredProgram:
    work = simulate(program, machine, toggles=0, max_cycles=10**6).work
    pj, cycles = np.array([_priced(work, unit) for unit in _PRICES]), work.wall_cycles
    return MeasuredProgram(program.name, work, pj, 5.0 * cycles, 2.0 * cycles, cycles,
                           np.ones(len(_PRICES)))  # fmt: skip


def test_prices_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that is read again prices other programs; one with other latencies is rejected."""
    monkeypatch.setattr(core_table, "_DRAWS", 2)
    file, own, path = (tmp_path / name for name in ("core.yaml", "tiny.yaml", "table.yaml"))
    file.write_text(_FILE)
    own.write_text(_MACHINE)
    machine = load_architecture(str(own))
    library = SimpleNamespace(name="cells_typical", title="cells_typical, 1.8 V")
    gates = SimpleNamespace(
        units=tuple(_PRICES), core=CoreFile.read(file), whole=SimpleNamespace(library=library),
        timed=SimpleNamespace(leakage_nw=np.array([1000.0])), source="the tests", digest="a" * 64,
        liberty="b" * 64, yosys="0", path_ns=4.0, wire_ff=lambda: Interval(1.0, 0.5, 2.0, "fF"),
        clock_tree_pj=lambda: Interval(1.0, 0.5, 2.0, "pJ"),
    )  # fmt: skip
    training = [_measured(each, machine) for each in training_programs(machine, 0)]
    held_out = [_measured(each, machine) for each in held_out_programs(machine)]
    table = CoreTable(cast("Any", gates), machine, training, held_out)
    found = cast("dict[str, float]", table.to_json())
    assert found["programs"] == 6
    assert found["worst_percent"] < 1
    assert found["worst_total_percent"] < 1
    assert table.unit_of == ("top.alu", "top.registers", OTHERS)
    path.write_text(table.yaml("the tests"))
    read = load_table(str(path))
    assert read.kind == "gate-level"
    assert read.name == "cells-tiny"
    assert read.fit is not None
    assert read.fit.rank == read.fit.terms  # the training programs tell all terms apart
    assert "value.rs1_read" in read.fit.same["value.instruction"]
    assert read.fit.energy.low > 0.95
    assert read.fit.energy.high < 1.05
    run = simulate(next(held_out_programs(machine)), machine, toggles=0)
    units, _ = compute_gate_energies(run.work, machine, read)
    wanted = sum(_priced(run.work, unit) for unit in _PRICES)
    parts = sum(units[unit].value for unit in dict.fromkeys(table.unit_of))
    assert parts == pytest.approx(wanted * 1e-6, rel=0.01)
    assert units["clock"].value == pytest.approx(5e-6 * run.work.wall_cycles)
    other = load_architecture(str(own), ["core.latency.load=9"])
    with pytest.raises(GnomonError, match=r"has no figures for core\.latency = "):
        compute_gate_energies(run.work, other, read)
