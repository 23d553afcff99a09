// The functional units of the vector unit, one lane each, as far as area goes: what they compute
// and where they hold registers follows the public description of the T13x (two-stage adder, four
// 16 x 16 products per lane, one shift amount for all lanes). Ours, for synthesis estimates only:
// no handshake, no hart selection, not simulated against anything.

// Sum or difference of one 32-bit, two 16-bit or four 8-bit elements; upper half one cycle later.
module lane_adder (
    input  wire        clk,
    input  wire [31:0] a, b,
    input  wire        subtract,
    input  wire [2:0]  carry_pass,       // carry into bits 8, 16, 24
    output reg  [31:0] sum
);
  wire [31:0] second = b ^ {32{subtract}};
  reg  [15:0] a_upper, b_upper, lower;
  reg         carry_lower, subtract_held;
  reg  [1:0]  pass_held;
  wire [8:0]  s0 = a[7:0] + second[7:0] + subtract;
  wire [8:0]  s1 = a[15:8] + second[15:8] + (carry_pass[0] ? s0[8] : subtract);
  wire [8:0]  s2 = a_upper[7:0] + b_upper[7:0] + (pass_held[0] ? carry_lower : subtract_held);
  wire [8:0]  s3 = a_upper[15:8] + b_upper[15:8] + (pass_held[1] ? s2[8] : subtract_held);
  always @(posedge clk) begin
    a_upper <= a[31:16];
    b_upper <= second[31:16];
    lower <= {s1[7:0], s0[7:0]};
    carry_lower <= s1[8];
    subtract_held <= subtract;
    pass_held <= carry_pass[2:1];
    sum <= {s3[7:0], s2[7:0], lower};
  end
endmodule

// Four 16 x 16 products and their sum: 32 low bits, or two products of 16 bits.
module lane_multiplier (
    input  wire        clk,
    input  wire [31:0] a, b,
    input  wire        whole_word,
    output reg  [31:0] product
);
  reg [31:0] low, cross_1, cross_2, high;
  always @(posedge clk) begin
    low     <= a[15:0] * b[15:0];
    cross_1 <= whole_word ? a[31:16] * b[15:0] : 32'b0;
    cross_2 <= whole_word ? a[15:0] * b[31:16] : 32'b0;
    high    <= a[31:16] * b[31:16];
    product <= whole_word ? low + {cross_1[15:0] + cross_2[15:0], 16'b0} : {high[15:0], low[15:0]};
  end
endmodule

// The whole 64-bit product and a right shift by the post-scale, for kvmulps and its kin.
module lane_post_scale (
    input  wire        clk,
    input  wire [63:0] product,
    input  wire [4:0]  shift,
    output reg  [31:0] scaled
);
  always @(posedge clk) scaled <= $signed(product) >>> shift;
endmodule

// Right shift of the word, then masks and sign bits for 16- and 8-bit elements.
module lane_shifter (
    input  wire        clk,
    input  wire [31:0] a,
    input  wire [4:0]  amount,
    input  wire [31:0] keep,             // mask, common to all lanes
    input  wire        arithmetic,
    input  wire [1:0]  width,            // 0: 8, 1: 16, 2: 32 bits
    output reg  [31:0] result
);
  reg  [31:0] shifted, held;
  integer i;
  always @(posedge clk) begin
    held <= a;
    shifted <= width == 2 ? (arithmetic ? $signed(a) >>> amount : a >> amount) : a >> amount;
    for (i = 0; i < 32; i = i + 1)
      result[i] <= width == 2 ? shifted[i]
                 : keep[i] ? shifted[i]
                 : arithmetic & (width == 1 ? held[i | 15] : held[i | 7]);
  end
endmodule

// max(a, 0) per element, and a < b from the sign bits and the difference of the adder.
module lane_comparator (
    input  wire        clk,
    input  wire [31:0] a, difference,
    input  wire [3:0]  sign_a, sign_b,
    input  wire [1:0]  width,
    input  wire        rectify,
    output reg  [31:0] result
);
  wire [3:0] less;
  genvar g;
  generate
    for (g = 0; g < 4; g = g + 1) begin : element
      assign less[g] = sign_a[g] != sign_b[g] ? sign_a[g] : difference[8 * g + 7];
      always @(posedge clk)
        result[8 * g +: 8] <=
            rectify ? ((width == 0 ? a[8 * g + 7] : width == 1 ? a[(g | 1) * 8 + 7] : a[31])
                       ? 8'b0 : a[8 * g +: 8])
            : width == 0 ? {7'b0, less[g]}
            : width == 1 ? (g % 2 == 0 ? {7'b0, less[g + 1 - g % 2]} : 8'b0)
            : (g == 0 ? {7'b0, less[3]} : 8'b0);
    end
  endgenerate
endmodule

// Sum of all lanes, then the running sum; 32-bit elements, or 16-bit ones modulo 2^16.
module accumulator #(parameter SIMD = 4) (
    input  wire               clk,
    input  wire               clear,
    input  wire               whole_word,
    input  wire [32*SIMD-1:0] lanes,
    output reg  [31:0]        total
);
  reg [31:0] words;
  reg [15:0] halves;
  reg [31:0] partial;
  integer i;
  always @* begin
    words = 0;
    halves = 0;
    for (i = 0; i < SIMD; i = i + 1) begin
      words = words + lanes[32 * i +: 32];
      halves = halves + lanes[32 * i +: 16] + lanes[32 * i + 16 +: 16];
    end
  end
  always @(posedge clk) begin
    partial <= whole_word ? words : {16'b0, halves};
    total <= clear ? 32'b0 : total + partial;
  end
endmodule

// Two read ports and a write port of SIMD words over COUNT scratchpads of SIMD banks: rotation by
// the first word of an operand, the choice of the scratchpad, and the row of each bank.
module scratchpad_interface #(parameter SIMD = 4, COUNT = 4, ROWS_BITS = 8, LANE_BITS = 2) (
    input  wire                          clk,
    input  wire [32*SIMD*COUNT-1:0]      bank_read,
    input  wire [2:0]                    source_1, source_2, target,
    input  wire [LANE_BITS:0]            turn_1, turn_2, turn_w,
    input  wire [ROWS_BITS-1:0]          row_1, row_2, row_w,
    input  wire [32*SIMD-1:0]            result,
    input  wire                          write,
    input  wire [SIMD-1:0]               write_lanes,
    input  wire                          transfer,
    input  wire [2:0]                    transfer_pad,
    input  wire [LANE_BITS:0]            transfer_bank,
    input  wire [ROWS_BITS-1:0]          transfer_row,
    input  wire                          transfer_write,
    input  wire [31:0]                   transfer_data,
    output reg  [32*SIMD-1:0]            operand_1, operand_2,
    output reg  [31:0]                   transfer_read,
    output reg  [32*SIMD*COUNT-1:0]      bank_write,
    output reg  [SIMD*COUNT-1:0]         bank_enable,
    output reg  [ROWS_BITS*SIMD*COUNT-1:0] bank_row_read, bank_row_write
);
  // Shifting a doubled row turns it, in one stage per bit of the lane number.
  function [32*SIMD-1:0] turn(input [32*SIMD-1:0] row, input [LANE_BITS:0] lanes);
    turn = {row, row} >> 32 * (lanes % SIMD);
  endfunction

  reg [2:0] pad_1, pad_2, pad_t;
  reg [LANE_BITS:0] held_1, held_2, bank_t;
  reg [32*SIMD-1:0] word_1, word_2, word_t, turned, lane_word;
  reg [SIMD-1:0] lanes_turned;
  integer p, l;
  always @(posedge clk) begin
    pad_1 <= source_1; pad_2 <= source_2; pad_t <= transfer_pad;
    held_1 <= turn_1; held_2 <= turn_2; bank_t <= transfer_bank;
  end
  always @* begin
    word_1 = 0; word_2 = 0; word_t = 0;
    for (p = 0; p < COUNT; p = p + 1) begin
      if (pad_1 == p) word_1 = bank_read[32*SIMD*p +: 32*SIMD];
      if (pad_2 == p) word_2 = bank_read[32*SIMD*p +: 32*SIMD];
      if (pad_t == p) word_t = bank_read[32*SIMD*p +: 32*SIMD];
    end
    operand_1 = turn(word_1, held_1);
    operand_2 = turn(word_2, held_2);
    lane_word = turn(word_t, bank_t);
    transfer_read = lane_word[31:0];
    turned = turn(result, turn_w);
    lanes_turned = {write_lanes, write_lanes} >> (turn_w % SIMD);
    for (p = 0; p < COUNT; p = p + 1)
      for (l = 0; l < SIMD; l = l + 1) begin
        bank_write[32*(SIMD*p + l) +: 32] =
            transfer && transfer_pad == p ? transfer_data : turned[32*l +: 32];
        bank_enable[SIMD*p + l] =
            transfer && transfer_pad == p ? transfer_write && transfer_bank == l
                                          : write && target == p && lanes_turned[l];
        bank_row_read[ROWS_BITS*(SIMD*p + l) +: ROWS_BITS] =
            transfer && transfer_pad == p ? transfer_row
            : source_1 == p ? row_1 + (l < turn_1) : row_2 + (l < turn_2);
        bank_row_write[ROWS_BITS*(SIMD*p + l) +: ROWS_BITS] =
            transfer && transfer_pad == p ? transfer_row : row_w + (l < turn_w);
      end
  end
endmodule

// One bank of a scratchpad: a read port and a write port of one word, synchronous read.
module scratchpad_bank #(parameter ROWS_BITS = 8) (
    input  wire                 clk,
    input  wire                 write,
    input  wire [ROWS_BITS-1:0] row_read, row_write,
    input  wire [31:0]          data,
    output reg  [31:0]          read
);
  (* ram_style = "block" *) reg [31:0] words [0:2**ROWS_BITS-1];
  always @(posedge clk) begin
    read <= words[row_read];
    if (write) words[row_write] <= data;
  end
endmodule
