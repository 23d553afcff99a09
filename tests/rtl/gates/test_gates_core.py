"""Another core than ours as gates: what stands around it is what its interface asks for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.gates._engine import simulate_gates
from gnomon.gates._liberty import read_liberty
from gnomon.gates._netlist import cells_of
from gnomon.gates._timing import timed
from gnomon.klessydra.checkout import design
from gnomon.program import load_elf
from gnomon.rtl.designs import MEMORY
from gnomon.rtl.observed import words_of
from tests.rtl.conftest import need_osu018

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.rtl import Tool

# It fetches after its enable, shows issues from ten edges after the reset on, and stores a word
# of its memory: where nothing is until a store was answered, then where runs end. The memory has
# what was fetched.
CORE = """
module tiny (input clk_i, rst_ni, fetch_enable_i, output instr_req_o, output [31:0] instr_addr_o,
    input instr_gnt_i, instr_rvalid_i, input [31:0] instr_rdata_i, output data_req_o, data_we_o,
    output [3:0] data_be_o, output [31:0] data_addr_o, data_wdata_o, input data_gnt_i,
    data_rvalid_i, input [31:0] data_rdata_i, input data_err_i);
  reg [9:0] behind;
  reg asks, stores, answered;
  always @(posedge clk_i or negedge rst_ni)
    if (!rst_ni) begin behind <= 0; {asks, stores, answered} <= 0; end
    else begin
      behind <= {behind, 1'b1};
      asks <= fetch_enable_i; stores <= asks; answered <= answered | data_rvalid_i;
    end
  reg [31:0] words[0:63], word;
  always @(posedge clk_i) begin
    word <= words[{behind[4:0], answered}];
    if (asks) words[{6{asks}}] <= instr_rdata_i;
  end
  wire shown = behind[9];
  wire [1:0] hart = 2;
  wire [31:0] pc = 32'h80, code = instr_rdata_i;
  assign instr_req_o = asks, instr_addr_o = pc, data_req_o = stores, data_we_o = 1, data_be_o = 15;
  assign data_addr_o = answered && |word ? 32'h1a10fff0 : 32'h1a10fff4;
  wire loop = loop & rst_ni;  // holds itself at 0
  assign data_wdata_o = loop ? 0 : word;
endmodule
"""
NAMES = re.findall(r"\w+_n?[io](?=[,) ])", CORE.partition(";")[0])
SIGNALS = {"valid": "shown", "hart": "hart", "pc": "pc", "word": "code"}


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    """A library whose flip-flops have a reset."""
    text = need_osu018().read_text()
    start = text.index("cell (DFFPOSX1)")
    found = text[start:].replace('clocked_on : "CLK";', 'clocked_on : "CLK"; clear : "!R";', 1)
    reset = "pin(R) { direction : input; capacitance : 0.01; }"
    found = found.replace("pin(CLK)", f"{reset} pin(CLK)", 1)
    path = tmp_path / "cells.lib"
    path.write_text(text[:start] + found)
    return path


def test_a_core_with_the_pulpino_interface(cells: Path, synthesizer: Tool) -> None:
    assert synthesizer.usable
    library, machine = read_liberty(cells), load_architecture("t13-simd1")
    made = cells_of(design("tiny", CORE, [(n, n) for n in NAMES], SIGNALS), cells, library)
    assert [each.parameters["ROWS"] for each in made.instances if each.kind == MEMORY] == [64]
    program = load_elf(content("tests", "reference", "t13x", "programs", "p00.elf"))
    did = simulate_gates(
        made, timed(made, library), library, machine, program, last_cycle=30, window_cycles=4
    )
    seen = did.recorded
    assert seen.ended == "exit"
    # Cycle 0 is the first with a request for an instruction; the store of cycle 1 is answered in
    # cycle 2, which is known in 3, and the word that is looked up then is there in 4.
    assert seen.bus[:, 0].tolist() == [1, 2, 3, 4]
    assert seen.bus[:, 2].tolist() == [*[0x1A10FFF4] * 3, 0x1A10FFF0]
    assert seen.bus[-1, 3] == seen.issues[0, 3] == words_of(program)[0x80]
    # Five edges before the enable and one after it leave four until the tenth.
    assert seen.issues[:, :3].tolist() == [[4, 2, 0x80]]
    assert did.energy_pj.shape[0] == 2
    assert np.all(did.energy_pj.sum(axis=1) > 0)


def test_a_reset_that_is_none(cells: Path, synthesizer: Tool) -> None:
    assert synthesizer.usable
    odd = CORE.replace("negedge rst_ni", "negedge instr_gnt_i").replace("!rst_ni", "!instr_gnt_i")
    ports = [(n, n) for n in NAMES]
    with pytest.raises(GnomonError, match="neither tied nor rst_n"):
        cells_of(design("tiny", odd, ports, SIGNALS), cells, read_liberty(cells))
