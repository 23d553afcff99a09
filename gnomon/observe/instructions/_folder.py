"""The folder of a unit with one proposed instruction: ``unit.yaml``, C and SystemVerilog."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from gnomon.arch import Architecture
from gnomon.arch.units import Unit
from gnomon.arch.units.file import EncodingKeys
from gnomon.arch.units.load import unit_in
from gnomon.base.errors import GnomonError
from gnomon.base.files import write_files
from gnomon.observe.instructions._mine import Form, Proposal

_MOST_STAGES = 4
_OPCODES: Final = ("custom-2", "custom-3")
_YAML = """\
# Proposed by gnomon advise. Keys: docs/reference/unit.md. Check it: gnomon check {name}
schema: 1
title: "{title}"
source: {source}
parameters:
  stages: {{default: {cycles}, range: [1, {most}], meaning: cycles from operands to result}}
code: {folder}.c
rtl: {{sources: [{folder}.sv], top: unit_{folder}}}
instructions:
  {folder}:
    meaning: "{meaning}"
    encoding: {encoding}
    operands: {operands}
    cycles: stages
"""
_C = """\
/* {meaning} */
UNIT({folder})
{{
{body}
}}
"""
_VERILOG = """\
// {meaning}
module unit_{folder} #(
    parameter int STAGES = {cycles}
) (
    input  logic        clk,
    input  logic        rst_n,
    input  logic        start,
    input  logic [31:0] word,
    input  logic [31:0] a,
    input  logic [31:0] b,
    input  logic [31:0] c,
    output logic        done,
    output logic [31:0] result
);
  // Operands stay until `done`, so registers need no valid bits.
  logic [8:0] age;
  assign done = start ? STAGES == 1 : STAGES != 1 && age == 9'(STAGES - 1);
  always_ff @(posedge clk) begin
    if (!rst_n || done) age <= 9'd0;
    else if (start) age <= 9'd1;
    else if (age != 9'd0) age <= age + 9'd1;
  end
{body}
endmodule
"""


def folder_name(name: str) -> str:
    """Return the name of the folder, the files and the instruction of a unit."""
    return name.replace("-", "_")


def choose_encoding(architecture: Architecture, form: Form) -> EncodingKeys:
    """Return the first encoding that no unit of the machine has.

    Raises:
        GnomonError: if there is none.
    """
    for opcode in _OPCODES:
        for funct3 in range(8):
            keys = EncodingKeys.model_validate({
                "format": "R4" if form == "R4" else "R", "opcode": opcode, "funct3": funct3,
            })  # fmt: skip
            match, mask = keys.match_and_mask()
            if all((match ^ row.match) & mask & row.mask for row in architecture.unit_rows):
                return keys
    raise GnomonError(f"{architecture.name}: its units leave no encoding in custom-2 and custom-3")


def unit_texts(
    proposal: Proposal, name: str, program: str, architecture: Architecture
) -> dict[str, str]:
    """Return the files of a unit by name.

    Args:
        proposal: its instruction.
        name: of the unit; the instruction has the same name, with ``_`` for ``-``.
        program: name of the program that suggests it.
        architecture: the machine, whose units limit the encoding.

    Raises:
        GnomonError: if the units of the machine leave no encoding.
    """
    folder, cycles = folder_name(name), proposal.cycles
    encoding = choose_encoding(architecture, proposal.form)
    last = "funct2: 0" if encoding.format == "R4" else "funct7: 0"
    fields = [f"{each}: operand" for each in proposal.names if each != "rd"]
    result = "accumulator" if proposal.form == "accumulator" else "result"
    source = f"pieces of {program} on {architecture.name}; cycles by construction, checked against"
    source = f"{source} its RTL".encode("utf-8", "replace").decode()
    marks = {
        "name": name, "folder": folder, "title": f"{name}: {len(proposal.graph.nodes)} instructions"
        " in one", "source": json.dumps(source, ensure_ascii=False), "meaning": proposal.text,
        "cycles": cycles, "most": max(_MOST_STAGES, cycles),
        "encoding": f"{{format: {encoding.format}, opcode: {encoding.opcode},"
                    f" funct3: {encoding.funct3}, {last}}}",
        "operands": f"{{rd: {result}, {', '.join(fields)}}}",
    }  # fmt: skip

    def filled(text: str, lines: list[str], indent: str) -> str:
        return text.format(**marks, body="\n".join(f"{indent}{line}" for line in lines))

    return {
        "unit.yaml": filled(_YAML, [], ""),
        f"{folder}.c": filled(_C, [*proposal.graph.c_lines()], "    "),
        f"{folder}.sv": filled(_VERILOG, [*proposal.graph.verilog_lines()], "  "),
    }


def load_proposed(name: str, files: Mapping[str, str]) -> Unit:
    """Return the unit of some files, which are not kept.

    Raises:
        GnomonError: if the files are not a unit, such as with the name of an instruction.
    """
    with TemporaryDirectory(prefix="gnomon-") as place:
        folder = Path(place, folder_name(name))
        write_files(folder, files)
        return unit_in(folder, name, {})
