// The core: harts in strict rotation through fetch, decode and execute. An instruction leaves
// decode when the one before it leaves execute and the units that it needs rest; a vector
// instruction does not wait for its unit but becomes a jump to itself, tried again in the next turn
// of its hart.
module t13_core #(
    parameter int HARTS = 3,
    parameter bit HAS_VCU = 1,
    parameter int ACCELERATORS = 1,  // 1, or one for each hart
    parameter int SIZE_BITS = 13,    // of a vector's length in bytes
    parameter DIVIDER = "restoring_r2",
    parameter logic [31:0] RESET_PC = 32'h0000_0080,
    parameter logic [19:0] QUIRKS = 20'hfffff,
    localparam int HART_BITS = $clog2(HARTS)
) (
    input  logic                    clk,
    input  logic                    rst_n,
    // Modes; constant.
    input  logic                    superscalar,    // units of different kinds work side by side
    input  logic                    count_all,
    // Instruction port. Granted in the cycle of the request or later, answered behind that.
    output logic                    instr_req,
    input  logic                    instr_gnt,
    output logic [            31:0] instr_addr,
    input  logic                    instr_rvalid,
    input  logic [            31:0] instr_rdata,
    // Data port, the same; an error comes with the grant.
    output logic                    data_req,
    input  logic                    data_gnt,
    output logic                    data_we,
    output logic [             3:0] data_be,
    output logic [            31:0] data_addr,
    output logic [            31:0] data_wdata,
    input  logic                    data_rvalid,
    input  logic [            31:0] data_rdata,
    input  logic                    data_err,
    // What enters execute.
    output logic                    issue,
    output logic [   HART_BITS-1:0] issue_hart,
    output logic [            31:0] issue_pc,
    output logic [            31:0] issue_word,
    // Vector unit: an instruction in its issue cycle, and who works.
    output logic                    vcu_issue,
    output logic                    vcu_transfer,
    output logic [            31:0] rd_value,
    output logic [            31:0] rs1_value,
    output logic [            31:0] rs2_value,
`ifdef GNOMON_UNITS
    output logic [            31:0] rs3_value,
`endif
    output logic [   SIZE_BITS-1:0] mvsize,
    output logic [             1:0] mvtype,
    output logic [             4:0] mpsclfac,
    output logic [             1:0] mvtype_of_hart0,
    input  logic                    vcu_trap,
    input  logic [             8:0] vcu_cause,
    input  logic [ACCELERATORS-1:0] vector_busy,
    input  logic                    transfer_busy
);
  logic d_valid, d_leaves, stalls, retries;
`ifdef GNOMON_UNITS
  logic vector;  // an instruction of a unit that the vector unit executes
`endif
  logic [HART_BITS-1:0] d_hart;
  logic [31:0] d_pc, d_word;
  logic done, jumps, write;
  logic [31:0] next_pc, write_value;
  logic [4:0] write_register;

  t13_fetch #(
      .HARTS(HARTS),
      .HART_BITS(HART_BITS),
      .RESET_PC(RESET_PC),
      .QUIRKS(QUIRKS)
  ) fetch (
      .clk,
      .rst_n,
      .instr_req,
      .instr_gnt,
      .instr_addr,
      .instr_rvalid,
      .instr_rdata,
      .d_valid,
      .d_hart,
      .d_pc,
      .d_word,
      .d_leaves,
      .done,
      .done_hart(issue_hart),
      .done_pc(issue_pc),
      .done_jumps(jumps),
      .next_pc,
      .store(data_req && data_gnt && data_we),
      .store_address(data_addr),
      .store_enables(data_be),
      .store_data(data_wdata)
  );

  // Decode: which units the instruction needs.
  logic [6:0] opcode;
  logic for_lsu, for_both, own_busy, holds, stores, lsu_busy;
  assign opcode = d_word[6:0];
  assign for_both = opcode == t13_pkg::AMO || opcode == t13_pkg::KMEM;
  assign for_lsu = for_both || opcode == t13_pkg::LOAD || opcode == t13_pkg::STORE;
  generate
    if (ACCELERATORS == 1) begin : g_shared
      assign own_busy = HAS_VCU && vector_busy[0];
    end else begin : g_one_each
      assign own_busy = HAS_VCU && vector_busy[d_hart];
    end
  endgenerate
  assign lsu_busy = stores || transfer_busy;
  assign stalls = holds || (superscalar ? (for_lsu && lsu_busy) || (for_both && own_busy)
                                        : lsu_busy || (HAS_VCU && vector_busy != 0));
  assign d_leaves = d_valid && !stalls;
`ifdef GNOMON_UNITS
  assign retries = HAS_VCU && (opcode == t13_pkg::KDSP || vector) && own_busy;
`else
  assign retries = HAS_VCU && opcode == t13_pkg::KDSP && own_busy;
`endif

`ifdef GNOMON_UNITS
  logic reads_rs3;
  logic [31:0] rs3;
  t13_units_decode third (
      .word(d_word),
      .unit(),
      .reads_rs3,
      .vector,
      .code()
  );
`endif
  logic [31:0] rs1, rs2, rd;
  t13_registers #(
      .HARTS(HARTS),
      .HART_BITS(HART_BITS)
  ) registers (
      .clk,
      .hart(d_hart),
      .rs1(d_word[19:15]),
      .rs2(d_word[24:20]),
`ifdef GNOMON_UNITS
      .rd(reads_rs3 ? d_word[31:27] : d_word[11:7]),
      .rs3(d_word[31:27]),
      .rs3_value(rs3),
`else
      .rd(d_word[11:7]),
`endif
      .rs1_value(rs1),
      .rs2_value(rs2),
      .rd_value(rd),
      .write,
      .write_hart(issue_hart),
      .write_register,
      .write_value
  );

  t13_execute #(
      .HARTS(HARTS),
      .HART_BITS(HART_BITS),
      .HAS_VCU(HAS_VCU),
      .SIZE_BITS(SIZE_BITS),
      .DIVIDER(DIVIDER),
      .QUIRKS(QUIRKS)
  ) execute (
      .clk,
      .rst_n,
      .count_all,
      .enters(d_leaves),
      .d_hart,
      .d_pc,
      .d_word(retries ? t13_pkg::JUMP_TO_ITSELF : d_word),
      .rs1_value(rs1),
      .rs2_value(rs2),
      .rd_value(rd),
`ifdef GNOMON_UNITS
      .rs3_value(rs3),
      .rs3(rs3_value),
`endif
      .issue,
      .hart(issue_hart),
      .pc(issue_pc),
      .word(issue_word),
      .holds,
      .stores,
      .done,
      .jumps,
      .next_pc,
      .write,
      .write_register,
      .write_value,
      .data_req,
      .data_gnt,
      .data_we,
      .data_be,
      .data_addr,
      .data_wdata,
      .data_rvalid,
      .data_rdata,
      .data_err,
      .vcu_issue,
      .vcu_transfer,
      .rs1(rs1_value),
      .rs2(rs2_value),
      .rd(rd_value),
      .mvsize,
      .mvtype,
      .mpsclfac,
      .mvtype_of_hart0,
      .vcu_trap,
      .vcu_cause
  );
endmodule
