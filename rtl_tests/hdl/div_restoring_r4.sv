// Restoring division of magnitudes, one radix-4 digit a cycle.
//
// Cycles: 1 + ceil(WIDTH / 2), for every operand.
module div_restoring_r4 #(
    parameter int WIDTH = 32
) (
    input  logic             clk,
    input  logic             rst_n,
    input  logic             load,
    input  logic [WIDTH-1:0] dividend,
    input  logic [WIDTH-1:0] divisor,
    output logic             finished,
    output logic [WIDTH-1:0] quotient,
    output logic [WIDTH-1:0] remainder
);
  localparam int STEPS = (WIDTH + 1) / 2;
  localparam int COUNT_BITS = $clog2(STEPS + 1);
  localparam int LOW_WIDTH = 2 * STEPS;

  logic [WIDTH-1:0] high, next_high, held;
  logic [WIDTH+1:0] triple;
  logic [LOW_WIDTH-1:0] low, next_low;
  logic [COUNT_BITS-1:0] left;

  div_digit_r4 #(
      .WIDTH(WIDTH),
      .LOW_WIDTH(LOW_WIDTH)
  ) digit (
      .high(high),
      .low(low),
      .divisor(held),
      .triple(triple),
      .next_high(next_high),
      .next_low(next_low)
  );

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      left   <= '0;
      high   <= '0;
      low    <= '0;
      held   <= '0;
      triple <= '0;
    end else if (load) begin
      left   <= COUNT_BITS'(STEPS);
      high   <= '0;
      low    <= LOW_WIDTH'(dividend);
      held   <= divisor;
      triple <= {1'b0, divisor, 1'b0} + {2'b0, divisor};
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
