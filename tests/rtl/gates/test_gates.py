"""A netlist in a cell library, its delays and energies, next to others that know them."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.tables import read_csv_table
from gnomon.gates._engine import apply, apply_rows
from gnomon.gates._liberty import Library, look_up, read_liberty, truth_table
from gnomon.gates._netlist import netlist
from gnomon.gates._timing import timed
from gnomon.gates.flow import OSU018, gate_energy
from gnomon.program import load_elf
from gnomon.rtl.tools import run, tool
from tests.conftest import absent
from tests.rtl.conftest import need, need_osu018

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from gnomon.gates._netlist import Netlist
    from gnomon.gates._timing import Timed
    from gnomon.rtl import Tool

BLOCKS = {
    "t13_alu": (("t13_alu.sv",), {"funct3": 3, "subtract": 1, "a": 32, "b": 32}),
    "divider": (  # flip-flops; divides on and on, with operands that change meanwhile
        ("divider.sv", "div_restoring.sv", "div_rows.sv"),
        {"rst_n": 1, "start_valid": 1, "done_ready": 1, "is_signed": 1, "dividend": 32,
         "divisor": 32},
    ),
}  # fmt: skip
RECORD, RECORDED = "reports/gates/witness.csv", ("quantity", "ours", "theirs", "ratio")
HELD_AT_1 = ("rst_n", "start_valid", "done_ready")
PERIOD_PS = 20_000  # longer than any path
STEPS = 60
CYCLES = 300  # of the comparison with another calculator; the first sets the stage


@dataclass(frozen=True)
class Block:
    """A module of our RTL as gates."""

    name: str
    inputs: dict[str, int]
    netlist: Netlist
    timed: Timed
    library: Library

    def patterns(self, steps: int) -> npt.NDArray[np.uint8]:
        width = sum(self.inputs.values())
        rows = np.random.default_rng(0).integers(0, 2, (steps, width)).astype(np.uint8)
        rows[:, [k for k, name in enumerate(self.inputs) if name in HELD_AT_1]] = 1
        return rows

    def apply(
        self, rows: npt.NDArray[np.uint8]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        return apply(self.netlist, self.timed, self.library, tuple(self.inputs), rows)


@pytest.fixture(scope="module")
def library() -> Library:
    return read_liberty(need_osu018())


@pytest.fixture(scope="module", params=BLOCKS)
def block(request: pytest.FixtureRequest, library: Library, synthesizer: Tool) -> Block:
    assert synthesizer.usable
    sources, inputs = BLOCKS[request.param]
    made = netlist(request.param, {}, sources, OSU018, library)
    return Block(request.param, inputs, made, timed(made, library), library)


def verilog(block: Block, folder: Path) -> Path:
    """The same cells with the same delays for Icarus, and what counts the edges of each net."""
    of, cells = block.timed, block.library.cells
    nets = range(2, len(of.unit_of_net))
    lines = ["`timescale 1ps/1ps", "module bench; wire n0 = 0, n1 = 1; reg on = 0, edge_ = 0;"]
    ports = [net for name in block.inputs for net in block.netlist.ports[name]]
    lines += [f"reg n{net} = 0;" if net in ports else f"wire n{net};" for net in nets]
    for each in (*of.cells, *of.flip_flops):
        cell = cells[each.kind]
        out = each.nets[cell.output][0]
        wires = ", ".join(f"n{each.nets[pin][0]}" for pin in reversed(cell.inputs))
        width = 1 << len(cell.inputs)
        lines.append(f"wire [{width - 1}:0] t{out} = {width}'d{cell.truth};")
        value = f"t{out}[{{{wires}}}]"
        if cell.clock:
            lines.append(f"reg s{out} = 0; always @(posedge edge_) s{out} <= {value};")
            value = f"s{out}"
        lines.append("assign #({},{}) n{} = {};".format(*of.delay_ps[:, out], out, value))
    for net in nets:
        lines.append(f"integer c{net} = 0; always @(n{net}) if (on) c{net} = c{net} + 1;")
    lines.append(f"initial begin #{PERIOD_PS};")
    for row in block.patterns(STEPS):
        lines.append("edge_ = 1; #0;")  # what flip-flops take is there before inputs change
        lines.append(" ".join(f"n{net} = {bit};" for net, bit in zip(ports, row, strict=True)))
        lines.append(f"#{PERIOD_PS} on = 1; edge_ = 0;")
    lines += [f'$display("{net} %0d", c{net});' for net in nets]
    lines.append("end endmodule")
    file = folder / "bench.v"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_icarus_sees_the_same_edges(block: Block, tmp_path: Path) -> None:
    """Every net, glitches included."""
    icarus = need(tool("icarus"))
    toggles, _ = block.apply(block.patterns(STEPS))
    binary = tmp_path / "bench"
    built = run([str(icarus.path), "-g2012", "-o", binary, verilog(block, tmp_path)])
    assert built.returncode == 0, built.stderr
    said = run(["vvp", "-N", binary]).stdout.split()
    theirs = np.zeros(len(toggles), dtype=np.int64)
    theirs[np.array(said[::2], dtype=int)] = np.array(said[1::2], dtype=int)
    assert toggles.sum() > 0
    assert toggles[2:].tolist() == theirs[2:].tolist()


@pytest.mark.parametrize("block", ["t13_alu"], indirect=True)
def test_gates_take_what_changes(block: Block) -> None:
    """Nothing changes, nothing is taken."""
    rows = block.patterns(STEPS)
    rows[2] = rows[1]
    _, energy = block.apply(rows)
    assert energy[2].sum() == 0
    assert (energy[3:].sum(axis=1) > 0).all()


def test_pairs_of_edges_in_a_cycle_are_glitches(block: Block) -> None:
    """Their energy is within the cheapest and the dearest edges of each net; one edge is none."""
    rows, of = block.patterns(20), block.timed
    counts = [block.apply(rows[:count])[0] for count in range(2, len(rows) + 1)]
    edges = np.diff(
        counts, axis=0, prepend=np.zeros_like(counts[:1])
    )  # those of row 0 do not count
    pairs = (edges // 2).sum(axis=0)
    assert pairs.sum() > 0
    prices = np.split(of.energy_pj, of.energy_at[1:], axis=1)
    low, high = (
        sum(count * part(each, axis=1).sum()
            for count, each in zip(pairs.tolist(), prices, strict=True) if count)
        for part in (np.min, np.max)
    )  # fmt: skip
    inputs = tuple(block.inputs)
    took = apply_rows(block.netlist, of, block.library, inputs, rows).arrays
    glitch, data = (took[name][1 : len(rows)] for name in ("glitch_pj", "energy_pj"))
    assert low <= glitch.sum() <= high
    assert (glitch <= data).all()
    assert glitch.sum() < data.sum()


def by_kind(block: Block) -> dict[str, float]:
    """In pJ a cycle, of what cells drive, as the other calculator counts."""
    of, cells = block.timed, block.library.cells
    volt = block.library.volt
    kinds = ("ports", *sorted({each.kind for each in (*of.cells, *of.flip_flops)}))
    kind_of_net, load = np.zeros_like(of.unit_of_net), np.zeros(len(of.unit_of_net))
    for each in (*of.cells, *of.flip_flops):
        kind_of_net[each.nets[cells[each.kind].output][0]] = kinds.index(each.kind)
        for pin in cells[each.kind].inputs:
            load[each.nets[pin][0]] += cells[each.kind].capacitance_pf[pin]
    sorted_by_kind = replace(of, units=kinds, unit_of_net=kind_of_net)
    toggles, energy = replace(block, timed=sorted_by_kind).apply(block.patterns(CYCLES))
    took = dict(zip(kinds, energy[1:].sum(axis=0) / (CYCLES - 1), strict=True))
    for each in of.flip_flops:  # what drives the clock is outside
        cell = cells[each.kind]
        took[each.kind] -= cell.capacitance_pf[cell.clock] * volt**2
    if of.flip_flops:
        took[of.flip_flops[0].kind] += of.clock_pj[:, 0].sum()  # the same in all states
    del took["ports"]
    driven = kind_of_net > 0
    switching = float(toggles[driven] @ load[driven]) * volt**2 / 2 / (CYCLES - 1)
    total = sum(took.values())
    return {
        "total": total, "switching": switching, "internal": total - switching,
        "edges": toggles[driven].sum() / (CYCLES - 1), **took,
    }  # fmt: skip


def test_another_calculator_says_the_same(block: Block, synthesizer: Tool) -> None:
    """Our side of the record is what is computed now, and the two are within 5 %."""
    every = read_csv_table(content(*RECORD.split("/")))
    rows = [row for row in every if row.values["block"] == block.name]
    now = by_kind(block) | {
        "leakage": block.timed.leakage_nw.sum(), "longest path": block.timed.path_ps,
    }  # fmt: skip
    now["total with delays of each"] = now["total"]
    netlists = {row.values["netlist"] for row in rows}
    for row in rows:
        quantity, ours, theirs, ratio = (row.values[k] for k in RECORDED)
        if netlists == {f"yosys {synthesizer.version}"}:
            assert float(ours) == pytest.approx(now[quantity], rel=1e-5)
        assert float(ratio) == pytest.approx(float(ours) / float(theirs), abs=6e-5)
        if quantity != "longest path":  # of each cell the slower edge: on the safe side
            assert float(ratio) == pytest.approx(1, abs=0.05)
    assert {"total", "switching", "internal"} <= {row.values["quantity"] for row in rows}
    if netlists != {f"yosys {synthesizer.version}"}:
        absent(f"{' or '.join(sorted(netlists))}, of the record: another makes other cells")


def test_functions_of_cells() -> None:
    for function, wanted in (
        ("!(A B)", lambda a, b: not (a and b)), ("A' * B + A ^ B", lambda a, b: a != b),
        ("(A | B)'", lambda a, b: not (a or b)), ("!A & !B", lambda a, b: not a and not b),
    ):  # fmt: skip
        truth = truth_table(function, ("A", "B"))
        for a, b in product((0, 1), repeat=2):
            assert truth >> (a | b << 1) & 1 == bool(wanted(a, b)), function


def test_tables_between_and_beyond_their_points(library: Library) -> None:
    table = library.cells["DFFPOSX1"].delay_ns["rise"][0]
    loads, slews, values = table
    assert look_up(table, loads[2], slews[3]) == pytest.approx(values[2][3])
    assert look_up(table, (loads[0] + loads[1]) / 2, slews[0]) == pytest.approx(
        (values[0][0] + values[1][0]) / 2
    )
    assert look_up(table, 2 * loads[-1], slews[0]) > values[-1][0]


def test_a_library_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "cells.lib"
    for text, said in (
        (
            'library(a) {\n time_unit : "1 parsec";\n}\n',
            "time_unit '1 parsec' is not a number and a unit",
        ),
        ("library(a) {\n cell(X) {\n", "ends inside"),
        ("library(a) {\n\n what\n}\n", ":3: 'what' is neither"),
    ):
        file.write_text(text)
        with pytest.raises(GnomonError, match=said):
            read_liberty(file)


def test_a_damaged_library_is_read_or_refused(library: Library, tmp_path: Path) -> None:
    """In one line, which names the file; of cells of every kind there is one."""
    text = OSU018.read_text()
    starts = [found.start() for found in re.finditer(r"^\s*cell\s*\(", text, re.MULTILINE)]
    ends = [*starts[1:], text.rindex("}")]
    cells = [text[at:end] for at, end in zip(starts, ends, strict=True)]
    flip_flop = next(each for each in cells if re.search(r"\bff\s*\(", each))
    short = text[: starts[0]] + cells[0] + flip_flop + "}\n"
    path, rng, refused = tmp_path / "cut.lib", random.Random(1), []
    for _ in range(300):
        at, size = rng.randrange(len(short)), rng.randrange(60)
        new = rng.choice(["", "{", "}", "(", '"', "1e999", "nan", "-1", "x", "when : 1;", "\0"])
        path.write_text(short[:at] + new + short[at + size :])
        try:
            read_liberty(path)
        except GnomonError as error:
            refused.append(str(error))
    assert 0 < len(refused) < 300
    assert all(each.startswith(str(path)) and "\n" not in each for each in refused)


@pytest.mark.heavy("gates")
def test_a_program_on_the_machine_as_gates(library: Library, synthesizer: Tool) -> None:
    """Equal to the cycle, or ``CheckFailed``; no path is longer than the period."""
    assert library.name
    assert synthesizer.usable
    program = load_elf(content("tests", "reference", "t13x", "programs", "p_matmul_h3_s1.elf"))
    found = gate_energy(load_architecture("t13-simd1"), [program], clock_ns=10.0)
    (row,) = found.programs
    assert float(row["settled_ns"]) <= found.path_ns
    assert sum(float(each["data_pj"]) for each in found.energy) == pytest.approx(row["data_pj"])
