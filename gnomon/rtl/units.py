"""The SystemVerilog of a unit against its C and its latency models, on random operands.

A generated bench executes the instructions one after another, some at once and some after idle
cycles. It compares each result with the C function, and the cycles from ``start`` to ``done``, both
included, with the latency model. ``done`` must be 0 in idle cycles, unless all instructions take
one cycle. Operands that an instruction does not have are random.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from gnomon.arch.units import Unit, UnitInstruction
from gnomon.arch.units.hdl import instance_of
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.values import json_attributes
from gnomon.isa import encode_row
from gnomon.rtl.tools import Simulator, TimedOut, last_lines, run, tool
from gnomon.sim import UnitFunctions

Words = npt.NDArray[np.uint32]

_LIMIT_CYCLES: Final = 1000  # an instruction that takes longer hangs
_MOST_SECONDS = 600  # of a simulation, and one for each _ROWS_PER_SECOND rows
_ROWS_PER_SECOND: Final = 50  # an instruction that never ends runs to its limit of cycles
_SHOWN: Final = 5  # differences
_SOURCES: Final = "unit"  # folder of the files of the unit
_FOUND: Final = "found.txt"  # what the bench finds
_HARTS: Final = 3
_SPECIAL: Final = (0, 1, 2, 3, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0xFFFF, 0x1_0000, 0x5555_5555)
_BENCH = """\
`timescale 1ns / 1ps
module unit_bench;
  localparam int ROWS = {rows};
  logic clk = 0, rst_n = 0, start = 0, done;
  logic [2:0] hart = 0;
  logic [31:0] word = 0, a = 0, b = 0, c = 0, result;
  logic [223:0] rows[0:ROWS-1];
  logic [223:0] row;
  int cycles, found, wrong = 0;
  logic idle;
  always #5 clk = !clk;
{instance}
  initial begin
    found = $fopen("{found}", "w");
    $readmemh("rows.hex", rows);
    repeat (3) @(negedge clk);
    rst_n = 1;
    for (int k = 0; k < ROWS; k++) begin
      row = rows[k];
      hart = row[10:8];
      {{word, a, b, c}} = row[223:96];
      idle = 0;
      repeat (row[7:0]) begin
        #1 if (done !== 0 && !{one_cycle}) idle = done;
        @(negedge clk);
      end
      start = 1;
      cycles = 1;
      #1;
      while (done !== 1 && cycles < {limit}) begin
        @(negedge clk);
        start = 0;
        #1 cycles = cycles + 1;
      end
      if (idle !== 0 || done !== 1 || cycles != row[63:32] ||
          (row[16] && result !== row[95:64])) begin
        wrong = wrong + 1;
        if (wrong <= {shown})
          $fdisplay(found, "DIFFERS %0d %0d %h %b %b", k, cycles, result, done, idle);
      end
      @(negedge clk);
      start = 0;
    end
    $fdisplay(found, "DONE %0d", wrong);
    $finish;
  end
endmodule
"""


@dataclass(frozen=True, slots=True)
class UnitOutcome:
    """Result of a comparison. ``differences``: the first ones, one line each."""

    unit: str
    operands: int
    wrong: int
    differences: tuple[str, ...]
    by_instruction: Mapping[str, int]  # operations

    def to_json(self) -> dict[str, object]:
        """Return JSON-compatible data under the documented names."""
        return json_attributes(self, "unit operands wrong differences")


def random_operands(rng: np.random.Generator, count: int) -> Words:
    """Return random words: a third of all bits, a third of random length, a third special."""
    words = rng.integers(0, 1 << 32, count, dtype=np.uint64)
    shifted = words >> rng.integers(0, 33, count, dtype=np.uint64)
    special = np.array(_SPECIAL, dtype=np.uint64)[rng.integers(0, len(_SPECIAL), count)]
    kind = rng.integers(0, 3, count)
    return np.choose(kind, [words, shifted, special]).astype(np.uint32)


def check_unit(
    unit: Unit, *, operands: int = 100_000, seed: int = 0, simulator: Simulator = "icarus"
) -> UnitOutcome:
    """Compare the SystemVerilog of a unit with its C and its latency models.

    Args:
        unit: with the parameters to check.
        operands: executed instructions.
        seed: of the random operands.
        simulator: of the SystemVerilog.

    Raises:
        GnomonError: if the unit has no SystemVerilog, it or the C does not compile, or the
            simulator is missing.
    """
    made = random_operations(unit, operands, np.random.default_rng(seed))
    expected = UnitFunctions(unit).apply(made.number, made.hart, *made.given)
    rows, cycles = _make_rows(unit, made, expected)
    instance = instance_of(
        unit, "unit",
        (".clk", ".rst_n", ".start", ".word", ".a", ".b", ".c", ".done", ".result"),
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="gnomon-") as name:
        output = simulate_bench(unit, Path(name), _BENCH, instance, rows, simulator)
    counts = np.bincount(made.number, minlength=len(unit.instructions)).tolist()
    names = (each.mnemonic for each in unit.instructions)
    return outcome_of(
        unit, output, dict(zip(names, counts, strict=True)), expected.tolist(), cycles,
        lambda k: made.describe(k, made.ports),
    )  # fmt: skip


def outcome_of(
    unit: Unit,
    output: Sequence[str],
    by_instruction: Mapping[str, int],
    expected: Sequence[int],
    cycles: Sequence[int] | None,
    describe: Callable[[int], str],
) -> UnitOutcome:
    """Return the outcome of a bench.

    Args:
        unit: the unit.
        output: lines of the bench.
        by_instruction: operations of each instruction, or elements.
        expected: result of each row.
        cycles: of each row by its latency model; None: the bench does not count them.
        describe: returns instruction and operands of a row.
    """
    *wrong, (_, count) = (line.split() for line in output)
    found = []
    for _, number, took, got, done, idle in wrong:
        k = int(number)
        undefined = " (x: undefined)" if "x" in got.lower() else ""
        what = f"0x{got} in SystemVerilog{undefined}, 0x{expected[k]:08x} in C"
        if idle != "0":
            what = f"done is {idle} in an idle cycle before start, and must be 0"
        elif done != "1":
            what = f"no done within {_LIMIT_CYCLES} cycles"
        elif cycles is not None and int(took) != cycles[k]:
            what = f"{took} cycles in SystemVerilog, {cycles[k]} by the latency model"
        found.append(f"{describe(k)}: {what}")
    return UnitOutcome(
        unit.name, sum(by_instruction.values()), int(count), tuple(found), by_instruction
    )


@dataclass(frozen=True, eq=False)
class RandomOperations:
    """A sequence of instructions of a unit.

    ``number``: of the instruction in the unit; ``ports``: a, b and c of the hardware; ``given``:
    the same for the C, where absent operands are 0.
    """

    unit: Unit
    number: npt.NDArray[np.int64]
    hart: npt.NDArray[np.int64]
    gap: npt.NDArray[np.int64]
    words: list[int]
    ports: list[Words]
    given: list[Words]

    def describe(self, k: int, values: list[Words]) -> str:
        """Return an instruction and its operands in ``values``, for messages."""
        each = self.unit.instructions[int(self.number[k])]
        words = [f"{name}=0x{word[k]:08x}" for name, word in zip("abc", values, strict=True)]
        has = each.has_operands
        given = " ".join(word for word, present in zip(words, has, strict=True) if present)
        absent = " ".join(word for word, present in zip(words, has, strict=True) if not present)
        text = f"{each.mnemonic} {given}".strip()
        return text + (f" (absent operands: {absent})" if absent else "")


def random_operations(unit: Unit, count: int, rng: np.random.Generator) -> RandomOperations:
    """Return a random sequence of instructions, of all harts, some after idle cycles."""
    number = rng.integers(0, len(unit.instructions), count)
    hart = rng.integers(0, _HARTS, count)
    gap = rng.integers(-3, 4, count).clip(0)  # most follow at once
    ports = [random_operands(rng, count) for _ in range(3)]
    fields = rng.integers(0, 32, (count, 4)).tolist()
    immediate = rng.integers(-2048, 2048, count)
    given = [port.copy() for port in ports]
    for k, each in enumerate(unit.instructions):
        mine = number == k
        for port, present in zip(given, each.has_operands, strict=True):
            port[mine] *= np.uint32(present)
        if each.vector is not None:  # elements of vectors, sign-extended
            spare = np.uint32(32) - rng.choice(each.vector.elements, int(mine.sum())).astype(
                np.uint32
            )
            for port in given[: 2 if each.row.rs2 else 1]:
                words = (port[mine] << spare).astype(np.int32) >> spare.astype(np.int32)
                port[mine] = words.astype(np.uint32)
        if each.third == "immediate":
            given[2][mine] = ports[2][mine] = immediate[mine].astype(np.uint32)
    words = [
        encode_operation(unit.instructions[k], registers, imm)
        for k, registers, imm in zip(number.tolist(), fields, immediate.tolist(), strict=True)
    ]
    return RandomOperations(unit, number, hart, gap, words, ports, given)


def _make_rows(unit: Unit, made: RandomOperations, expected: Words) -> tuple[list[str], list[int]]:
    """Return the rows of the bench, and the cycles of each by its latency model."""
    rows, cycles = [], []
    columns = zip(made.number.tolist(), made.hart.tolist(), made.gap.tolist(), made.words,
                  *(port.tolist() for port in made.ports), *(port.tolist() for port in made.given),
                  expected.tolist(), strict=True)  # fmt: skip
    for k, hart, gap, word, port_a, port_b, port_c, a, b, _, result in columns:
        each = unit.instructions[k]
        took = each.model.cycles_of(a, b)
        flags = int(each.row.rd is not None) << 16 | hart << 8 | gap
        row = (word, port_a, port_b, port_c, result, took, flags)
        rows.append("".join(f"{value:08x}" for value in row))
        cycles.append(took)
    return rows, cycles


def encode_operation(each: UnitInstruction, registers: list[int], imm: int) -> int:
    """Return the word of an instruction with the registers rd, rs1, rs2 and rs3."""
    rd, rs1, rs2, rs3 = registers
    if each.row.format == "I":
        return encode_row(each.row, rd=rd, rs1=rs1, imm=imm)
    return encode_row(each.row, rd=rd, rs1=rs1, rs2=rs2, imm=rs3 * (each.row.format == "R4"))


def simulate_bench(
    unit: Unit, folder: Path, bench: str, instance: str, rows: list[str], simulator: Simulator
) -> list[str]:
    """Build a bench with the files of a unit in a folder, run it, and return what it tells.

    It writes to a file, as the unit may print too.

    Raises:
        CheckFailed: if the simulation does not end, or ends early.
        GnomonError: if the simulator is missing or rejects the files.
    """
    assert unit.rtl is not None
    one_cycle = all(each.model.most_cycles == 1 for each in unit.instructions)
    bench = bench.format(
        rows=len(rows), instance=instance, limit=_LIMIT_CYCLES, shown=_SHOWN,
        one_cycle=int(one_cycle), found=_FOUND,
    )  # fmt: skip
    found = tool(simulator)
    if found.path is None:
        found.check()
    (folder / "rows.hex").write_text("\n".join(rows) + "\n", encoding="ascii")
    (folder / "bench.sv").write_text(bench, encoding="ascii")
    (folder / _SOURCES).mkdir()
    for name, text in unit.rtl.files:
        (folder / _SOURCES / name).write_text(text, encoding="utf-8")
    files = [f"-I{_SOURCES}", *(f"{_SOURCES}/{name}" for name, _ in unit.rtl.files), "bench.sv"]
    if simulator == "icarus":
        build = ["iverilog", "-g2012", "-s", "unit_bench", "-o", "bench", *files]
        command = ["vvp", "-n", "bench"]
    else:
        build = ["verilator", "--binary", "--timing", "-Wno-fatal", "-Wno-lint", "--top-module",
                 "unit_bench", "--Mdir", "made", "-o", "bench", *files]  # fmt: skip
        command = [str(folder / "made" / "bench")]
    done = run(build, folder)
    if done.returncode:
        end = last_lines(done.stdout + done.stderr, 20)
        raise GnomonError(f"unit {unit.name}: does not build with {simulator}:\n{end}")
    seconds = _MOST_SECONDS + len(rows) // _ROWS_PER_SECOND
    try:
        ran = run(command, folder, seconds)
    except TimedOut:
        raise CheckFailed(
            f"unit {unit.name}: the simulation of its SystemVerilog does not end within {seconds:,}"
            " s (such as a loop of signals without a delay)"
        ) from None
    written = folder / _FOUND
    output = written.read_text("ascii").splitlines() if written.is_file() else []
    if not output or not output[-1].startswith("DONE"):
        end = last_lines(ran.stdout + ran.stderr, 20)
        raise CheckFailed(f"unit {unit.name}: the simulation ends early:\n{end}")
    return output
