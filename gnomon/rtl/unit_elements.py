"""The SystemVerilog of a vector instruction's element against its C, on random operands.

A generated bench passes elements to the module, one with each ``advance``, as the vector unit does:
the elements of one instruction after another, with pauses. Each result must show as many advances
later as the cycles of the instruction leave registers.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from gnomon.arch.units.hdl import instance_of
from gnomon.arch.units.lanes import registers_of, vector_instructions
from gnomon.rtl.units import UnitOutcome, outcome_of, random_operands, simulate_bench
from gnomon.sim import UnitFunctions

if TYPE_CHECKING:
    from gnomon.arch.units import Unit
    from gnomon.rtl.tools import Simulator

_BURST: Final = 50  # elements of an instruction
_BENCH: Final = """\
`timescale 1ns / 1ps
module unit_bench;
  localparam int ROWS = {rows};
  logic clk = 0, advance = 0;
  logic [31:0] word = 0, a = 0, b = 0, c = 0, result;
  logic [223:0] rows[0:ROWS-1];
  logic [223:0] row;
  int found, wrong = 0;
  always #5 clk = !clk;
{instance}
  initial begin
    found = $fopen("{found}", "w");
    $readmemh("rows.hex", rows);
    @(negedge clk);
    for (int k = 0; k < ROWS; k++) begin
      row = rows[k];
      {{word, a, b, c}} = row[223:96];
      advance = 0;
      repeat (row[7:0]) @(negedge clk);
      advance = 1;
      #1;
      if (((result ^ row[95:64]) & row[63:32]) !== 32'd0) begin
        wrong = wrong + 1;
        if (wrong <= {shown}) $fdisplay(found, "DIFFERS %0d %0d %h 1 0", k, 0, result & row[63:32]);
      end
      @(negedge clk);
    end
    $fdisplay(found, "DONE %0d", wrong);
    $finish;
  end
endmodule
"""


def check_elements(
    unit: Unit, *, operands: int, seed: int = 0, simulator: Simulator = "icarus"
) -> UnitOutcome:
    """Compare the elements of a unit's vector instructions with their C and cycles.

    See :func:`gnomon.rtl.unit_checks.check_unit`.
    """
    rng = np.random.default_rng(seed)
    elements = vector_instructions(unit)
    numbers = rng.integers(0, len(elements), -(-operands // _BURST))
    bursts = [_draw_burst(unit, number, rng) for number in numbers]
    table = np.concatenate([rows for rows, _ in bursts])
    texts = [text for _, each in bursts for text in each]
    instance = instance_of(unit, "unit", (".clk", ".advance", ".word", ".a", ".b", ".c", ".result"))
    lines = ["".join(f"{value:08x}" for value in row) for row in table.tolist()]
    with tempfile.TemporaryDirectory(prefix="gnomon-") as name:
        output = simulate_bench(unit, Path(name), _BENCH, instance, lines, simulator)
    expected = (table[:, 4] & table[:, 5]).tolist()
    counts = (_BURST * np.bincount(numbers, minlength=len(elements))).tolist()
    names = (each.mnemonic for each in elements)
    return outcome_of(
        unit, output, dict(zip(names, counts, strict=True)), expected, None, texts.__getitem__
    )


def _draw_burst(
    unit: Unit, number: int, rng: np.random.Generator
) -> tuple[npt.NDArray[np.uint32], list[str]]:
    """Return the rows of some elements of an instruction, and the text of the one that each shows.

    The last rows only push the results out.
    """
    each = vector_instructions(unit)[number]
    assert each.vector is not None
    late = registers_of(each)
    count = _BURST + late
    spare = 32 - rng.choice(each.vector.elements, count)
    a, b = (random_operands(rng, count).astype(np.int64) << spare for _ in range(2))
    a, b = (port.astype(np.int32).astype(np.int64) >> spare & 0xFFFF_FFFF for port in (a, b))
    c = random_operands(rng, count).astype(np.int64)
    if each.third == "immediate":
        c = rng.integers(-2048, 2048, count) & 0xFFFF_FFFF
    given = a, b * (each.row.rs2 is not None), c * (each.third != "none")
    found = UnitFunctions(unit).apply(np.full(count, number), np.zeros(count), *given)
    shown = np.zeros((2, count), dtype=np.int64)  # the result, and its bits that count
    shown[0, late:] = found[:_BURST]
    shown[1, late:] = (0xFFFF_FFFF >> spare * (not each.vector.reduces))[:_BURST]
    pauses = rng.integers(-3, 4, count).clip(0)
    word = np.full(count, each.row.match)
    operands = zip(*(port[:_BURST].tolist() for port in given), strict=True)
    texts = [""] * late + [
        f"{each.mnemonic} a=0x{x:08x} b=0x{y:08x} c=0x{z:08x}" for x, y, z in operands
    ]
    return np.stack([word, a, b, c, *shown, pauses], axis=1).astype(np.uint32), texts
