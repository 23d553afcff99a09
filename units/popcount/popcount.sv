module unit_popcount #(
    parameter int BITS = 32
) (
    input  logic        clk,
    input  logic        rst_n,
    input  logic        start,
    input  logic [31:0] word,
    input  logic [31:0] a,
    input  logic [31:0] b,
    input  logic [31:0] c,
    output logic        done,
    output logic [31:0] result
);
  localparam int CYCLES = (32 + BITS - 1) / BITS;
  logic [31:0] held, rest;
  logic [5:0] so_far, count, ones, left;
  assign rest = start ? a : held;
  assign so_far = start ? 6'd0 : count;
  always_comb begin
    ones = 6'd0;
    for (int k = 0; k < BITS; k++) ones = ones + 6'(rest[k]);
  end
  assign done = start ? CYCLES == 1 : left == 6'd1;
  assign result = 32'(so_far + ones);
  always_ff @(posedge clk) begin
    if (!rst_n) left <= 6'd0;
    else if (start) left <= 6'(CYCLES - 1);
    else if (left != 6'd0) left <= left - 6'd1;
    held <= rest >> BITS;
    count <= so_far + ones;
  end
endmodule
