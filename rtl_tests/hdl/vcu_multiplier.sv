// Products of one word in two steps: four 16-bit partial products, then their sum.
// Elements of 16 bits, or bytes widened to them, need only two of the four.
module vcu_multiplier (
    input  logic        clk,
    input  logic        advance,
    input  logic [ 1:0] width,
    input  logic [31:0] a,
    input  logic [31:0] b,
    output logic [31:0] product   // one cycle behind the operands
);
  logic [31:0] low, high, cross_ab, cross_ba;
  always_ff @(posedge clk) begin
    if (advance) begin
      low <= a[15:0] * b[15:0];
      high <= a[31:16] * b[31:16];
      cross_ab <= a[31:16] * b[15:0];
      cross_ba <= a[15:0] * b[31:16];
    end
  end

  logic [15:0] upper;
  assign upper = low[31:16] + cross_ab[15:0] + cross_ba[15:0];
  assign product = {width == 2'd2 ? upper : high[15:0], low[15:0]};
endmodule
