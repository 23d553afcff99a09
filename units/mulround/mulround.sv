module unit_mulround #(
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
  // Operands stay until `done`, so registers between the stages need no valid bits.
  logic signed [63:0] product, product_q;
  logic [63:0] sum, sum_q, high;
  always_ff @(posedge clk) {product_q, sum_q} <= {product, sum};
  assign product = $signed(a) * $signed(b);
  assign sum = (STAGES > 1 ? product_q : product) + 64'h8000_0000;
  assign high = STAGES > 2 ? sum_q : sum;
  assign result = word[12] ? c - high[63:32] : high[63:32];
endmodule
