"""The SystemVerilog between cores and the units of a machine, generated.

Each unit has the port of docs/reference/unit.md. For our T13, ``t13_units_decode`` recognizes their
words, ``t13_units`` has one instance of each unit and passes it its instructions; vector
instructions are in ``lanes.py``. The core compiles these parts only with the macro
``GNOMON_UNITS``. :func:`pcpi_module` does the same at PCPI.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from gnomon.arch.units._unit import Unit, UnitInstruction
from gnomon.arch.units.lanes import coded, vector_modules
from gnomon.base.errors import GnomonError

UNITS_MACRO: Final = "GNOMON_UNITS"
UNITS_FILE: Final = "t13_units.sv"
PCPI_MODULE: Final = "gnomon_pcpi_units"
_PART: Final = re.compile(
    rf"`ifdef {UNITS_MACRO}\n(?:(?!`else|`endif).*\n)*"
    r"(?:`else\n(?P<other>(?:(?!`endif).*\n)*))?`endif\n"
)


def without_units(text: str) -> str:
    """Return SystemVerilog of our core as a machine without units compiles it."""
    return _PART.sub(lambda part: part["other"] or "", text)


def instance_of(unit: Unit, name: str, ports: Iterable[str]) -> str:
    """Return an instance of the top module of a unit.

    Raises:
        GnomonError: if the unit has no SystemVerilog.
    """
    if unit.rtl is None:
        raise GnomonError(f"unit {unit.name} has no SystemVerilog (rtl in its unit.yaml)")
    values = ", ".join(f".{each.name.upper()}({each.value})" for each in unit.parameters)
    hart = [".hart(3'(hart))"] if unit.state_bytes and not unit.shared else []
    connections = ", ".join([*ports, *hart])
    return f"  {unit.rtl.top}{f' #({values})' if values else ''} {name} ({connections});"


def match_of(each: UnitInstruction, word: str = "word") -> str:
    """Return the condition that a word is this instruction."""
    return f"({word} & 32'h{each.row.mask:08x}) == 32'h{each.row.match:08x}"


def any_of(instructions: Iterable[UnitInstruction]) -> str:
    """Return the condition that ``word`` is one of the instructions."""
    return " ||\n      ".join(map(match_of, instructions)) or "1'b0"


class Instances(NamedTuple):
    """Lines with an instance of each unit, and the expressions of ``done`` and ``result``."""

    lines: list[str]
    done: str
    result: str


def make_instances(units: Sequence[Unit]) -> Instances:
    """Return instances that share the signals of the port; each starts for its own words.

    Raises:
        GnomonError: if a unit has no SystemVerilog.
    """
    lines, done, result = [], [], []
    for number, unit in enumerate(units):
        lines += [
            f"  logic is_{number}, done_{number};",
            f"  logic [31:0] result_{number};",
            f"  assign is_{number} = {any_of(unit.instructions)};",
            instance_of(unit, f"unit_{number}", (
                ".clk", ".rst_n", f".start(start && is_{number})", ".word", ".a", ".b", ".c",
                f".done(done_{number})", f".result(result_{number})",
            )),
        ]  # fmt: skip
        done.append(f"is_{number} && done_{number}")
        result.append(f"is_{number} ? result_{number}")
    return Instances(lines, " || ".join(done) or "0", " : ".join([*result, "32'd0"]))


def units_module(units: Sequence[Unit]) -> str:
    """Return the text of :data:`UNITS_FILE`.

    Raises:
        GnomonError: if a unit has no SystemVerilog.
    """
    scalars = [unit for unit in units if not unit.is_vector]
    every = [each for unit in scalars for each in unit.instructions]
    rs3 = [each for each in every if each.third == "rs3"]
    immediate = [each for each in every if each.third == "immediate"]
    instances = make_instances(scalars)
    vectors = coded(units)
    codes = [f"{match_of(each)} ? 7'd{code} :" for code, _, each in vectors]
    return "\n".join([
        "// The units of a machine. Generated; do not edit.",
        vector_modules(units),
        "// vector: the vector unit executes it; code: of it.",
        "module t13_units_decode (",
        "    input  logic [31:0] word,",
        "    output logic        unit,",
        "    output logic        reads_rs3,",
        "    output logic        vector,",
        "    output logic [ 6:0] code",
        ");",
        f"  assign unit = {any_of(every)};",
        f"  assign reads_rs3 = {any_of(rs3)};",
        f"  assign vector = {any_of(each for _, _, each in vectors)};",
        "  assign code = " + "\n      ".join([*codes, "7'd0;"]),
        "endmodule",
        "",
        "module t13_units #(",
        "    parameter int HART_BITS = 2",
        ") (",
        "    input  logic                 clk,",
        "    input  logic                 rst_n,",
        "    input  logic                 start,",
        "    input  logic [HART_BITS-1:0] hart,",
        "    input  logic [         31:0] word,",
        "    input  logic [         31:0] a,",
        "    input  logic [         31:0] b,",
        "    input  logic [         31:0] third,",
        "    input  logic [         31:0] imm,",
        "    output logic                 writes,",
        "    output logic                 done,",
        "    output logic [         31:0] result",
        ");",
        f"  assign writes = {any_of(each for each in every if each.row.rd)};",
        "  logic [31:0] c;",
        f"  assign c = ({any_of(immediate)}) ? imm : third;" if immediate else
        "  assign c = third;",
        *instances.lines,
        f"  assign done = {instances.done};",
        f"  assign result = {instances.result};",
        "endmodule",
        "",
    ])  # fmt: skip


def pcpi_module(units: Sequence[Unit]) -> str:
    """Return the module :data:`PCPI_MODULE`: units at the coprocessor port of PicoRV32.

    It answers a request for a word of its units only. The request starts the unit once and lasts
    until the cycle of ``pcpi_ready``, the one of ``done``; the core holds word and operands.

    Raises:
        GnomonError: if a unit has no SystemVerilog.
    """
    every = [each for unit in units for each in unit.instructions]
    instances = make_instances(units)
    return "\n".join([
        "// The units of a machine at PCPI. Generated; do not edit.",
        "`timescale 1ns / 1ps",
        f"module {PCPI_MODULE} (",
        "    input  logic        clk,",
        "    input  logic        resetn,",
        "    input  logic        pcpi_valid,",
        "    input  logic [31:0] pcpi_insn,",
        "    input  logic [31:0] pcpi_rs1,",
        "    input  logic [31:0] pcpi_rs2,",
        "    output logic        pcpi_wr,",
        "    output logic [31:0] pcpi_rd,",
        "    output logic        pcpi_wait,",
        "    output logic        pcpi_ready",
        ");",
        "  logic rst_n, request, active, start;",
        "  logic [2:0] hart;",
        "  logic [31:0] word, a, b, c;",
        "  assign rst_n = resetn;",
        "  assign hart = 3'd0;",
        "  assign word = pcpi_insn;",
        "  assign a = pcpi_rs1;",
        "  assign b = pcpi_rs2;",
        "  assign c = {{20{word[31]}}, word[31:20]};  // the immediate of format I",
        f"  assign request = pcpi_valid && ({any_of(every)});",
        "  assign start = request && !active;",
        "  always_ff @(posedge clk) active <= resetn && request && !pcpi_ready;",
        *instances.lines,
        "  assign pcpi_wait = request;",
        f"  assign pcpi_ready = request && ({instances.done});",
        f"  assign pcpi_wr = pcpi_ready && ({any_of(each for each in every if each.row.rd)});",
        f"  assign pcpi_rd = {instances.result};",
        "endmodule",
        "",
    ])  # fmt: skip
