`timescale 1ns / 1ps
// A core at PCPI: a request with a held word and held operands until ready. Without an answer it
// gives up after 16 cycles. Each row prints: its number, cycles, ready, write, value, and whether
// wait was 1 in each cycle.
module pcpi_bench;
  localparam int ROWS = 400;
  logic clk = 0, resetn = 0, valid = 0, wr, waits, ready, waited;
  logic [31:0] insn = 'x, rs1 = 'x, rs2 = 'x, rd;
  logic [127:0] rows[0:ROWS-1];
  logic [127:0] row;
  int cycles;
  always #5 clk = !clk;
  gnomon_pcpi_units dut (
      .clk(clk), .resetn(resetn), .pcpi_valid(valid), .pcpi_insn(insn), .pcpi_rs1(rs1),
      .pcpi_rs2(rs2), .pcpi_wr(wr), .pcpi_rd(rd), .pcpi_wait(waits), .pcpi_ready(ready)
  );
  initial begin
    $readmemh("rows.hex", rows);
    repeat (3) @(negedge clk);
    resetn = 1;
    for (int k = 0; k < ROWS; k++) begin
      row = rows[k];
      repeat (row[7:0]) @(negedge clk);
      {insn, rs1, rs2} = row[127:32];
      valid = 1;
      cycles = 1;
      #1 waited = waits === 1;
      while (ready !== 1 && cycles < (waited ? 100 : 16)) begin
        @(negedge clk);
        #1 cycles = cycles + 1;
        waited = waited && waits === 1;
      end
      $display("%0d %0d %b %b %h %b", k, cycles, ready, wr, rd, waited);
      @(negedge clk);
      valid = 0;
      {insn, rs1, rs2} = 'x;
    end
    $finish;
  end
endmodule
