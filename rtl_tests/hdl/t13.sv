// The machine: core, vector unit, and one data port for both. The core keeps them from using it
// at the same time.
module t13 #(
    parameter int HARTS = 3,          // 2 to 8
    parameter int SIMD = 1,           // words per cycle of the vector unit: 1, 2, 4, 8; 0: none
    parameter SHARING = "shared",     // shared, replicated, multithreaded
    parameter int SPM_COUNT = 4,
    parameter int SPM_BYTES = 4096,
    parameter logic [31:0] SPM_BASE = 32'h1000_0000,
    parameter bit SCALED = 0,            // post-scaled products
    parameter int POSTSCALE = 15,        // their shift; -1: MPSCLFAC
    parameter LANE_DIVIDER = "none",     // of the vector unit: a KIND of divider, for divisions
    parameter bit DIVIDE_ZERO_RISCV = 0,
    parameter DIVIDER = "restoring_r2",  // of the core: a KIND of divider
    parameter logic [31:0] RESET_PC = 32'h0000_0080,
    parameter logic [19:0] CORE_QUIRKS = 20'hfffff,  // bits: t13_pkg
    parameter logic [9:0] VCU_QUIRKS = 10'h3ff,
    localparam int HART_BITS = $clog2(HARTS)
) (
    input  logic                 clk,
    input  logic                 rst_n,
    input  logic                 superscalar,
    input  logic                 count_all,
    output logic                 instr_req,
    input  logic                 instr_gnt,
    output logic [         31:0] instr_addr,
    input  logic                 instr_rvalid,
    input  logic [         31:0] instr_rdata,
    output logic                 data_req,
    input  logic                 data_gnt,
    output logic                 data_we,
    output logic [          3:0] data_be,
    output logic [         31:0] data_addr,
    output logic [         31:0] data_wdata,
    input  logic                 data_rvalid,
    input  logic [         31:0] data_rdata,
    input  logic                 data_err,
    output logic                 issue,
    output logic [HART_BITS-1:0] issue_hart,
    output logic [         31:0] issue_pc,
    output logic [         31:0] issue_word
);
  localparam bit HAS_VCU = SIMD != 0;
  localparam int ACCELERATORS = SHARING == "shared" ? 1 : HARTS;
  localparam int SIZE_BITS = $clog2(SPM_BYTES) + 1;

  logic core_req, core_we, core_gnt;
  logic [3:0] core_be;
  logic [31:0] core_addr, core_wdata;
  logic vcu_issue, vcu_transfer, vcu_trap, transfer_busy;
  logic [31:0] rd_value, rs1_value, rs2_value;
`ifdef GNOMON_UNITS
  logic [31:0] rs3_value;
`endif
  logic [SIZE_BITS-1:0] mvsize;
  logic [1:0] mvtype, mvtype_of_hart0;
  logic [4:0] mpsclfac;
  logic [8:0] vcu_cause;
  logic [ACCELERATORS-1:0] vector_busy;

  t13_core #(
      .HARTS(HARTS),
      .HAS_VCU(HAS_VCU),
      .ACCELERATORS(ACCELERATORS),
      .SIZE_BITS(SIZE_BITS),
      .DIVIDER(DIVIDER),
      .RESET_PC(RESET_PC),
      .QUIRKS(CORE_QUIRKS)
  ) core (
      .clk,
      .rst_n,
      .superscalar,
      .count_all,
      .instr_req,
      .instr_gnt,
      .instr_addr,
      .instr_rvalid,
      .instr_rdata,
      .data_req(core_req),
      .data_gnt(core_gnt),
      .data_we(core_we),
      .data_be(core_be),
      .data_addr(core_addr),
      .data_wdata(core_wdata),
      .data_rvalid,
      .data_rdata,
      .data_err,
      .issue,
      .issue_hart,
      .issue_pc,
      .issue_word,
      .vcu_issue,
      .vcu_transfer,
      .rd_value,
      .rs1_value,
      .rs2_value,
`ifdef GNOMON_UNITS
      .rs3_value,
`endif
      .mvsize,
      .mvtype,
      .mpsclfac,
      .mvtype_of_hart0,
      .vcu_trap,
      .vcu_cause,
      .vector_busy,
      .transfer_busy
  );

  generate
    if (HAS_VCU) begin : g_vcu
      // Without the quirk of a scalar beside its vector, and for the scalars of extensions, which do
      // not have it, scratchpads have a port more.
      localparam bit SECOND_PORT = !VCU_QUIRKS[t13_pkg::SCALAR_BESIDE_VECTOR] || SCALED ||
                                   LANE_DIVIDER != "none";
      localparam int UNIT_HART_BITS = ACCELERATORS > 1 ? HART_BITS : 1;
      logic [UNIT_HART_BITS-1:0] unit_hart;
      assign unit_hart = UNIT_HART_BITS'(issue_hart);
`ifdef GNOMON_UNITS
      // Instructions of units have codes that are funct7 of no other vector instruction.
      localparam logic [127:0] OWN = t13_units_pkg::OWN;
      localparam logic [127:0] IMMEDIATE = t13_units_pkg::IMMEDIATE;
      logic vector;
      logic [6:0] own_code, vcu_code;
      logic [31:0] vcu_third;
      t13_units_decode own (
          .word(issue_word),
          .unit(),
          .reads_rs3(),
          .vector,
          .code(own_code)
      );
      assign vcu_code = vector ? own_code :
                        OWN[issue_word[31:25]] ? t13_units_pkg::NO_CODE :
                        issue_word[31:25];
      assign vcu_third = IMMEDIATE[vcu_code] ?
                         {{20{issue_word[31]}}, issue_word[31:20]} : rs3_value;
`endif
      logic vcu_req, vcu_we;
      logic [31:0] vcu_addr, vcu_wdata;
      vcu #(
          .SIMD(SIMD),
          .ACCELERATORS(ACCELERATORS),
          .MULTITHREADED(SHARING == "multithreaded"),
          .SPM_COUNT(SPM_COUNT),
          .SPM_BYTES(SPM_BYTES),
          .SPM_BASE(SPM_BASE),
          .DIVIDER(LANE_DIVIDER),
          .DIVIDE_ZERO_RISCV(DIVIDE_ZERO_RISCV),
          .SCALED(SCALED),
          .POSTSCALE(POSTSCALE),
          .QUIRKS(VCU_QUIRKS),
          .SECOND_PORT(SECOND_PORT)
      ) unit (
          .clk,
          .rst_n,
          .issue(vcu_issue),
          .transfer(vcu_transfer),
`ifdef GNOMON_UNITS
          .funct7(vcu_code),
          .third(vcu_third),
`else
          .funct7(issue_word[31:25]),
`endif
          .hart(unit_hart),
          .rd_value,
          .rs1_value,
          .rs2_value,
          .mvsize,
          .mvtype,
          .mpsclfac,
          .mvtype_of_hart0,
          .trap(vcu_trap),
          .cause(vcu_cause),
          .vector_busy,
          .transfer_busy,
          .bus_request(vcu_req),
          .bus_grant(data_gnt),
          .bus_write(vcu_we),
          .bus_address(vcu_addr),
          .bus_write_data(vcu_wdata),
          .bus_valid(data_rvalid),
          .bus_read_data(data_rdata)
      );
      assign data_req = core_req || vcu_req;
      assign data_we = vcu_req ? vcu_we : core_we;
      assign data_be = vcu_req ? 4'hf : core_be;
      assign data_addr = vcu_req ? vcu_addr : core_addr;
      assign data_wdata = vcu_req ? vcu_wdata : core_wdata;
      assign core_gnt = data_gnt && !vcu_req;
    end else begin : g_no_vcu
      assign {vcu_trap, vcu_cause, vector_busy, transfer_busy} = '0;
      assign data_req = core_req;
      assign data_we = core_we;
      assign data_be = core_be;
      assign data_addr = core_addr;
      assign data_wdata = core_wdata;
      assign core_gnt = data_gnt;
    end
  endgenerate
endmodule
