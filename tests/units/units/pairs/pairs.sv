module unit_pairs #(
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
  logic [2:0] age, last;
  logic adds;
  assign adds = word[14:12] == 3'd3;
  assign last = adds ? 3'd0 : 3'(STAGES - 1);
  assign done = start ? last == 3'd0 : last != 3'd0 && age == last;
  always_ff @(posedge clk) begin
    if (!rst_n || done) age <= 3'd0;
    else if (start) age <= 3'd1;
    else if (age != 0) age <= age + 3'd1;
  end
  assign result = adds ? (a ^ c) + 32'd1 : 32'(a[31:16]) * 32'(b[15:0]) + 32'd1;
endmodule
