"""Messages of a wrong core.yaml."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from gnomon.base.errors import GnomonError
from gnomon.calibrate._core import CoreFile, buses, name_inside
from gnomon.calibrate.calibration import Calibration
from tests.rtl.conftest import need_icarus

_PAGE = Path(__file__).parents[2] / "docs" / "guide" / "core-bus.md"
_FILE = """schema: 1
name: mine
source: of the test
sources: [core.v]
top: mine
clock: clk
reset: {signal: resetn, active: low}
bus: pico
isa: rv32i
reset-pc: 0
"""
_ERRORS = {
    ("bus: pico", "bus: axi"): (
        "core.yaml:8: bus: must not be 'axi' (allowed: ahb-lite, ahb-lite-1port, obi, pico, "
        "wishbone, or a user-defined adapter: a file that ends in .v)"
    ),
    ("bus: pico", "bus: mine.v"): "core.yaml:8: bus: mine.v: no such file",
    ("bus: pico", "bus: core.v"): "core.yaml:8: bus: core.v: needs a line '// ports: NAME ...'",
    ("sources: [core.v]", "sources: []"): "core.yaml:4: sources: must not be empty",
    (
        "sources: [core.v]",
        "sources: [core.v]\ninclude: [inc]",
    ): "core.yaml:5: include: inc: no such",
    ("[core.v]", "[cor.v]"): "core.yaml:4: sources: cor.v: no such file",
    ("[core.v]", "['*.sv', core.v]"): "core.yaml:4: sources: *.sv: no file matches",
    ("active: low", "active: no"): "core.yaml:7: reset.active: must not be 'no' (allowed: low, h",
    ("reset-pc: 0", "reset_pc: 0"): "core.yaml:10: reset_pc: unknown key",
    ("of the test", '"of the\\ntest"'): "core.yaml:3: source: must",
    (
        "isa: rv32i",
        "parameters: {M: 'a b'}\nisa: rv32i",
    ): "core.yaml:9: parameters.M: must not be 'a b' (",
    ("isa: rv32i", "retire: {valid: 'a # b'}\nisa: rv32i"): (
        "core.yaml:9: retire.valid: must not be '#' in 'a # b' (allowed: a name inside the top"
    ),
    ("isa: rv32i", "retire: {pc: '4 + 4'}\nisa: rv32i"): (
        "core.yaml:9: retire.pc: must not be '4 + 4', which names no signal"
    ),
    ("isa: rv32i", "ports: {mem_vald: v}\nisa: rv32i"): (
        "core.yaml:9: ports: mem_vald is not a port of the bus"
    ),
}
_SILENT = """module mine(input clk, input resetn, output mem_valid, output mem_instr,
 input mem_ready, output [31:0] mem_addr, output [31:0] mem_wdata, output [3:0] mem_wstrb,
 input [31:0] mem_rdata,
 output rvfi_valid, output [31:0] rvfi_pc_rdata);
 assign rvfi_valid = 0;
endmodule
"""
_LOOP = """reg b = 0, c = 0; always @(b or clk) c = ~b; always @(c or clk) b = c;
endmodule"""


def read_core(path: Path) -> object:
    """Read a ``core.yaml``, for those who may not import what does."""
    return CoreFile.read(path)


def _written(folder: Path, change: tuple[str, str] = ("", ""), core: str = _SILENT) -> Path:
    (folder / "core.v").write_text(core)
    (folder / "core.yaml").write_text(_FILE.replace(*change))
    return folder / "core.yaml"


@pytest.mark.parametrize("change", _ERRORS)
def test_one_wrong_key(tmp_path: Path, change: tuple[str, str]) -> None:
    path = _written(tmp_path, change)
    with pytest.raises(GnomonError) as caught:
        CoreFile.read(path)
    assert _ERRORS[change] in str(caught.value).replace(f"{tmp_path}/", "")


def test_a_pattern_names_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.v", "a.v", "first.v"):
        (tmp_path / name).write_text("")
    (tmp_path / "folder.v").mkdir()
    path = _written(
        tmp_path, ("[core.v]", f"[first.v, '{tmp_path}/?.v', '../{tmp_path.name}/*.v']")
    )
    found = [Path(each).name for each in CoreFile.read(path).sources]
    assert found == ["first.v", "a.v", "b.v", "core.v"]


def test_names_of_an_expression_are_taken_from_the_core() -> None:
    found = name_inside("u_ex.valid && !(s[2:1] == 12'h0_f1 | {4{up}})", "dut")
    assert found == "dut.u_ex.valid && !(dut.s[2:1] == 12'h0_f1 | {4{dut.up}})"


@pytest.mark.parametrize(
    ("core", "message"),
    [(_SILENT, "mine: no instruction retires"), ("module mine(;", "mine: does not compile"),
     (_SILENT.replace("endmodule", _LOOP), "mine: a program of 19 instructions does not end")],
)  # fmt: skip
def test_a_core_that_does_not_run(
    tmp_path: Path, core: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_icarus()
    if _LOOP in core:
        monkeypatch.setattr("gnomon.calibrate._device._FIRST_SECONDS", 2)
    file = _written(tmp_path, core=core)
    with pytest.raises(GnomonError, match=f"{message}.*try --simulator verilator"):
        Calibration.from_core(file, tmp_path / "build")


_STEEL = """module rvsteel_core(input clock, reset, halt, irq_external, irq_timer, irq_software,
 input [15:0] irq_fast, input [63:0] real_time_clock,
 input [31:0] read_data, input read_response, write_response,
 output [31:0] rw_address, write_data, output [3:0] write_strobe,
 output read_request, write_request);
 reg [31:0] program_counter = 0, instruction = 0;
 wire clock_enable = read_response, load_pending = 0, store_pending = 0, flush = 0;
 wire load_request = 0, store_request = 0, integer_file_write_request = 1;
 wire [4:0] instruction_rd_address = instruction[11:7];
 wire [31:0] writeback_multiplexer_output = read_data;
 assign rw_address = program_counter, read_request = !reset && program_counter < 64;
 assign write_request = 0, write_data = 0, write_strobe = 0;
 always @(posedge clock) if (clock_enable) begin
  program_counter <= program_counter + 4; instruction <= read_data;
 end
endmodule
"""
"""The ports of the core of the page, and nothing but addresses in order."""


@pytest.mark.parametrize("name", buses())
def test_the_page_has_the_ports_of_each_adapter(name: str, tmp_path: Path) -> None:
    path = _written(tmp_path, ("bus: pico", f"bus: {name}"))
    ports = " ".join(CoreFile.read(path).bus.ports)
    row = next(line for line in _PAGE.read_text().splitlines() if line.startswith(f"| `{name}` |"))
    assert row.endswith(f"| `{ports}` |")


def test_the_example_of_the_page_compiles_and_reads_memory(tmp_path: Path) -> None:
    need_icarus()
    blocks = re.findall(r"(?:^    .*\n)+", _PAGE.read_text(), re.MULTILINE)
    yaml, adapter = (next(each for each in blocks if each.lstrip().startswith(start))
                     for start in ("schema:", "// One port"))  # fmt: skip
    core = tmp_path / "riscv-steel" / "hardware" / "rvsteel_core.v"
    core.parent.mkdir(parents=True)
    core.write_text(_STEEL)
    (tmp_path / "steel.v").write_text(textwrap.dedent(adapter))
    (tmp_path / "core.yaml").write_text(textwrap.dedent(yaml))
    with pytest.raises(GnomonError, match="after 0x0  jal zero,0x184 it goes to 0x4, by the ISA"):
        Calibration.from_core(tmp_path / "core.yaml", tmp_path / "build")
