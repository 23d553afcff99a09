"""The SystemVerilog between CV-X-IF, as CVE2 has it, and the units of a machine, generated."""

from collections.abc import Sequence
from typing import Final

from gnomon.arch.units._unit import Unit
from gnomon.arch.units.hdl import any_of, make_instances

CVXIF_MODULE: Final = "gnomon_cvxif_units"
CVXIF_TYPES: Final = "cve2_pkg"
"""Package of the core with the types of the port."""


def cvxif_module(units: Sequence[Unit]) -> str:
    """Return the module :data:`CVXIF_MODULE`: units at the extension port of CVE2.

    It accepts words of its units, one at a time, and answers each with a result, in the cycle after
    ``done``. Word and operands are valid at issue only, so it keeps them. The core commits an
    instruction with its issue.

    Raises:
        GnomonError: if a unit has no SystemVerilog.
    """
    every = [each for unit in units for each in unit.instructions]
    immediate = any_of(each for each in every if each.third == "immediate")
    instances = make_instances(units)
    return "\n".join([
        "// The units of a machine at CV-X-IF. Generated; do not edit.",
        f"module {CVXIF_MODULE} import {CVXIF_TYPES}::*; (",
        "    input  logic          clk,",
        "    input  logic          resetn,",
        "    input  logic          x_issue_valid_o,",
        "    output logic          x_issue_ready_i,",
        "    input  x_issue_req_t  x_issue_req_o,",
        "    output x_issue_resp_t x_issue_resp_i,",
        "    input  x_register_t   x_register_o,",
        "    output logic          x_result_valid_i,",
        "    input  logic          x_result_ready_o,",
        "    output x_result_t     x_result_i",
        ");",
        "  logic rst_n, known, busy, start, done;",
        "  logic [2:0] hart;",
        "  logic [31:0] word, a, b, c, third, result;",
        "  logic [31:0] held_word, held_a, held_b, held_third;",
        "  logic [2:0] held_hart;",
        "  id_t id, held_id;",
        "  always_comb begin",
        "    {word, a, b, third} = {held_word, held_a, held_b, held_third};",
        "    {hart, id} = {held_hart, held_id};",
        "    if (!busy) begin",
        "      word = x_issue_req_o.instr;",
        "      {a, b, third} = {x_register_o.rs[0], x_register_o.rs[1], x_register_o.rs[2]};",
        "      {hart, id} = {x_issue_req_o.hartid[2:0], x_issue_req_o.id};",
        "    end",
        "  end",
        f"  assign known = {any_of(every)};",
        f"  assign c = ({immediate}) ? {{{{20{{word[31]}}}}, word[31:20]}} : third;",
        "  assign rst_n = resetn;",
        "  assign start = x_issue_valid_o && !busy && known;",
        *instances.lines,
        f"  assign done = (start || busy) && ({instances.done});",
        f"  assign result = {instances.result};",
        "  assign x_issue_ready_i = !busy;",
        "  assign x_issue_resp_i.accept = known;",
        "  assign x_issue_resp_i.writeback = '1;",
        "  assign x_issue_resp_i.register_read = '1;",
        "  always_ff @(posedge clk) begin",
        "    busy <= resetn && (start || busy) && !done;",
        "    if (start) begin",
        "      {held_word, held_a, held_b, held_third} <= {word, a, b, third};",
        "      {held_hart, held_id} <= {hart, id};",
        "    end",
        "    x_result_valid_i <= resetn && (done || x_result_valid_i && !x_result_ready_o);",
        "    if (done) begin",
        "      x_result_i <= '0;",
        "      x_result_i.id <= id;",
        "      x_result_i.data <= result;",
        "      x_result_i.rd <= word[11:7];",
        f"      x_result_i.we <= {any_of(each for each in every if each.row.rd)};",
        "    end",
        "  end",
        "endmodule",
        "",
    ])  # fmt: skip
