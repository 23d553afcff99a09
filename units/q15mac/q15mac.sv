module unit_q15mac #(
    parameter int FRACTION = 15,
    parameter int STAGES = 3
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
  logic [2:0] age;
  assign done = start ? STAGES == 1 : age == 3'(STAGES - 1);
  always_ff @(posedge clk) begin
    if (!rst_n || done) age <= 3'd0;
    else if (start) age <= 3'd1;
    else if (age != 3'd0) age <= age + 3'd1;
  end
  logic accumulates;
  assign accumulates = word[12];
  logic signed [63:0] product, product_q, shifted, sum, sum_q, final_sum;
  always_ff @(posedge clk) begin
    product_q <= product;
    sum_q <= sum;
  end
  assign product = $signed(a) * $signed(b);
  assign shifted = (STAGES > 1 ? product_q : product) >>> FRACTION;
  assign sum = shifted + (accumulates ? 64'($signed(c)) : 64'sd0);
  assign final_sum = STAGES > 2 ? sum_q : sum;
  logic high, low;
  assign high = accumulates && final_sum > 64'sd2147483647;
  assign low = accumulates && final_sum < -64'sd2147483648;
  assign result = high ? 32'h7fff_ffff : low ? 32'h8000_0000 : final_sum[31:0];
endmodule
