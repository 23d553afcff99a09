// CVE2 with its extension port, and with what an instruction writes.
module cve2_seen
  import cve2_pkg::*;
(
    input  logic          clk_i, rst_ni,
    output logic          instr_req_o,
    input  logic          instr_gnt_i, instr_rvalid_i,
    output logic [31:0]   instr_addr_o,
    input  logic [31:0]   instr_rdata_i,
    output logic          data_req_o,
    input  logic          data_gnt_i, data_rvalid_i,
    output logic          data_we_o,
    output logic [3:0]    data_be_o,
    output logic [31:0]   data_addr_o, data_wdata_o,
    input  logic [31:0]   data_rdata_i,
    output logic          x_issue_valid_o,
    input  logic          x_issue_ready_i,
    output x_issue_req_t  x_issue_req_o,
    input  x_issue_resp_t x_issue_resp_i,
    output x_register_t   x_register_o,
    input  logic          x_result_valid_i,
    output logic          x_result_ready_o,
    input  x_result_t     x_result_i
);
  cve2_core #(.XInterface(1'b1)) core (
      .clk_i, .rst_ni, .test_en_i(1'b0), .hart_id_i(32'd0), .boot_addr_i(32'h80),
      .instr_req_o, .instr_gnt_i, .instr_rvalid_i, .instr_addr_o, .instr_rdata_i,
      .instr_err_i(1'b0), .data_req_o, .data_gnt_i, .data_rvalid_i, .data_we_o, .data_be_o,
      .data_addr_o, .data_wdata_o, .data_rdata_i, .data_err_i(1'b0),
      .x_issue_valid_o, .x_issue_ready_i, .x_issue_req_o, .x_issue_resp_i, .x_register_o,
      .x_commit_valid_o(), .x_commit_o(), .x_result_valid_i, .x_result_ready_o, .x_result_i,
      .irq_software_i(1'b0), .irq_timer_i(1'b0), .irq_external_i(1'b0), .irq_fast_i(16'd0),
      .irq_nm_i(1'b0), .irq_pending_o(), .debug_req_i(1'b0), .debug_halted_o(),
      .dm_halt_addr_i(32'd0), .dm_exception_addr_i(32'd0), .crash_dump_o(),
      .fetch_enable_i(1'b1), .core_busy_o()
  );
  wire [4:0] seen_rd = core.rf_we_wb || core.rf_we_lsu ? core.rf_waddr_wb : 5'd0;
  wire [31:0] seen_value = core.rf_we_wb ? core.rf_wdata_wb : core.rf_wdata_lsu;
endmodule
