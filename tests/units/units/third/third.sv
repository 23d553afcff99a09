module unit_third (
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
  always_ff @(posedge clk) done <= rst_n && start;
  assign result = (a & c) | (b & ~c);
endmodule
