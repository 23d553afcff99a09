"""Energy of units from their gates: what a run takes, and the reason where it is not known."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.arch.units.area import parameters_text, read_rows, rtl_digest
from gnomon.arch.units.energy import (
    ENERGY_FILE,
    PORT_BUSES,
    EndsKeys,
    StreamErrorKeys,
    UnitEnergy,
    find_unit_energy,
    instructions_digest,
    read_unit_energies,
)
from gnomon.arch.units.load import load_unit
from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Energy, price_functions
from gnomon.cost.energy._gate_table import NOT_OF_UNITS
from gnomon.gates.flow import OSU018
from gnomon.gates.unit_energy import (
    TRAINED,
    Streams,
    UnitGates,
    count_port_terms,
    energy_text,
    fit_prices,
    measure_unit_energy,
    write_unit_energy,
)
from gnomon.observe.profile import RunProfile
from gnomon.program import Program, build
from gnomon.rtl.tools import tool
from gnomon.sim import BUSES, Run, simulate
from tests.commands import gnomon
from tests.conftest import absent

_LIBRARY = "osu018_stdcells, 1.8 V"
_POWER = "power=osu018-t13-simd1"
_SOURCE = """
#include "gnomon.h"
#include "units.h"
GNOMON_REGION uint32_t work(void)
{
    uint32_t s = 1;
    for (int k = 0; k < 50; k++) s = mulr(s, s) + 0x40000000;
    return s;
}
int main(void) { return (int)work() & 1; }
"""


def _point(unit_name: str = "products", **changes: object) -> UnitEnergy:
    unit = load_unit(unit_name, {})
    assert unit.rtl is not None
    ends = EndsKeys(value=0.25, low=0.125, high=0.5)
    given: dict[str, object] = {
        "parameters": parameters_text(unit.values), "library": _LIBRARY,
        "liberty": "86f79b2000f1ac46715a9f6dfd5f5a596906418e9ee8a8611077bbaaad3de4e9",
        "yosys": "0.23", "rtl": rtl_digest(unit.rtl.files, unit.rtl.top), "netlist": "0",
        "instructions": instructions_digest(unit),
        "cells": 10, "flip_flops": 2, "area_um2": 300.5, "path_ns": 3.5,
        "leakage_uw": 0.0625, "clock_pj": 2.0, "clock_tree": ends, "wires": ends, "issue_pj": 0.5,
        "toggle_pj": dict(zip(PORT_BUSES, (0.125, 0.25, 0.5, 1.0, 0.0625), strict=True)),
        "execution_pj": {each.mnemonic: 8.0 for each in unit.instructions}, "random_pj": 20.0,
        "errors": StreamErrorKeys(streams=25, held_out=12, median_percent=5.0, worst_percent=10.0),
    }  # fmt: skip
    return UnitEnergy.model_validate(given | changes)


def _write(project: Path, *points: UnitEnergy) -> Path:
    path = project / "units" / "products" / ENERGY_FILE
    path.write_text(energy_text("products", points))
    return path


def _run(project: Path, *overrides: str) -> tuple[Run, Program, Architecture]:
    source = project / "few.c"
    source.write_text(_SOURCE)
    machine = load_architecture("t13-simd1", [_POWER, "units.products={}", *overrides])
    program = build([source], machine)
    return simulate(program, machine), program, machine


def test_a_file_is_read_as_it_was_written(project: Path) -> None:
    """In the order of libraries and parameters, and small numbers are numbers."""
    points = [_point(parameters="stages=3", leakage_uw=1.5e-7), _point(parameters="stages=2"),
              _point(parameters="stages=10"), _point(library="another, 1.0 V")]  # fmt: skip
    path = _write(project, *points)
    found = read_unit_energies(path)
    assert [each.parameters for each in found[1:]] == ["stages=2", "stages=3", "stages=10"]
    assert found[2] == points[0]
    assert found[0] == points[3]
    assert path.read_text() == energy_text("products", found)


def test_a_run_takes_table_and_unit(project: Path) -> None:
    """The unit adds its prices times the counts, clock, leakage and wires; all else is equal."""
    _write(project, _point())
    run, program, machine = _run(project)
    energy = Energy.from_work(run.work, machine)
    core = Energy.from_work(run.work, load_architecture("t13-simd1", [_POWER]))
    bus, cycles = run.work.buses, run.wall_cycles
    assert run.work.instructions["mulr"] == 50
    pj = 0.5 * bus["instruction"].values + 50 * 8.0 + sum(
        price * bus[name].toggles
        for name, price in zip(PORT_BUSES, (0.125, 0.25, 0.5, 1.0, 0.0625), strict=True)
    )  # fmt: skip
    added = {"unit products": pj, "wires": pj / 4, "clock tree": cycles / 4, "clock": 2.0 * cycles,
             "leakage": 0.0625 * cycles / 100}  # fmt: skip
    for name, each in energy.units.items():
        before = core.units[name].value if name in core.units else 0.0
        assert each.value - before == pytest.approx(added.get(name, 0.0) * 1e-6, abs=1e-12), name
    own = energy.units["unit products"]
    assert (own.low, own.high) == pytest.approx((0.9 * own.value, 1.1 * own.value))
    assert energy.technology == core.technology
    assert {each.event: each.count for each in energy.events}["mulr"] == 50
    functions = price_functions(run, program, machine)
    total_uj = sum(each.energy_uj.value for each in functions.values())
    assert total_uj == pytest.approx(energy.energy_uj.value)
    assert RunProfile.from_run(run, program, machine).energy_reason == ""


def test_an_unknown_energy_says_why(project: Path) -> None:
    def reason(*overrides: str) -> str:
        run, _, machine = _run(project, *overrides)
        with pytest.raises(GnomonError) as error:
            Energy.from_work(run.work, machine)
        return str(error.value)

    assert "unit products is not known: it has no energy.yaml (gnomon rtl unit products" in reason()
    _write(project, _point())
    missing = reason("units.products.stages=2")
    assert "has no point for stages=2 (gnomon rtl unit products stages=2 measures" in missing
    fpga = reason("power=t13")
    assert "unit products states no price" in fpga
    assert f"has energies of its gates in {_LIBRARY}, which only a gate-level power table" in fpga
    _write(project, _point(library="another, 1.0 V"))
    assert f"stages=3 in another, 1.0 V, not in {_LIBRARY}" in reason()
    _write(project, _point(liberty="0"))
    assert "another file of cells" in reason()
    _write(project, _point(path_ns=11.0))
    assert "longest path of unit products is 11 ns" in reason()
    _write(project, _point(rtl="0"))
    assert "its SystemVerilog has changed since" in reason()
    _write(project, _point(instructions=""))
    assert "energy.yaml was made for another set of instructions" in reason()
    path = project / "units" / "products" / "unit.yaml"
    path.write_text(f"{path.read_text()}price: {{value: 9.0, source: a test}}\n")
    assert "the price in its unit.yaml is not of gates" in reason()


@pytest.mark.parametrize(("old", "new"), [
    ("cycles: stages\n    use: 2", "cycles: stages + 1\n    use: 2"),
    ("rs3: operand}\n    cycles: 2", "rs3: operand}\n    cycles: {by: rs1-bits, cycles: 2}"),
    ("funct3: 4", "funct3: 1"), ("  mulr:", "  mulx:"),
    ("rd: result, rs1: operand, imm", "rs1: operand, imm"),
])  # fmt: skip
def test_energies_are_of_the_instructions_they_were_made_for(
    project: Path, old: str, new: str
) -> None:
    """The streams of the fit have the words, operands and cycles of the instructions."""
    _write(project, _point())
    folder, given = project / "units" / "products", (_LIBRARY, None)
    assert isinstance(find_unit_energy(load_unit("products", {}), *given), UnitEnergy)
    code = folder / "products.c"
    code.write_text(f"/* no operand depends on it */\n{code.read_text()}")
    path = folder / "unit.yaml"
    text = path.read_text().replace("title: ", "title: Another, ")
    path.write_text(text)
    assert isinstance(find_unit_energy(load_unit("products", {}), *given), UnitEnergy)
    assert old in text
    path.write_text(text.replace(old, new, 1))
    if "mulx" in new:
        code.write_text(code.read_text().replace("mulr)", "mulx)").replace("mulr(", "mulx("))
    found = find_unit_energy(load_unit("products", {}), *given)
    assert "was made for another set of instructions" in str(found)


def test_the_top_module_is_part_of_the_hardware() -> None:
    """Where the files have several modules, another one can be the top."""
    one, two = "module a;\nendmodule\n", "module a;\nendmodule\nmodule b;\nendmodule\n"
    assert rtl_digest([("u.sv", two)], "a") != rtl_digest([("u.sv", two)], "b")
    assert rtl_digest([("u.sv", one)], "a") == rtl_digest([("other.sv", one)], "a")


def test_an_instruction_with_the_name_of_an_event(project: Path) -> None:
    """Its energy is not that of the bus of this name."""
    folder = project / "units" / "products"
    for path in folder.iterdir():
        path.write_text(re.sub(r"\b(unit_)?mulr\b", r"\1product", path.read_text()))
    _write(project, _point())
    source = project / "few.c"
    source.write_text(_SOURCE.replace("mulr(", "product("))
    machine = load_architecture("t13-simd1", [_POWER, "units.products={}"])
    energy = Energy.from_work(simulate(build([source], machine), machine).work, machine)
    events = {each.event: each for each in energy.events}
    assert events["unit instruction product"].count == 50
    assert events["unit instruction product"].energy_uj == pytest.approx(50 * 8e-6)
    parts = (uj.value for name, uj in energy.units.items() if name not in NOT_OF_UNITS)
    assert sum(each.energy_uj for each in energy.events) == pytest.approx(sum(parts))


@pytest.mark.parametrize(("old", "new", "message"), [
    ('"stages=3"', '"stages=three"', "energy.yaml:6: points.0.parameters: must not be 'stages="),
    ("wires: {value: 0.25", "wires: {value: 1", "points.0.wires: 1 is not within 0.125 to 0.5"),
    ("rs1_read", "rs9_read", "points.0.toggle_pj.rs9_read: must not be 'rs9_read'"),
    ('"another', f'"{_LIBRARY}"  # ', "is a second point for stages=3"),
])  # fmt: skip
def test_a_wrong_file_names_its_line(project: Path, old: str, new: str, message: str) -> None:
    path = _write(project, _point(), _point(library="another"))
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(GnomonError) as error:
        read_unit_energies(path)
    assert message in str(error.value)


def test_ports_are_counted_buses() -> None:
    assert set(PORT_BUSES) <= set(BUSES)


def _draw(name: str, operands: str = "random", shares: tuple[float, ...] = (0.5,)) -> Streams:
    rng = np.random.default_rng(3)
    kinds = {operands: TRAINED[operands]}
    return Streams.draw(load_unit(name, {}), kinds, shares, rng, streams=6, issues=40)


def test_products_are_counted_by_their_bits() -> None:
    streams = _draw("mulround")
    bits = [
        (each[:, None] >> np.arange(32, dtype=np.uint32)) & 1 for each in (streams.a, streams.b)
    ]
    products = bits[0][:, :, None] * bits[1][:, None, :]
    changes = np.diff(products.astype(int), axis=0, prepend=0)
    assert streams.toggles()["product"].tolist() == np.abs(changes).sum(axis=(1, 2)).tolist()


def test_prices_of_streams_are_found_again(project: Path) -> None:
    """Instructions of all formats and lengths; an issue, a bit and an execution have a price."""
    streams = _draw("products", shares=(0.0, 0.4, 1.0))
    counts = count_port_terms(streams)
    assert {"issue", "mulr", "mulrs", "madd", "shla", *PORT_BUSES} == counts.keys()
    planted = {term: 2.0**-k for k, term in enumerate(counts)}
    pj = sum(price * counts[term] for term, price in planted.items())
    assert fit_prices(streams, np.asarray(pj)) == pytest.approx(planted)


def test_gates_give_the_energy_of_a_unit(project: Path) -> None:
    """The same file each time; executions of zeros take less than those of random operands."""
    if not tool("yosys").usable or not OSU018.is_file():
        absent("yosys and qflow-tech-osu018")
    other = _point("ones", library="another", parameters="start=5")
    unit = load_unit("ones", {"start": 5})
    current = other.model_copy(update={"instructions": instructions_digest(unit)})
    stale = current.model_copy(update={"parameters": "start=6"})
    (project / "units" / "ones" / ENERGY_FILE).write_text(energy_text("ones", [current, stale]))
    ((path, found),) = write_unit_energy("ones", [{}])
    unit = load_unit("ones", {})
    assert path.read_text() == energy_text("ones", [current, measure_unit_energy(unit)])
    assert found.cells > found.flip_flops > 0
    assert 0 < found.path_ns < 10
    pj, _ = UnitGates.from_unit(unit).simulate(_draw("ones", "zero", (1.0,)))
    assert 0 < pj.mean() < found.random_pj / 2


def test_a_parameter_is_negative(project: Path) -> None:
    """Its gates are those of the subtraction: none without a bias, and they take no energy."""
    if not tool("yosys").usable or not OSU018.is_file():
        absent("yosys and qflow-tech-osu018")
    folder = project / "units" / "biased"
    folder.mkdir()
    (folder / "unit.yaml").write_text(
        "schema: 1\ntitle: Sum with a bias\nsource: a test\ncode: biased.c\n"
        "parameters:\n  bias: {default: -2, range: [-4, 4]}\n"
        "rtl: {sources: [biased.sv], top: biased}\ninstructions:\n  biased:\n    cycles: 1\n"
        "    encoding: {format: R, opcode: custom-2, funct3: 0, funct7: 0}\n"
        "    operands: {rd: result, rs1: operand}\n"
    )
    (folder / "biased.c").write_text("UNIT(biased) { return a + (uint32_t)UNIT_BIAS; }\n")
    (folder / "biased.sv").write_text(
        "module biased #(parameter int BIAS = 1) (input logic clk, rst_n, start,\n"
        "  input logic [31:0] word, a, b, c, output logic done, output logic [31:0] result);\n"
        "  assign done = start;\n  assign result = a + (BIAS < 0 ? -32'd2 : 32'(BIAS));\n"
        "endmodule\n"
    )

    def cells(bias: int) -> int:
        gates = UnitGates.from_unit(load_unit("biased", {"bias": bias}))
        return sum(int(row["cells"]) for row in gates.netlist.record(gates.library))

    assert cells(-2) == cells(-4) > cells(0) == 0
    wires = measure_unit_energy(load_unit("biased", {"bias": 0}))
    assert (wires.random_pj, wires.errors.worst_percent, wires.wires.high) == (0.0, 0.0, 0.0)


def test_a_combinational_loop_is_rejected(project: Path) -> None:
    """Its gates may oscillate, and it has no longest path."""
    if not tool("yosys").usable or not OSU018.is_file():
        absent("yosys and qflow-tech-osu018")
    path = project / "units" / "ones" / "ones.sv"
    text = path.read_text()
    old = "32'(count);"
    assert text.count(old) == 1
    path.write_text(text.replace(old, "~result & a;"))
    with pytest.raises(GnomonError, match="unit ones: unit_ones has a combinational loop"):
        UnitGates.from_unit(load_unit("ones", {}))


@pytest.mark.heavy("gates")
def test_the_command_takes_lists_of_values(project: Path) -> None:
    if not tool("yosys").usable:
        absent("yosys")
    ended = gnomon("rtl", "unit", "ones", "start=1,2", "--no-gates")
    assert ended.returncode == 0
    rows = read_rows((project / "units" / "ones" / "area.csv").read_text(), "area.csv")
    assert [row["parameters"] for row in rows] == ["start=1", "start=2"]
    assert not (project / "units" / "ones" / ENERGY_FILE).exists()
    wrong = gnomon("rtl", "unit", "ones", "start=1,x")
    assert wrong.returncode == 2
    assert "write PARAMETER=VALUE" in wrong.stderr
    (project / "units" / "ones" / "area.csv").unlink()
    missing = gnomon("rtl", "unit", "ones", "--liberty", "none.lib")
    assert missing.returncode == 2
    assert "none.lib: no such library" in missing.stderr
    assert not (project / "units" / "ones" / "area.csv").exists()
