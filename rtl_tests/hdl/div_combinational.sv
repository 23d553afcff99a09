// Division of magnitudes by an array of WIDTH rows, its result registered.
//
// Cycles: 1. The critical path runs through every row.
module div_combinational #(
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
  logic [WIDTH-1:0] next_high, next_low;

  div_rows #(
      .WIDTH(WIDTH),
      .LOW_WIDTH(WIDTH),
      .ROWS(WIDTH)
  ) rows (
      .high({WIDTH{1'b0}}),
      .low(dividend),
      .divisor(divisor),
      .next_high(next_high),
      .next_low(next_low)
  );

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      quotient  <= '0;
      remainder <= '0;
    end else if (load) begin
      quotient  <= next_low;
      remainder <= next_high;
    end
  end

  assign finished = 1'b1;
endmodule
