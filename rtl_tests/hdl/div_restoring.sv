// Restoring division of magnitudes, BITS_PER_CYCLE radix-2 rows chained in a cycle.
//
// cycles: 1 + ceil(WIDTH / BITS_PER_CYCLE), for every operand.
module div_restoring #(
    parameter int WIDTH = 32,
    parameter int BITS_PER_CYCLE = 1
) (
    input  logic             clk,
    input  logic             rst_n,
    input  logic             load,      // one cycle; the operands are taken
    input  logic [WIDTH-1:0] dividend,
    input  logic [WIDTH-1:0] divisor,
    output logic             finished,  // the result shows, until the next load
    output logic [WIDTH-1:0] quotient,
    output logic [WIDTH-1:0] remainder
);
  localparam int STEPS = (WIDTH + BITS_PER_CYCLE - 1) / BITS_PER_CYCLE;
  // Bits of the last step beyond the width are zeros in front of the dividend.
  localparam int BITS = STEPS * BITS_PER_CYCLE;

  logic [WIDTH-1:0] high, held;
  logic [BITS-1:0] low;  // rest of the dividend, then the quotient
  logic [$clog2(STEPS+1)-1:0] left;

  logic [WIDTH-1:0] next_high;
  logic [BITS-1:0] next_low;
  logic [WIDTH:0] shifted;
  always_comb begin
    next_high = high;
    next_low = low;
    shifted = '0;
    for (int row = 0; row < BITS_PER_CYCLE; row++) begin
      shifted = {next_high, next_low[BITS-1]};
      next_low = {next_low[BITS-2:0], shifted >= {1'b0, held}};
      if (next_low[0]) shifted = shifted - {1'b0, held};
      next_high = shifted[WIDTH-1:0];
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      left <= '0;
      high <= '0;
      low  <= '0;
      held <= '0;
    end else if (load) begin
      left <= STEPS[$clog2(STEPS+1)-1:0];
      high <= '0;
      low  <= BITS'(dividend);
      held <= divisor;
    end else if (left != 0) begin
      left <= left - 1'b1;
      high <= next_high;
      low  <= next_low;
    end
  end

  assign finished = left == 0;
  assign quotient = low[WIDTH-1:0];
  assign remainder = high;
endmodule
