// Decodes one instruction, finds its scratchpads and makes the checks, all in its issue cycle.
// Order of the checks: that of the public core. An instruction of length 0 does nothing.
module vcu_check #(
    parameter int SPM_COUNT = 4,
    parameter int SPM_BYTES = 4096,
    parameter logic [31:0] SPM_BASE = 32'h1000_0000,
    parameter int PAD_BITS = 2,
    parameter int WORD_BITS = 10,
    parameter logic [127:0] KNOWN = vcu_pkg::PUBLIC,
    parameter logic [9:0] QUIRKS = '0
) (
    input  logic                 issue,
    input  logic                 transfer,      // opcode KMEM, else KDSP
    input  logic [          6:0] funct7,
    input  logic [         31:0] rd_value,
    input  logic [         31:0] rs1_value,
    input  logic [         31:0] rs2_value,
    input  logic [WORD_BITS+2:0] mvsize,
    input  logic [          1:0] mvtype,
    output logic                 start_vector,
    output logic                 start_transfer,
    output logic                 trap,
    output logic [          8:0] cause,
    output logic [ PAD_BITS-1:0] rd_pad,
    output logic [ PAD_BITS-1:0] rs1_pad,
    output logic [ PAD_BITS-1:0] rs2_pad,
    output logic [WORD_BITS-1:0] rd_word,
    output logic [WORD_BITS-1:0] rs1_word,
    output logic [WORD_BITS-1:0] rs2_word
);
  localparam int BYTE_BITS = WORD_BITS + 2;
  localparam logic [BYTE_BITS+1:0] SIZE = (BYTE_BITS + 2)'(SPM_BYTES);
  localparam logic [8:0] ILLEGAL = 9'h002;
  localparam logic [8:0] LOAD_MISALIGNED = 9'h004;
  localparam logic [8:0] STORE_MISALIGNED = 9'h006;
  localparam logic [8:0] LENGTH = 9'h100;
  localparam logic [8:0] NOT_A_SCRATCHPAD = 9'h101;
  localparam logic [8:0] OVERRUN = 9'h102;
  localparam logic [8:0] SAME_SCRATCHPAD = 9'h103;

`ifdef GNOMON_UNITS
  localparam logic [127:0] RS1_VECTOR = vcu_pkg::RS1_VECTOR | t13_units_pkg::OWN;
  localparam logic [127:0] RS2_VECTOR = vcu_pkg::RS2_VECTOR | t13_units_pkg::RS2_VECTOR;
  localparam logic [127:0] RD_WORD = vcu_pkg::RD_WORD | t13_units_pkg::RD_WORD;
`else
  localparam logic [127:0] RS1_VECTOR = vcu_pkg::RS1_VECTOR;
  localparam logic [127:0] RS2_VECTOR = vcu_pkg::RS2_VECTOR;
  localparam logic [127:0] RD_WORD = vcu_pkg::RD_WORD;
`endif

  // With the quirk the code of "none" is 4, whatever the number of scratchpads: it catches nothing
  // where that cannot be, and scratchpad 4 itself where it can.
  localparam bit FOUR = QUIRKS[t13_pkg::SPM_CHECK_FIXED_TO_FOUR];
  localparam bit BLIND = FOUR && (SPM_COUNT < 4 || SPM_COUNT == 8);
  function automatic logic in_pads(input logic [31:0] offset);
    in_pads = BLIND || (offset < SPM_COUNT * SPM_BYTES &&
                       !(FOUR && SPM_COUNT > 4 && offset[31:BYTE_BITS] == (32 - BYTE_BITS)'(4)));
  endfunction

  // Places of the three operands, as if each were a scratchpad address.
  logic [31:0] rd_offset, rs1_offset, rs2_offset;
  logic rd_inside, rs1_inside, rs2_inside;
  assign rd_offset = rd_value - SPM_BASE;
  assign rs1_offset = rs1_value - SPM_BASE;
  assign rs2_offset = rs2_value - SPM_BASE;
  assign rd_inside = in_pads(rd_offset);
  assign rs1_inside = in_pads(rs1_offset);
  assign rs2_inside = in_pads(rs2_offset);
  assign rd_pad = rd_offset[BYTE_BITS+:PAD_BITS];
  assign rs1_pad = rs1_offset[BYTE_BITS+:PAD_BITS];
  assign rs2_pad = rs2_offset[BYTE_BITS+:PAD_BITS];
  assign rd_word = rd_offset[2+:WORD_BITS];
  assign rs1_word = rs1_offset[2+:WORD_BITS];
  assign rs2_word = rs2_offset[2+:WORD_BITS];

  logic store;
  logic [BYTE_BITS:0] bytes;
  logic [BYTE_BITS+1:0] rd_end, rs1_end, rs2_end;
  assign store = funct7 == vcu_pkg::KMEMSTR;
  assign bytes = transfer ? rs2_value[BYTE_BITS:0] : mvsize;
  // Of a transfer that is longer than a scratchpad only the excess is looked at (quirk).
  logic [BYTE_BITS:0] checked;
  assign checked = transfer && QUIRKS[t13_pkg::LONG_TRANSFER_WRAPS] && {1'b0, bytes} > SIZE ?
                   bytes - (BYTE_BITS + 1)'(SPM_BYTES) : bytes;
  assign rd_end = {2'b0, rd_offset[BYTE_BITS-1:0]} + {1'b0, checked};
  assign rs1_end = {2'b0, rs1_offset[BYTE_BITS-1:0]} + {1'b0, checked};
  assign rs2_end = {2'b0, rs2_offset[BYTE_BITS-1:0]} + {1'b0, checked};

  always_comb begin
    cause = '0;
    if (transfer) begin
      if (funct7 > vcu_pkg::KBCASTLD) cause = ILLEGAL;
      else if (bytes == 0) cause = '0;
      else if (!(store ? rs1_inside : rd_inside)) cause = NOT_A_SCRATCHPAD;
      else if (store && rd_value[1:0] != 0) cause = STORE_MISALIGNED;
      else if (!store && rs1_value[1:0] != 0) cause = LOAD_MISALIGNED;
      else if ((store ? rs1_end : rd_end) > SIZE) cause = OVERRUN;
    end else begin
      if (!KNOWN[funct7]) cause = ILLEGAL;
      else if (bytes == 0) cause = '0;
      else if ((mvtype == 2'd2 && bytes[1:0] != 0) || (mvtype == 2'd1 && bytes[0])) cause = LENGTH;
      else if (!rd_inside || (RS1_VECTOR[funct7] && !rs1_inside) ||
               (RS2_VECTOR[funct7] && !rs2_inside)) cause = NOT_A_SCRATCHPAD;
      else if (RS2_VECTOR[funct7] && rs1_pad == rs2_pad) cause = SAME_SCRATCHPAD;
      else if ((RS1_VECTOR[funct7] && rs1_end > SIZE) ||
               (RS2_VECTOR[funct7] && rs2_end > SIZE) ||
               (!RD_WORD[funct7] && rd_end > SIZE)) cause = OVERRUN;
    end
    trap = issue && cause != 0;
    start_vector = issue && !transfer && cause == 0 && bytes != 0;
    start_transfer = issue && transfer && cause == 0 && bytes != 0;
  end
endmodule
