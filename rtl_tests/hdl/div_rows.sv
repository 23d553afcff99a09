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
  // Row r takes element r of each and gives element r + 1.
  logic [(ROWS+1)*WIDTH-1:0] highs;
  logic [(ROWS+1)*LOW_WIDTH-1:0] lows;
  assign highs[WIDTH-1:0] = high;
  assign lows[LOW_WIDTH-1:0] = low;
  assign next_high = highs[ROWS*WIDTH+:WIDTH];
  assign next_low = lows[ROWS*LOW_WIDTH+:LOW_WIDTH];

  genvar row;
  generate
    for (row = 0; row < ROWS; row = row + 1) begin : g_row
      logic [LOW_WIDTH-1:0] before_row;
      logic [WIDTH:0] shifted, difference;
      logic fits;
      assign before_row = lows[row*LOW_WIDTH+:LOW_WIDTH];
      assign shifted = {highs[row*WIDTH+:WIDTH], before_row[LOW_WIDTH-1]};
      assign difference = shifted - {1'b0, divisor};
      // The top bit of the difference is the borrow: what fits leaves less than the divisor.
      assign fits = !difference[WIDTH];
      assign highs[(row+1)*WIDTH+:WIDTH] = fits ? difference[WIDTH-1:0] : shifted[WIDTH-1:0];
      assign lows[(row+1)*LOW_WIDTH+:LOW_WIDTH] = {before_row[LOW_WIDTH-2:0], fits};
    end
  endgenerate
endmodule
