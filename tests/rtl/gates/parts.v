// One element of each kind: edges, sets and resets, latches, clock gates, initial values, adders.
module parts (
 input clk, clk_other, rst_n, set, en, input [3:0] d, output reg [3:0] rises, falls, cleared, ready,
 output reg counts, begun, output reg [3:0] held, gated, cell_gated, other, output [1:0] sum, half
);
 initial begun = 1;
 always @(posedge clk) begin rises <= d; begun <= begun ^ d[0]; end
 always @(negedge clk) falls <= rises;
 always @(posedge clk or negedge rst_n) if (!rst_n) cleared <= 0; else cleared <= d;
 always @(posedge clk or posedge set) if (set) ready <= 5; else ready <= d;
 always @(posedge clk or negedge rst_n or posedge set)
  if (!rst_n) counts <= 0; else if (set) counts <= 1; else counts <= d[1];
 always @* if (en && !clk) held = rises;
 reg open; always @* if (!clk) open = en;
 wire of_cell; wire slow = clk & open;
 always @(posedge slow) gated <= d;
 TEST_GATE gate (.CK(clk), .EN(en), .TE(set), .GCK(of_cell));
 always @(posedge of_cell) cell_gated <= d;
 always @(posedge clk_other) other <= gated;
 FAX1 full (.A(rises[0]), .B(falls[1]), .C(ready[2]), .YC(sum[1]), .YS(sum[0]));
 HAX1 one (.A(cleared[0]), .B(rises[3]), .YC(half[1]), .YS(half[0]));
endmodule
