// Sum of the lanes of one beat, then of the beats. Lanes of 16 bits are added modulo 2^16 within a
// beat, and the beats' sums modulo 2^32: the result depends on SIMD, as in the public core.
module vcu_accumulator #(
    parameter int SIMD = 1
) (
    input  logic               clk,
    input  logic               advance,
    input  logic [        1:0] width,
    input  logic [32*SIMD-1:0] lanes,
    input  logic               clear,
    input  logic               take,     // add the sum of the beat of the cycle before
    input  logic               drop,     // but for that sum
    input  logic               lose,     // and for what was there before
    output logic [       31:0] total     // with that beat
);
  localparam int SUM_BITS = 16 + $clog2(SIMD);
  logic [SUM_BITS-1:0] low, beat_low;
  logic [15:0] high, beat_high;
  always_comb begin
    low = '0;
    high = '0;
    for (int i = 0; i < SIMD; i++) begin
      low = low + SUM_BITS'(lanes[32*i+:16]);
      high = high + lanes[32*i+16+:16];
    end
  end

  logic [31:0] beat, sum;
  always_comb begin
    beat = {beat_high, 16'b0} + 32'(beat_low);
    if (width != 2'd2) beat = {16'b0, beat_high + beat_low[15:0]};
    total = (lose ? 32'b0 : sum) + (drop ? 32'b0 : beat);
  end

  always_ff @(posedge clk) begin
    if (advance) begin
      beat_low  <= low;
      beat_high <= high;
    end
    if (clear) sum <= '0;
    else if (take) sum <= total;
  end
endmodule
