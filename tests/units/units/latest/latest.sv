module unit_latest (
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
  logic [31:0] held;
  always_ff @(posedge clk) begin
    done <= rst_n && start;
    if (!rst_n) held <= 32'd0;
    else if (done) held <= a;
  end
  assign result = held;
endmodule
