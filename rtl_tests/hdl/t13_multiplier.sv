// Products: the low word at once; the high word in two cycles more, four partial products of
// 16 x 16 bits in the first and their sum in the second.
module t13_multiplier (
    input  logic        clk,
    input  logic [ 2:0] funct3,  // 1 mulh, 2 mulhsu, 3 mulhu
    input  logic [31:0] a,
    input  logic [31:0] b,
    output logic [31:0] low,
    output logic [31:0] high     // two cycles behind the operands
);
  assign low = a * b;

  // The upper half of a signed operand has the sign.
  logic signed [16:0] a_high, a_low, b_high, b_low;
  assign a_high = {a[31] && funct3[1:0] != 2'd3, a[31:16]};
  assign b_high = {b[31] && funct3[1:0] == 2'd1, b[31:16]};
  assign a_low = {1'b0, a[15:0]};
  assign b_low = {1'b0, b[15:0]};

  logic signed [63:0] high_high, high_low, low_high, low_low, sum;
  assign sum = (high_high <<< 32) + ((high_low + low_high) <<< 16) + low_low;
  always_ff @(posedge clk) begin
    high_high <= 64'(a_high * b_high);
    high_low <= 64'(a_high * b_low);
    low_high <= 64'(a_low * b_high);
    low_low <= 64'(a_low * b_low);
    high <= sum[63:32];
  end
endmodule
