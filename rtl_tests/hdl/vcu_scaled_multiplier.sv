// Signed product of 32-bit elements, shifted right: the low word of what remains.
module vcu_scaled_multiplier (
    input  logic        clk,
    input  logic        advance,
    input  logic [ 4:0] scale,
    input  logic [31:0] a,
    input  logic [31:0] b,
    output logic [31:0] product  // one cycle behind the operands
);
  logic signed [63:0] whole;
  always_ff @(posedge clk) begin
    if (advance) whole <= $signed(a) * $signed(b);
  end
  assign product = 32'(whole >>> scale);
endmodule
