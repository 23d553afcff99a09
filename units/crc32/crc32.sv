module unit_crc32 #(
    parameter int LOG_BITS = 3
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
  localparam int BITS = 1 << LOG_BITS;
  logic whole;
  logic [5:0] left, cycles;
  logic [31:0] held, so_far;
  assign whole = word[25];
  assign cycles = whole ? 6'(32 / BITS) : 6'(8 / BITS);
  assign so_far = start ? c ^ (whole ? a : {24'd0, a[7:0]}) : held;
  always_comb begin
    result = so_far;
    for (int k = 0; k < BITS; k++)
      result = {1'b0, result[31:1]} ^ (result[0] ? 32'hedb8_8320 : 32'd0);
  end
  assign done = start ? cycles == 6'd1 : left == 6'd1;
  always_ff @(posedge clk) begin
    if (!rst_n) left <= 6'd0;
    else if (start) left <= cycles - 6'd1;
    else if (left != 6'd0) left <= left - 6'd1;
    held <= result;
  end
endmodule
