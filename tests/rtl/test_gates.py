"""A netlist in a cell library, its delays and energies, next to others that know them."""

from __future__ import annotations

import os
import random
import re
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.program import load_elf
from gnomon.rtl._tools import run, tool
from gnomon.rtl.gates._engine import apply
from gnomon.rtl.gates._liberty import Library, look_up, read_liberty, truth_table
from gnomon.rtl.gates._netlist import netlist
from gnomon.rtl.gates._timing import timed
from gnomon.rtl.gates.flow import OSU018, gate_energy
from tests.conftest import NO_TOOL
from tests.rtl.conftest import need

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from gnomon.rtl import Tool
    from gnomon.rtl.gates._netlist import Netlist
    from gnomon.rtl.gates._timing import Timed

INPUTS = {"funct3": 3, "subtract": 1, "a": 32, "b": 32}
STEPS = 60


@pytest.fixture(scope="module")
def library() -> Library:
    if not OSU018.is_file():
        told = "osu018: not found; install: sudo apt-get install qflow-tech-osu018"
        if os.environ.get("CI"):
            pytest.fail(f"in CI nothing may be left out: {told}")
        pytest.skip(NO_TOOL + told)
    return read_liberty(OSU018)


@pytest.fixture(scope="module")
def alu(library: Library, synthesizer: Tool) -> tuple[Netlist, Timed]:
    assert synthesizer.usable
    made = netlist("t13_alu", {}, ("t13_alu.sv",), OSU018, library)
    return made, timed(made, library)


def patterns() -> npt.NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 2, (STEPS, sum(INPUTS.values()))).astype(np.uint8)


def verilog(made: Netlist, of: Timed, library: Library, folder: Path) -> Path:
    """The same cells with the same delays for Icarus, and what counts the edges of each net."""
    nets = range(2, of.energy_pj.shape[1])
    lines = ["`timescale 1ps/1ps", "module bench; wire n0 = 0, n1 = 1; reg on = 0;"]
    ports = [net for name in INPUTS for net in made.ports[name]]
    lines += [f"{'reg' if net in ports else 'wire'} n{net};" for net in nets]
    for each in of.cells:
        cell = library.cells[each.kind]
        out = each.nets[cell.output][0]
        wires = ", ".join(f"n{each.nets[pin][0]}" for pin in reversed(cell.inputs))
        rise, fall = of.delay_ps[:, out]
        width = 1 << len(cell.inputs)
        lines.append(f"wire [{width - 1}:0] t{out} = {width}'d{cell.truth};")
        lines.append(f"assign #({rise},{fall}) n{out} = t{out}[{{{wires}}}];")
    for net in nets:
        lines.append(f"integer c{net} = 0; always @(n{net}) if (on) c{net} = c{net} + 1;")
    lines.append("initial begin")
    for row in patterns():
        lines.append(" ".join(f"n{net} = {bit};" for net, bit in zip(ports, row, strict=True)))
        lines.append("#100000 on = 1;")
    lines += [f'$display("{net} %0d", c{net});' for net in nets]
    lines.append("end endmodule")
    file = folder / "bench.v"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_icarus_sees_the_same_edges(
    alu: tuple[Netlist, Timed], library: Library, tmp_path: Path
) -> None:
    """Every net of the ALU, glitches included."""
    icarus = need(tool("icarus"))
    toggles, _ = apply(*alu, library, tuple(INPUTS), patterns())
    binary = tmp_path / "bench"
    built = run([str(icarus.path), "-g2012", "-o", binary, verilog(*alu, library, tmp_path)])
    assert built.returncode == 0, built.stderr
    said = run(["vvp", "-N", binary]).stdout.split()
    theirs = np.zeros(len(toggles), dtype=np.int64)
    theirs[np.array(said[::2], dtype=int)] = np.array(said[1::2], dtype=int)
    assert toggles[2:].tolist() == theirs[2:].tolist()


def test_gates_compute_what_the_alu_computes(alu: tuple[Netlist, Timed], library: Library) -> None:
    """Work grows with what changes: nothing changes, nothing is taken."""
    rows = patterns()
    rows[2] = rows[1]
    _, energy = apply(*alu, library, tuple(INPUTS), rows)
    assert energy[2] == 0
    assert (energy[3:] > 0).all()


def test_functions_of_cells() -> None:
    for function, wanted in (
        ("!(A B)", lambda a, b: not (a and b)), ("A' * B + A ^ B", lambda a, b: a != b),
        ("(A | B)'", lambda a, b: not (a or b)), ("!A & !B", lambda a, b: not a and not b),
    ):  # fmt: skip
        truth = truth_table(function, ("A", "B"), "cell")
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
        ('library(a) {\n time_unit : "1ps";\n}\n', "time_unit 1ps: only 1ns"),
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


@pytest.mark.nightly
def test_a_program_on_the_machine_as_gates(library: Library, synthesizer: Tool) -> None:
    """Equal to the cycle, or ``CheckFailed``; no path is longer than the period."""
    assert library.name
    assert synthesizer.usable
    program = load_elf(content("tests", "reference", "t13x", "programs", "p_matmul_h3_s1.elf"))
    found = gate_energy(load_architecture("t13-simd1"), [program], clock_ns=10.0)
    (row,) = found.programs
    assert float(row["settled_ns"]) <= found.path_ns
    assert sum(float(each["data_pj"]) for each in found.energy) == pytest.approx(row["data_pj"])
