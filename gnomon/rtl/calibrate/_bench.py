"""The bench of a core: a memory with wait states, and a line for each instruction that retires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.rtl.calibrate._core import usual_ports

if TYPE_CHECKING:
    from gnomon.rtl.calibrate._core import CoreFile

_PICO = """
 wire mem_valid, mem_instr; wire [31:0] mem_addr, mem_wdata; wire [3:0] mem_wstrb;
 wire mem_ready = mem_valid && count >= (mem_instr ? instruction_waits : data_waits);
 wire [31:0] mem_rdata = memory[place(mem_addr)];
 integer count = 0;
 always @(posedge clock) begin
  count <= mem_valid && !mem_ready ? count + 1 : 0;
  if (mem_ready && mem_wstrb != 0) store(mem_addr, mem_wdata, mem_wstrb);
 end
"""
_WISHBONE = """
 wire ibus_cyc, dbus_cyc, dbus_we; wire [31:0] ibus_adr, dbus_adr, dbus_dat; wire [3:0] dbus_sel;
 reg ibus_ack = 0, dbus_ack = 0; reg [31:0] ibus_rdt = 0, dbus_rdt = 0;
 integer icount = 0, dcount = 0;
 always @(posedge clock) begin
  ibus_ack <= ibus_cyc && !ibus_ack && icount >= instruction_waits;
  icount <= ibus_cyc && !ibus_ack && icount < instruction_waits ? icount + 1 : 0;
  ibus_rdt <= memory[place(ibus_adr)];
  dbus_ack <= dbus_cyc && !dbus_ack && dcount >= data_waits;
  dcount <= dbus_cyc && !dbus_ack && dcount < data_waits ? dcount + 1 : 0;
  dbus_rdt <= memory[place(dbus_adr)];
  if (dbus_ack && dbus_cyc && dbus_we) store(dbus_adr, dbus_dat, dbus_sel);
 end
"""
_BENCH = """`timescale 1ns/1ps
module gnomon_core_bench;
 reg clock = 0, held = 1; integer log, cycle = 0, idle = 0, instruction_waits, data_waits;
 integer data_place;
 reg [8*512:1] image, written;
 reg [31:0] memory [0:131071];
 function [16:0] place(input [31:0] address);
  place = {{address[20], address[17:2]}};
 endfunction
 task finish; begin $fclose(log); $finish; end endtask
 task store(input [31:0] address, input [31:0] value, input [3:0] enables);
  integer lane;
  if (address[31:12] == 20'h1A10F) finish;
  else for (lane = 0; lane < 4; lane = lane + 1)
   if (enables[lane]) memory[place(address)][8*lane +: 8] <= value[8*lane +: 8];
 endtask
{bus}
 {top} {parameters} dut ({connections});
 always #5 clock = ~clock;
 initial begin
  if (!$value$plusargs("iwaits=%d", instruction_waits)) instruction_waits = 0;
  if (!$value$plusargs("dwaits=%d", data_waits)) data_waits = 0;
  if (!$value$plusargs("image=%s", image) || !$value$plusargs("log=%s", written)) $finish;
  for (data_place = 0; data_place < 131072; data_place = data_place + 1) memory[data_place] = 0;
  $readmemh(image, memory); log = $fopen(written, "w");
  repeat (8) @(posedge clock);
  held <= 0;
 end
 always @(posedge clock) begin
  cycle <= cycle + 1; idle <= idle + 1;
  if (!held && dut.{valid} === 1'b1) begin
   $fwrite(log, "%0d %h\\n", cycle, dut.{pc}); idle <= 0;
  end
  if (idle > 4096) finish;
 end
endmodule
"""


def bench_text(core: CoreFile) -> str:
    """The bench of a core, in Verilog; it ends at a store to the exit, or when nothing retires."""
    ports = {core.clock: "clock", core.reset.signal: "~" * (core.reset.active == "low") + "held"}
    ports |= {core.ports.get(name, name): name for name in usual_ports(core.bus)}
    ports |= {name: str(value) for name, value in core.inputs.items()}
    parameters = ", ".join(f".{name}({value})" for name, value in core.parameters.items())
    return _BENCH.format(
        bus=_PICO if core.bus == "pico" else _WISHBONE, top=core.top,
        parameters=f"#({parameters})" if parameters else "",
        connections=", ".join(f".{name}({value})" for name, value in ports.items()),
        valid=core.retire.valid, pc=core.retire.pc,
    )  # fmt: skip
