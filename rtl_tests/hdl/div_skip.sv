// Division of magnitudes with variable latency: leading-zero counts of the partial remainder and
// of the divisor tell how many quotient bits must be zero; a step skips those and restores one.
//
// A skip below LEAST_SKIP or above MOST_SKIP is beyond the shifter and not made.
// SURE_SUBTRACT: where the compare of aligned numbers fails, the next one cannot, and its quotient
// bit comes in the same step.
//
// Cycles: 2 + N: load, N steps, result register. N without SURE_SUBTRACT and with an unlimited
// shifter is the ones of the quotient and the compares that fail; with SURE_SUBTRACT it is the ones
// of the quotient, and one more if it ends in zero.
module div_skip #(
    parameter int WIDTH = 32,
    parameter int LEAST_SKIP = 0,
    parameter int MOST_SKIP = 128,
    parameter bit SURE_SUBTRACT = 0
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
  localparam int BITS = $clog2(2 * WIDTH + 1) + 1;  // of a signed difference of zero counts

  logic running;
  logic [WIDTH-1:0] high, low, held;
  logic [BITS-1:0] left;  // quotient bits to come

  logic [$clog2(2*WIDTH+1)-1:0] partial_zeros;
  logic [$clog2(WIDTH+1)-1:0] divisor_zeros;
  leading_zeros #(.WIDTH(2 * WIDTH)) of_partial (.value({high, low}), .count(partial_zeros));
  leading_zeros #(.WIDTH(WIDTH)) of_divisor (.value(held), .count(divisor_zeros));

  // The counter of a zero divisor stops at its last bit.
  logic [BITS-1:0] aligned, distance, reached, skip;
  assign aligned = divisor_zeros == WIDTH ? BITS'(WIDTH) : BITS'(divisor_zeros) + 1'b1;
  assign distance = BITS'(partial_zeros) > aligned ? BITS'(partial_zeros) - aligned : '0;
  assign reached = distance < LEAST_SKIP || distance > MOST_SKIP ? '0 : distance;
  assign skip = reached > left - 1'b1 ? left - 1'b1 : reached;

  logic [2*WIDTH:0] shifted;  // after the skip and one bit more
  logic [WIDTH:0] difference;
  logic fits;
  assign shifted = {1'b0, high, low} << (skip + 1'b1);
  assign difference = shifted[2*WIDTH:WIDTH] - {1'b0, held};
  assign fits = !difference[WIDTH];  // the borrow: what fits leaves less than the divisor

  logic [WIDTH:0] sure;  // another bit more
  logic surely;
  assign sure = shifted[2*WIDTH-1:WIDTH-1] - {1'b0, held};
  assign surely = SURE_SUBTRACT && !fits && left - skip != 1;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      running <= 1'b0;
      left    <= '0;
      high    <= '0;
      low     <= '0;
      held    <= '0;
    end else if (load) begin
      running <= 1'b1;
      left    <= BITS'(WIDTH);
      high    <= '0;
      low     <= dividend;
      held    <= divisor;
    end else if (left != 0) begin
      if (surely) begin
        left <= left - skip - 2'd2;
        high <= sure[WIDTH-1:0];
        low  <= {shifted[WIDTH-2:1], 2'b01};
      end else begin
        left <= left - skip - 1'b1;
        high <= fits ? difference[WIDTH-1:0] : shifted[2*WIDTH-1:WIDTH];
        low  <= {shifted[WIDTH-1:1], fits};
      end
    end else if (running) begin
      running   <= 1'b0;
      remainder <= high;
      // Skipped bits are zeros, also by zero, where the quotient is all ones.
      quotient  <= held == 0 ? '1 : low;
    end
  end

  assign finished = !running;
endmodule
