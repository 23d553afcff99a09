// Division of magnitudes with variable latency for a high clock frequency: skipping the quotient
// bits that must be zero takes a cycle of its own, and two skips never follow each other.
//
// Cycles: 2 + N: load, N steps, result register. A skip that would leave the quotient is the last
// step; if it is the first one, too, it takes two cycles. A zero dividend takes WIDTH steps: its
// count of leading zeros wraps to none. A zero divisor takes two.
module div_skip_hf #(
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
  localparam int BITS = $clog2(2 * WIDTH + 1) + 1;

  logic running, skipped, waits;
  logic [WIDTH-1:0] high, low, held;
  logic [BITS-1:0] left;

  logic [$clog2(2*WIDTH+1)-1:0] partial_zeros;
  logic [$clog2(WIDTH+1)-1:0] divisor_zeros;
  leading_zeros #(.WIDTH(2 * WIDTH)) of_partial (.value({high, low}), .count(partial_zeros));
  leading_zeros #(.WIDTH(WIDTH)) of_divisor (.value(held), .count(divisor_zeros));

  logic [BITS-1:0] aligned, distance, skip;
  logic [2*WIDTH-1:0] skipping;
  assign aligned = BITS'(divisor_zeros) + 1'b1;
  assign distance = BITS'(partial_zeros) > aligned ? BITS'(partial_zeros) - aligned : '0;
  assign skip = skipped || left == 1 || partial_zeros == 2 * WIDTH ? '0 : distance;
  assign skipping = {high, low} << (skip < left ? skip : left);

  logic [WIDTH-1:0] next_high, next_low;
  div_rows #(
      .WIDTH(WIDTH),
      .LOW_WIDTH(WIDTH),
      .ROWS(1)
  ) rows (
      .high(high),
      .low(low),
      .divisor(held),
      .next_high(next_high),
      .next_low(next_low)
  );

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      running <= 1'b0;
      skipped <= 1'b0;
      waits   <= 1'b0;
      left    <= '0;
      high    <= '0;
      low     <= '0;
      held    <= '0;
    end else if (load) begin
      running <= 1'b1;
      skipped <= 1'b0;
      waits   <= 1'b0;
      left    <= BITS'(WIDTH);
      high    <= '0;
      low     <= dividend;
      held    <= divisor;
    end else if (left != 0) begin
      skipped <= skip != 0;
      if (held == 0) begin
        left  <= '0;
        waits <= 1'b1;
        high  <= low;
      end else if (skip >= left) begin
        left  <= '0;
        waits <= left == WIDTH;
        {high, low} <= skipping;
      end else if (skip != 0) begin
        left <= left - skip;
        {high, low} <= skipping;
      end else begin
        left <= left - 1'b1;
        high <= next_high;
        low  <= next_low;
      end
    end else if (waits) begin
      waits <= 1'b0;
    end else if (running) begin
      running   <= 1'b0;
      remainder <= high;
      quotient  <= held == 0 ? '1 : low;
    end
  end

  assign finished = !running;
endmodule
