// One radix-4 digit of restoring division with three subtractors side by side: combinational.
module div_digit_r4 #(
    parameter int WIDTH = 32,
    parameter int LOW_WIDTH = 32
) (
    input  logic [    WIDTH-1:0] high,
    input  logic [LOW_WIDTH-1:0] low,
    input  logic [    WIDTH-1:0] divisor,
    input  logic [    WIDTH+1:0] triple,    // three times the divisor
    output logic [    WIDTH-1:0] next_high,
    output logic [LOW_WIDTH-1:0] next_low
);
  // One bit more than the operands: the top one is the borrow.
  logic [WIDTH+2:0] shifted, less1, less2, less3;
  always_comb begin
    shifted = {1'b0, high, low[LOW_WIDTH-1:LOW_WIDTH-2]};
    less1   = shifted - {3'b0, divisor};
    less2   = shifted - {2'b0, divisor, 1'b0};
    less3   = shifted - {1'b0, triple};
    if (!less3[WIDTH+2]) begin
      next_high = less3[WIDTH-1:0];
      next_low  = {low[LOW_WIDTH-3:0], 2'd3};
    end else if (!less2[WIDTH+2]) begin
      next_high = less2[WIDTH-1:0];
      next_low  = {low[LOW_WIDTH-3:0], 2'd2};
    end else if (!less1[WIDTH+2]) begin
      next_high = less1[WIDTH-1:0];
      next_low  = {low[LOW_WIDTH-3:0], 2'd1};
    end else begin
      next_high = shifted[WIDTH-1:0];
      next_low  = {low[LOW_WIDTH-3:0], 2'd0};
    end
  end
endmodule
