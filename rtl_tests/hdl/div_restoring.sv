// Restoring division of magnitudes, BITS_PER_CYCLE chained radix-2 rows a cycle.
//
// Cycles: 1 + ceil(WIDTH / BITS_PER_CYCLE), for every operand.
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
  localparam int COUNT_BITS = $clog2(STEPS + 1);
  // Bits of the steps beyond the width are zeros in front of the dividend.
  localparam int LOW_WIDTH = STEPS * BITS_PER_CYCLE;

  logic [WIDTH-1:0] high, next_high, held;
  logic [LOW_WIDTH-1:0] low, next_low;  // rest of the dividend, then the quotient
  logic [COUNT_BITS-1:0] left;

  div_rows #(
      .WIDTH(WIDTH),
      .LOW_WIDTH(LOW_WIDTH),
      .ROWS(BITS_PER_CYCLE)
  ) rows (
      .high(high),
      .low(low),
      .divisor(held),
      .next_high(next_high),
      .next_low(next_low)
  );

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      left <= '0;
      high <= '0;
      low  <= '0;
      held <= '0;
    end else if (load) begin
      left <= COUNT_BITS'(STEPS);
      high <= '0;
      low  <= LOW_WIDTH'(dividend);
      held <= divisor;
    end else if (left != 0) begin
      left <= left - 1'b1;
      high <= next_high;
      low  <= next_low;
    end
  end

  assign finished  = left == 0;
  assign quotient  = low[WIDTH-1:0];
  assign remainder = high;
endmodule
