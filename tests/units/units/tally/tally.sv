module unit_tally (
    input  logic        clk,
    input  logic        rst_n,
    input  logic        start,
    input  logic [ 2:0] hart,
    input  logic [31:0] word,
    input  logic [31:0] a,
    input  logic [31:0] b,
    input  logic [31:0] c,
    output logic        done,
    output logic [31:0] result
);
  logic [31:0] sums[8];
  assign done = start;
  assign result = sums[hart] + a;
  always_ff @(posedge clk) begin
    if (!rst_n) for (int h = 0; h < 8; h++) sums[h] <= 32'd0;
    else if (start) sums[hart] <= sums[hart] + a;
  end
endmodule
