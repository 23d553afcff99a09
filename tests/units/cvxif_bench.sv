`timescale 1ns / 1ps
// The types of the port, as small as the module needs them.
package cve2_pkg;
  typedef logic [3:0] id_t;
  typedef struct packed {
    logic [31:0] instr, hartid;
    id_t id;
  } x_issue_req_t;
  typedef struct packed {
    logic accept;
    logic writeback;
    logic [2:0] register_read;
  } x_issue_resp_t;
  typedef struct packed {
    logic [2:0][31:0] rs;
    logic [2:0] rs_valid;
  } x_register_t;
  typedef struct packed {
    logic [31:0] hartid;
    id_t id;
    logic [31:0] data;
    logic [4:0] rd;
    logic we;
  } x_result_t;
endpackage

// A core at CV-X-IF: word and operands are valid in the cycle of issue only. Each row prints: its
// number, accept, cycles from issue to result, write, rd, value, and whether the id is that of the
// issue. A word that is not accepted gets no result within 8 cycles.
module cvxif_bench;
  import cve2_pkg::*;
  localparam int ROWS = 400;
  logic clk = 0, resetn = 0, valid = 0, ready, done, accepts;
  x_issue_req_t req;
  x_issue_resp_t resp;
  x_register_t regs;
  x_result_t result;
  logic [159:0] rows[0:ROWS-1];
  logic [159:0] row;
  int cycles;
  always #5 clk = !clk;
  gnomon_cvxif_units dut (
      .clk(clk), .resetn(resetn), .x_issue_valid_o(valid), .x_issue_ready_i(ready),
      .x_issue_req_o(req), .x_issue_resp_i(resp), .x_register_o(regs), .x_result_valid_i(done),
      .x_result_ready_o(1'b1), .x_result_i(result)
  );
  initial begin
    $readmemh("rows.hex", rows);
    repeat (3) @(negedge clk);
    resetn = 1;
    for (int k = 0; k < ROWS; k++) begin
      row = rows[k];
      repeat (row[7:0]) @(negedge clk);
      req = {row[159:128], 32'd0, k[3:0]};
      regs = {row[63:32], row[95:64], row[127:96], 3'b111};
      valid = 1;
      cycles = 1;
      #1 accepts = ready && resp.accept;
      @(negedge clk);
      valid = 0;
      req = 'x;
      regs = 'x;
      #1 cycles = 2;
      while (done !== 1 && cycles < (accepts ? 100 : 8)) begin
        @(negedge clk);
        #1 cycles = cycles + 1;
      end
      $display("%0d %b %0d %b %0d %h %b", k, accepts, cycles, result.we, result.rd, result.data,
               done && result.id == k[3:0]);
    end
    $finish;
  end
endmodule
