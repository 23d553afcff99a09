// ROWS radix-2 rows of restoring division, chained: combinational.
//
// A row takes the next bit of the dividend from the top of `low` into the partial remainder
// `high`, subtracts the divisor where it fits, and puts the quotient bit below `low`.
module div_rows #(
    parameter int WIDTH = 32,
    parameter int LOW_WIDTH = 32,
    parameter int ROWS = 1
) (
    input  logic [    WIDTH-1:0] high,
    input  logic [LOW_WIDTH-1:0] low,
    input  logic [    WIDTH-1:0] divisor,
    output logic [    WIDTH-1:0] next_high,
    output logic [LOW_WIDTH-1:0] next_low
);
  logic [WIDTH:0] shifted, difference;
  always_comb begin
    next_high  = high;
    next_low   = low;
    shifted    = '0;
    difference = '0;
    for (int row = 0; row < ROWS; row = row + 1) begin
      shifted    = {next_high, next_low[LOW_WIDTH-1]};
      difference = shifted - {1'b0, divisor};
      // The top bit of the difference is the borrow: what fits leaves less than the divisor.
      if (!difference[WIDTH]) begin
        next_high = difference[WIDTH-1:0];
        next_low  = {next_low[LOW_WIDTH-2:0], 1'b1};
      end else begin
        next_high = shifted[WIDTH-1:0];
        next_low  = {next_low[LOW_WIDTH-2:0], 1'b0};
      end
    end
  end
endmodule
