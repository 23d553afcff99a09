"""The bench of a core: a memory with wait states, and a line for each instruction that retires."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gnomon.rtl.calibrate._core import CoreFile

_BENCH = """`timescale 1ns/1ps
`default_nettype wire
module gnomon_core_bench;
 reg clock = 0, held = 1; integer log, cycle = 0, idle = 0, instruction_waits, data_waits, most;
 integer data_place;
 reg [8*512:1] image, written;
 reg [31:0] memory [0:131071];
 function [16:0] place(input [31:0] address);
  place = {{address[20], address[17:2]}};
 endfunction
 task finish; begin $fclose(log); $finish; end endtask
 task store(input [31:0] address, input [31:0] value, input [3:0] enables);
  integer lane;
  if (address == 32'h1A10FFF0) finish;
  else begin
   if (address[31:12] != 20'h1A10F) for (lane = 0; lane < 4; lane = lane + 1)
    if (enables[lane]) memory[place(address)][8*lane +: 8] <= value[8*lane +: 8];
   {on_store}
  end
 endtask
{bus}
 {top} {parameters} dut ({connections});
 always #5 clock = ~clock;
 initial begin
  if (!$value$plusargs("iwaits=%d", instruction_waits)) instruction_waits = 0;
  if (!$value$plusargs("dwaits=%d", data_waits)) data_waits = 0;
  if (!$value$plusargs("most=%d", most)) $finish;
  if (!$value$plusargs("image=%s", image) || !$value$plusargs("log=%s", written)) $finish;
  for (data_place = 0; data_place < 131072; data_place = data_place + 1) memory[data_place] = 0;
  $readmemh(image, memory); log = $fopen(written, "w");
  repeat (8) @(posedge clock);
  held <= 0;
 end
 always @(posedge clock) begin
  cycle <= cycle + 1; idle <= idle + 1;
  {on_retire}
  if (idle > 4096 || cycle > most) finish;
 end
endmodule
"""
_ON_STORE = '$fwrite(log, "%0d store\\n", cycle); idle <= 0;'
_ON_RETIRE = """if (!held && dut.{valid} === 1'b1) begin
   $fwrite(log, "%0d %h\\n", cycle, dut.{pc}); idle <= 0;
  end"""


def bench_text(core: CoreFile) -> str:
    """The bench of a core, in Verilog; it ends at a store to the exit, or when nothing happens."""
    ports = dict.fromkeys(core.clock, "clock")
    ports[core.reset.signal] = "~" * (core.reset.active == "low") + "held"
    ports |= {core.ports.get(name, name): name for name in core.bus.ports}
    ports |= {name: str(value) for name, value in core.inputs.items()}
    parameters = ", ".join(f".{name}({value})" for name, value in core.parameters.items())
    retire = core.retire
    return _BENCH.format(
        bus=core.bus.text, top=core.top, parameters=f"#({parameters})" if parameters else "",
        connections=", ".join(f".{name}({value})" for name, value in ports.items()),
        on_store=_ON_STORE if retire is None else "",
        on_retire=_ON_RETIRE.format(valid=retire.valid, pc=retire.pc) if retire else "",
    )  # fmt: skip
