// One element. The registers of the longest instruction serve all; word says how many count.
module unit_lanes #(
    parameter int LATENCY = 5
) (
    input  logic        clk,
    input  logic        advance,
    input  logic [31:0] word,
    input  logic [31:0] a,
    input  logic [31:0] b,
    input  logic [31:0] c,
    output logic [31:0] result
);
  localparam int MOST = LATENCY > 6 ? LATENCY : 6;
  logic [31:0] value;
  logic [32*MOST-1:0] held;
  logic [32*(MOST+1)-1:0] all;
  logic [6:0] registers;
  always_comb begin
    case (word[14:12])
      3'd4: {registers, value} = {7'(LATENCY - 3), a * b + c};
      3'd5: {registers, value} = {7'd1, $signed(a) > $signed(b) ? a : b};
      3'd6: {registers, value} = {7'(LATENCY - 3), $signed(a) > $signed(b) ? a - b : b - a};
      default: {registers, value} = {7'd3, a * a + c};
    endcase
  end
  assign all = {held, value};
  assign result = all[32*registers+:32];
  always_ff @(posedge clk) if (advance) held <= all[32*MOST-1:0];
endmodule
