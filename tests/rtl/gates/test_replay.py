"""Elements of every kind as gates, next to Icarus: edges, resets, latches, gates of the clock."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.gates._core_netlist import CoreNetlist, synthesize_core
from gnomon.gates._parts import WholeLibrary, read_whole_library
from gnomon.gates._replay import Replayed, Replayer, list_inputs
from gnomon.gates._timing import Timed, timed
from gnomon.rtl.designs import Design
from gnomon.rtl.tools import run
from tests.rtl.conftest import need_icarus, need_osu018

if TYPE_CHECKING:
    import numpy.typing as npt

    from gnomon.rtl import Tool

PARTS = Path(__file__).with_name("parts.v")
CLOCKS = ("clk", "clk_other")
CYCLES = 400
WIDTHS = {"clk": 1, "clk_other": 1, "rst_n": 1, "set": 1, "en": 1, "d": 4, "rises": 4, "falls": 4,
          "cleared": 4, "ready": 4, "counts": 1, "begun": 1, "held": 4, "gated": 4,
          "cell_gated": 4, "other": 4, "sum": 2, "half": 2}  # fmt: skip
CELLS = """
(* blackbox *) module FAX1 (input A, B, C, output YC, YS); endmodule
(* blackbox *) module HAX1 (input A, B, output YC, YS); endmodule
(* blackbox *) module TEST_GATE (input CK, EN, TE, output GCK); endmodule
"""
MODELS = """
module FAX1 (input A, B, C, output YC, YS); assign {YC, YS} = A + B + C; endmodule
module HAX1 (input A, B, output YC, YS); assign {YC, YS} = A + B; endmodule
module TEST_GATE (input CK, EN, TE, output GCK);
 reg on; always @* if (!CK) on = EN | TE; assign GCK = CK & on;
endmodule
"""
CLOCK_GATE = """
cell (TEST_GATE) {
  area : 100; cell_leakage_power : 0.5;
  clock_gating_integrated_cell : "latch_posedge_precontrol";
  statetable ("CK EN TE", "on") { table : "L L L : - : L , L H - : - : H , H - - : - : N"; }
  pin (on) { direction : internal; internal_node : "on"; }
  pin (CK) { direction : input; capacitance : 0.02; clock_gate_clock_pin : true; }
  pin (EN) { direction : input; capacitance : 0.01; clock_gate_enable_pin : true; }
  pin (TE) { direction : input; capacitance : 0.01; clock_gate_test_pin : true; }
  pin (GCK) { direction : output; state_function : "CK * on"; clock_gate_out_pin : true; }
}
}
"""
BENCH = """
module bench; reg clk = 0, rst_n, set, en; reg [3:0] d; reg [6:0] rows [0:{last}]; integer k;
 {wires}
 parts dut (clk, clk, rst_n, set, en, d{ports});
 initial begin
  $readmemb("rows.txt", rows);
  for (k = 0; k <= {last}; k = k + 1) begin
   #5 clk = 1; #1 {{rst_n, set, en, d}} = rows[k]; #4 clk = 0;
   #4 $display("%b", {{ {shown} }}); #1;
  end
 end
endmodule
"""


@dataclass(frozen=True)
class Parts:
    """The module as gates, its inputs, and the outputs that Icarus has."""

    whole: WholeLibrary
    core: CoreNetlist
    timed: Timed
    inputs: npt.NDArray[np.uint8]
    outputs: npt.NDArray[np.uint8]

    def replay(
        self, inputs: npt.NDArray[np.uint8], expected: npt.NDArray[np.uint8], window_cycles: int = 0
    ) -> Replayed:
        gates = Replayer.from_core(self.core, self.timed, self.whole.library, CLOCKS)
        return gates.replay(inputs, expected, window_cycles=window_cycles)

    def columns(self, name: str) -> slice:
        """Return the columns of an input."""
        names = list_inputs(self.core, CLOCKS)
        start = sum(WIDTHS[each] for each in names[: names.index(name)])
        return slice(start, start + WIDTHS[name])

    def undefined(self) -> npt.NDArray[np.uint8]:
        return np.full_like(self.outputs, 2)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory, synthesizer: Tool) -> Parts:
    need_icarus()
    folder = tmp_path_factory.mktemp("parts")
    text = need_osu018().read_text()
    liberty = folder / "cells.lib"
    liberty.write_text(text[: text.rindex("}")] + CLOCK_GATE)
    whole = read_whole_library(liberty)
    files = {"parts.v": PARTS.read_bytes(), "cells.v": CELLS.encode()}
    design = Design("parts", files, ("read_verilog cells.v parts.v", "synth -top parts"))
    core = synthesize_core(design, liberty, whole, synthesizer)
    assert {name: len(nets) for name, nets in core.netlist.ports.items()} == WIDTHS
    rows = np.random.default_rng(1).integers(0, 2, (CYCLES, 7)).astype(np.uint8)
    rows[:, 0] |= rows[:, 1]  # resets in half of the cycles at most
    rows[:3, :2] = (0, 0)
    (folder / "rows.txt").write_text("".join("".join(map(str, row)) + "\n" for row in rows))
    outputs = core.outputs
    bench = BENCH.format(
        last=CYCLES - 1, shown=", ".join(outputs), ports="".join(f", {name}" for name in outputs),
        wires=" ".join(f"wire [{WIDTHS[name] - 1}:0] {name};" for name in outputs),
    )  # fmt: skip
    (folder / "bench.v").write_text(bench + MODELS)
    built = run(["iverilog", "-g2012", "-o", "it", "bench.v", str(PARTS)], folder)
    assert built.returncode == 0, built.stderr
    seen = run(["vvp", "-N", "it"], folder).stdout.split()
    ends = np.cumsum([WIDTHS[name] for name in outputs])
    order = [k for end, name in zip(ends, outputs, strict=True)
             for k in range(end - 1, end - WIDTHS[name] - 1, -1)]  # fmt: skip
    values = np.array([[{"0": 0, "1": 1}.get(bit, 2) for bit in line] for line in seen])
    given = {"rst_n": rows[:, :1], "set": rows[:, 1:2], "en": rows[:, 2:3], "d": rows[:, :2:-1]}
    inputs = np.concatenate([given[name] for name in list_inputs(core, CLOCKS)], axis=1)
    return Parts(whole, core, timed(core.netlist, whole.library), inputs,
                 values[:, order].astype(np.uint8))  # fmt: skip


def test_every_output_of_every_cycle(parts: Parts) -> None:
    """The netlist has elements of each kind, and they do what Icarus says."""
    cells = [parts.whole.library.cells[each.kind] for each in parts.core.netlist.instances]
    kinds = {(cell.active, cell.is_latch, cell.clear is not None) for cell in cells if cell.clock}
    assert {(1, False, False), (1, False, True), (1, True, False)} <= kinds
    assert any(cell.clock and not cell.active for cell in cells)
    assert {"FAX1/YC", "FAX1/YS", "TEST_GATE/latch"} <= {cell.name for cell in cells}
    found = parts.replay(parts.inputs, parts.outputs)
    assert found.compared == (parts.outputs < 2).sum() > 0.9 * parts.outputs.size


@pytest.mark.parametrize("name", ["falls", "half"])
def test_one_other_bit_is_found(parts: Parts, name: str) -> None:
    cycle, outputs = 300, parts.core.outputs
    place = sum(WIDTHS[each] for each in outputs[: outputs.index(name)]) + 1
    wrong = parts.outputs.copy()
    wrong[cycle, place] ^= 1
    was = parts.outputs[cycle, place]
    with pytest.raises(CheckFailed, match=rf"^cycle {cycle}: {name}\[1\] is {was} on the gates"):
        parts.replay(parts.inputs, wrong)
    parts.replay(parts.inputs, np.where(wrong == parts.outputs, wrong, 2).astype(np.uint8))


def test_a_closed_gate_of_the_clock_saves_its_pins(parts: Parts) -> None:
    """By a half of the elements behind the two gates at an enable in half of the cycles."""
    closed, opened = parts.inputs.copy(), parts.inputs.copy()
    for rows, level in ((closed, 0), (opened, 1)):
        rows[:, parts.columns("set")] = 0
        rows[:, parts.columns("en")] = level
        rows[:, parts.columns("d")] = 0
    off, on = (parts.replay(rows, parts.undefined()) for rows in (closed, opened))
    pins = {each.nets["CLK"][0]: 0.0 for each in parts.timed.flip_flops if "CLK" in each.nets}
    for each, pj in zip(parts.timed.flip_flops, parts.timed.clock_pj, strict=True):
        if "CLK" in each.nets:
            pins[each.nets["CLK"][0]] += pj[0]
    assert on.clock_pj.sum() > 1.15 * off.clock_pj.sum()
    assert off.clock_pj.sum() > CYCLES * pins[parts.core.netlist.ports["clk"][0]]


def test_nothing_changes_and_the_data_path_takes_nothing(parts: Parts) -> None:
    rows = np.repeat(parts.inputs[5:6], 20, axis=0)
    rows[:, parts.columns("d")] = 0
    rows[0, parts.columns("d")] = 1
    found = parts.replay(rows, parts.undefined()[:20], window_cycles=10)
    assert found.energy_pj[0].sum() > 0
    assert found.energy_pj[1].sum() == 0
    assert found.clock_pj[1].sum() > 0


def test_a_clock_that_is_none(parts: Parts) -> None:
    with pytest.raises(GnomonError, match="clock clk_i is not an input"):
        Replayer.from_core(parts.core, parts.timed, parts.whole.library, ("clk_i",))
