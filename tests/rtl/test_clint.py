"""The clint in SystemVerilog: each cycle, its registers and requests are those of the rules."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.base.content import content
from tests.oracle.devices import Clint
from tests.rtl.conftest import need_icarus

if TYPE_CHECKING:
    from collections.abc import Iterator

HDL = content("rtl_tests", "hdl", "clint.sv")
_REGISTERS = (0x0000, 0x4000, 0x4004, 0xBFF8, 0xBFFC, 0x0004, 0x4008, 0xBFF4)
_BENCH = """
module bench;
  reg clk = 0, rst_n = 0; reg [63:0] rows [0:ROWS-1]; integer k;
  wire [31:0] data; wire software, timer;
  reg [63:0] row = 0;
  clint #(.EVERY(COUNT)) dut (.clk(clk), .rst_n(rst_n), .offset(row[15:0]), .write(row[20]),
    .strobes(row[19:16]), .value(row[63:32]), .data(data), .software(software), .timer(timer));
  initial begin
    $readmemh("rows.hex", rows);
    #1 clk = 1; #1 clk = 0; rst_n = 1;
    for (k = 0; k < ROWS; k = k + 1) begin
      row = rows[k];
      #1 $display("%h %b %b", data, software, timer);
      clk = 1; #1 clk = 0;
    end
    $finish;
  end
endmodule
"""


def accesses(seed: int, cycles: int) -> Iterator[tuple[int, bool, int, int]]:
    """Offset, whether it is written, strobes and value of each cycle; mtime stays near mtimecmp."""
    rng = random.Random(seed)
    for _ in range(cycles):
        offset = rng.choice(_REGISTERS)
        value = rng.choice([0, 1, rng.randrange(40), rng.getrandbits(32), 2**32 - rng.randrange(9)])
        if offset in {0x4004, 0xBFFC} and rng.random() < 0.8:
            value = 0
        strobes = rng.choice([15, 15, 15, 1, 2, 4, 8, 3, 12])
        yield offset, rng.random() < 0.15, strobes, value


def differences(folder: Path, hdl: Path, every: int, seed: int, cycles: int = 3000) -> int:
    """Cycles in which the RTL shows something else than the rules."""
    rows = list(accesses(seed, cycles))
    (folder / "rows.hex").write_text("".join(
        f"{value:08x}{write << 20 | strobes << 16 | offset:08x}\n"
        for offset, write, strobes, value in rows))  # fmt: skip
    bench = folder / "bench.v"
    bench.write_text(_BENCH.replace("ROWS", str(cycles)).replace("COUNT", str(every)))
    for command in (
        ["iverilog", "-g2012", "-s", "bench", "-o", "bench.vvp", str(hdl), "bench.v"],
        ["vvp", "-N", "bench.vvp"],
    ):
        output = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    shown = [line.split() for line in output.stdout.splitlines() if line[:1] in "0123456789abcdefx"]
    assert len(shown) == cycles
    clint, wrong, due = Clint(0, every), 0, 0
    for cycle, ((offset, write, strobes, value), (data, software, timer)) in enumerate(
        zip(rows, shown, strict=True)
    ):
        pending = clint.pending(cycle)
        right = (clint.read(offset, cycle, 15), pending >> 3 & 1, pending >> 7 & 1)
        wrong += (int(data, 16), int(software), int(timer)) != right
        due += right[2]
        if write:
            clint.write(offset, value, strobes, cycle)
    assert 0.05 * cycles < due < 0.95 * cycles
    return wrong


@pytest.mark.parametrize("every", [1, 3, 50])
def test_registers_and_requests_in_each_cycle(every: int, tmp_path: Path) -> None:
    need_icarus()
    assert differences(tmp_path, HDL, every, every) == 0


_MUTANTS = (
    ("timer <= mtime >= mtimecmp;", "timer <= mtime > mtimecmp;"),
    ("timer <= mtime >= mtimecmp;", "timer <= merged >= mtimecmp;"),
    ("phase == EVERY - 1 ? '0", "phase == EVERY ? '0"),
    ("else if (phase == EVERY - 1) mtime", "if (phase == EVERY - 1) mtime"),
    ("mtimecmp <= merged;", "mtimecmp[31:0] <= merged[31:0];"),
    ("&& strobes[0]) software", ") software"),
    ("high ? held[63:32] : held[31:0]", "held[31:0]"),
    ("mtimecmp <= '1;", "mtimecmp <= '0;"),
)


@pytest.mark.parametrize("number", range(len(_MUTANTS)))
def test_a_seeded_bug_is_seen(number: int, tmp_path: Path) -> None:
    need_icarus()
    right, wrong = _MUTANTS[number]
    text = HDL.read_text()
    assert text.count(right) == 1
    mutant = tmp_path / "mutant.sv"
    mutant.write_text(text.replace(right, wrong))
    assert differences(tmp_path, mutant, 3, 7) > 0
