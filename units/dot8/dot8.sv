// One element: the product of two bytes. LATENCY - 4 registers delay it, which synthesis may move
// into the multiplier.
module unit_dot8 #(
    parameter int LATENCY = 6
) (
    input  logic        clk,
    input  logic        advance,
    input  logic [31:0] word,
    input  logic [31:0] a,
    input  logic [31:0] b,
    input  logic [31:0] c,
    output logic [31:0] result
);
  localparam int REGISTERS = LATENCY - 4;
  logic signed [15:0] product, last;
  logic [16*REGISTERS+15:0] all;  // the product, then the registers
  assign product = $signed(a[7:0]) * $signed(b[7:0]);
  assign all[15:0] = product;
  assign last = all[16*REGISTERS+:16];
  assign result = {{16{last[15]}}, last};
  genvar k;
  generate
    for (k = 0; k < REGISTERS; k++) begin : g_register
      logic [15:0] held;
      always_ff @(posedge clk) if (advance) held <= all[16*k+:16];
      assign all[16*k+16+:16] = held;
    end
  endgenerate
endmodule
