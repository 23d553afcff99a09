// Restoring division of magnitudes that starts at the first possible quotient digit: the load
// counts the leading zeros of both operands and shifts the dividend past what must be zero.
//
// Cycles: 1 + ceil((delta + 1) / BITS_PER_CYCLE), where delta is the distance of the top bits of
// dividend and divisor; 1 if it is negative or the divisor is zero.
module div_early #(
    parameter int WIDTH = 32,
    parameter int BITS_PER_CYCLE = 1  // 1: radix 2; 2: radix 4
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
  localparam int MOST_STEPS = (WIDTH + BITS_PER_CYCLE - 1) / BITS_PER_CYCLE;
  localparam int LOW_WIDTH = MOST_STEPS * BITS_PER_CYCLE;
  localparam int COUNT_BITS = $clog2(WIDTH + 2);

  logic [$clog2(WIDTH+1)-1:0] dividend_zeros, divisor_zeros;
  leading_zeros #(.WIDTH(WIDTH)) of_dividend (.value(dividend), .count(dividend_zeros));
  leading_zeros #(.WIDTH(WIDTH)) of_divisor (.value(divisor), .count(divisor_zeros));

  logic [WIDTH-1:0] high, next_high, held;
  logic [LOW_WIDTH-1:0] low, next_low;
  logic [COUNT_BITS-1:0] left;

  // How many steps the quotient needs, and the dividend where the last of them finds its end.
  logic nothing;
  logic [COUNT_BITS-1:0] digits, steps;
  logic [WIDTH+LOW_WIDTH-1:0] aligned;
  assign nothing = dividend_zeros > divisor_zeros || divisor == 0;
  assign digits = COUNT_BITS'(divisor_zeros) - COUNT_BITS'(dividend_zeros) + 1'b1;
  assign steps = (digits + COUNT_BITS'(BITS_PER_CYCLE - 1)) / COUNT_BITS'(BITS_PER_CYCLE);
  assign aligned = {{WIDTH{1'b0}}, LOW_WIDTH'(dividend)}
      << (COUNT_BITS'(LOW_WIDTH) - steps * COUNT_BITS'(BITS_PER_CYCLE));

  generate
    if (BITS_PER_CYCLE == 2) begin : g_radix4
      logic [WIDTH+1:0] triple;
      always_ff @(posedge clk) begin
        if (!rst_n) triple <= '0;
        else if (load) triple <= {1'b0, divisor, 1'b0} + {2'b0, divisor};
      end
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
    end else begin : g_radix2
      div_rows #(
          .WIDTH(WIDTH),
          .LOW_WIDTH(LOW_WIDTH),
          .ROWS(1)
      ) rows (
          .high(high),
          .low(low),
          .divisor(held),
          .next_high(next_high),
          .next_low(next_low)
      );
    end
  endgenerate

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      left <= '0;
      high <= '0;
      low  <= '0;
      held <= '0;
    end else if (load) begin
      held <= divisor;
      if (nothing) begin
        left <= '0;
        high <= dividend;
        low  <= {LOW_WIDTH{divisor == 0}};
      end else begin
        left <= steps;
        {high, low} <= aligned;
      end
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
