// Non-restoring division of magnitudes, one quotient bit a cycle: a step adds the divisor to a
// negative partial remainder and subtracts it from the others, and a last cycle corrects.
//
// Cycles: WIDTH + 2, for every operand.
module div_nonrestoring #(
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
  localparam int COUNT_BITS = $clog2(WIDTH + 2);

  // Two's complement, from -divisor to divisor - 1; doubled for a step.
  logic [WIDTH:0] partial;
  logic [WIDTH+1:0] doubled, next_partial;
  logic [WIDTH-1:0] low, held;
  logic [COUNT_BITS-1:0] left;

  always_comb begin
    doubled = {partial, low[WIDTH-1]};
    if (partial[WIDTH]) next_partial = doubled + {2'b0, held};
    else next_partial = doubled - {2'b0, held};
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      left    <= '0;
      partial <= '0;
      low     <= '0;
      held    <= '0;
    end else if (load) begin
      left    <= COUNT_BITS'(WIDTH + 1);
      partial <= '0;
      low     <= dividend;
      held    <= divisor;
    end else if (left > 1) begin
      left    <= left - 1'b1;
      partial <= next_partial[WIDTH:0];
      low     <= {low[WIDTH-2:0], !next_partial[WIDTH+1]};
    end else if (left == 1) begin
      left <= '0;
      if (partial[WIDTH]) partial <= partial + {1'b0, held};
    end
  end

  assign finished  = left == 0;
  assign quotient  = low;
  assign remainder = partial[WIDTH-1:0];
endmodule
