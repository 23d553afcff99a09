// The vector unit: accelerators, one transfer engine for all, and the checks of an instruction.
//
// The core issues one instruction at a time. It sends no vector instruction to a busy accelerator,
// no transfer while one is in flight or the accelerator it belongs to is busy, and no kbcastld
// while any accelerator is busy.
module vcu #(
    parameter int SIMD = 1,          // words per cycle: 1, 2, 4, 8
    parameter int ACCELERATORS = 1,  // 1: shared by all harts; else one for each hart
    parameter int SPM_COUNT = 4,
    parameter int SPM_BYTES = 4096,  // a power of two, at least 16 * SIMD
    parameter logic [31:0] SPM_BASE = 32'h1000_0000,
    localparam int SIZE_BITS = $clog2(SPM_BYTES) + 1,
    localparam int HART_BITS = ACCELERATORS > 1 ? $clog2(ACCELERATORS) : 1
) (
    input  logic                    clk,
    input  logic                    rst_n,
    // An instruction in its issue cycle, with the settings of its hart.
    input  logic                    issue,
    input  logic                    transfer,     // opcode KMEM, else KDSP
    input  logic [             6:0] funct7,
    input  logic [   HART_BITS-1:0] hart,         // counts with several accelerators only
    input  logic [            31:0] rd_value,
    input  logic [            31:0] rs1_value,
    input  logic [            31:0] rs2_value,
    input  logic [   SIZE_BITS-1:0] mvsize,
    input  logic [             1:0] mvtype,
    input  logic [             4:0] mpsclfac,
    // In the issue cycle: it is refused, and why.
    output logic                    trap,
    output logic [             8:0] cause,
    output logic [ACCELERATORS-1:0] vector_busy,
    output logic                    transfer_busy,
    // Data bus of the transfer engine; requests are granted at once.
    output logic                    bus_request,
    output logic                    bus_write,
    output logic [            31:0] bus_address,
    output logic [            31:0] bus_write_data,
    input  logic [            31:0] bus_read_data  // one cycle behind the request
);
  localparam int WORD_BITS = $clog2(SPM_BYTES) - 2;
  localparam int PAD_BITS = SPM_COUNT > 1 ? $clog2(SPM_COUNT) : 1;

  logic start_vector, start_transfer;
  logic [PAD_BITS-1:0] rd_pad, rs1_pad, rs2_pad;
  logic [WORD_BITS-1:0] rd_word, rs1_word, rs2_word;
  vcu_check #(
      .SPM_COUNT(SPM_COUNT),
      .SPM_BYTES(SPM_BYTES),
      .SPM_BASE(SPM_BASE),
      .PAD_BITS(PAD_BITS),
      .WORD_BITS(WORD_BITS)
  ) check (
      .issue,
      .transfer,
      .funct7,
      .rd_value,
      .rs1_value,
      .rs2_value,
      .mvsize,
      .mvtype,
      .start_vector,
      .start_transfer,
      .trap,
      .cause,
      .rd_pad,
      .rs1_pad,
      .rs2_pad,
      .rd_word,
      .rs1_word,
      .rs2_word
  );

  // A transfer belongs to its hart's accelerator; kbcastld writes into all of them.
  logic everywhere, is_store, is_everywhere, in_flight, t_read, t_write;
  logic [HART_BITS-1:0] owner, held_owner;
  logic [PAD_BITS-1:0] t_pad;
  logic [WORD_BITS-1:0] t_word;
  logic [32*ACCELERATORS-1:0] t_read_data;
  assign is_store = funct7 == vcu_pkg::KMEMSTR;
  assign is_everywhere = funct7 == vcu_pkg::KBCASTLD;
  always_ff @(posedge clk) begin
    if (start_transfer && !in_flight) begin
      held_owner <= ACCELERATORS > 1 ? hart : '0;
      everywhere <= is_everywhere;
    end
  end
  assign owner = in_flight ? held_owner : ACCELERATORS > 1 ? hart : '0;
  vcu_transfer #(
      .PAD_BITS(PAD_BITS),
      .WORD_BITS(WORD_BITS)
  ) engine (
      .clk,
      .rst_n,
      .start(start_transfer),
      .new_store(is_store),
      .new_address(is_store ? rd_value : rs1_value),
      .new_bytes(rs2_value[SIZE_BITS-1:0]),
      .new_pad(is_store ? rs1_pad : rd_pad),
      .new_word(is_store ? rs1_word : rd_word),
      .busy(transfer_busy),
      .in_flight,
      .t_read,
      .t_write,
      .t_pad,
      .t_word,
      .bus_request,
      .bus_write,
      .bus_address
  );
  assign bus_write_data = t_read_data[32*held_owner+:32];

  genvar i;
  generate
    for (i = 0; i < ACCELERATORS; i++) begin : g_accelerator
      logic mine, touched;
      assign mine = ACCELERATORS == 1 || hart == HART_BITS'(i);
      assign touched = owner == HART_BITS'(i) || (in_flight && everywhere);
      vcu_accelerator #(
          .SIMD(SIMD),
          .SPM_COUNT(SPM_COUNT),
          .SPM_BYTES(SPM_BYTES),
          .PAD_BITS(PAD_BITS),
          .WORD_BITS(WORD_BITS)
      ) accelerator (
          .clk,
          .rst_n,
          .start(start_vector && mine),
          .new_op(funct7),
          .new_width(mvtype),
          .new_bytes(mvsize),
          .new_scale(mpsclfac),
          .new_scalar(funct7 == vcu_pkg::KBCAST ? rs1_value : rs2_value),
          .new_a_pad(rs1_pad),
          .new_b_pad(rs2_pad),
          .new_d_pad(rd_pad),
          .new_a_word(rs1_word),
          .new_b_word(rs2_word),
          .new_d_word(rd_word),
          .busy(vector_busy[i]),
          .t_busy(in_flight && touched),
          .t_read(t_read && touched),
          .t_write(t_write && touched),
          .t_pad,
          .t_word,
          .t_write_data(bus_read_data),
          .t_read_data(t_read_data[32*i+:32])
      );
    end
  endgenerate
endmodule
