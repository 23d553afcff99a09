module unit_requant #(
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
  logic [5:0] shift;
  assign shift = 6'd31 + 6'(c[4:0]);
  logic signed [63:0] product, product_q, rounded, shifted, shifted_q, value;
  always_ff @(posedge clk) begin
    product_q <= product;
    shifted_q <= shifted;
  end
  assign product = $signed(a) * $signed(b);
  assign rounded = (STAGES > 1 ? product_q : product) + (64'sd1 <<< (shift - 6'd1));
  assign shifted = rounded >>> shift;
  assign value = (STAGES > 2 ? shifted_q : shifted) + 64'($signed(c[15:8]));
  assign result = value > 64'sd127 ? 32'd127 : value < -64'sd128 ? 32'hffff_ff80 : value[31:0];
endmodule
