// Right shift of one word in two steps: the whole word moves, then each lane is cut to what it
// may keep and filled with its sign. Both use the amount modulo the lane's width, so for larger
// amounts bits of the neighbour lane appear: the law of the public core.
//
// Byte products stand in lanes of 16 bits. Of each lane only the low byte is cut to size and kept,
// but both bytes are filled with their own signs: the law of the public core, too.
module vcu_shifter (
    input  logic        clk,
    input  logic        advance,
    input  logic [ 1:0] width,
    input  logic        arithmetic,
    input  logic        products,    // 8-bit width means byte products in lanes of 16 bits
    input  logic        masked,      // cut narrow lanes; else bits of the neighbour stay in them
    input  logic [ 4:0] amount,
    input  logic [31:0] a,
    output logic [31:0] shifted      // one cycle behind the operand
);
  logic [31:0] moved;
  logic [ 3:0] signs;
  always_ff @(posedge clk) begin
    if (advance) begin
      moved <= a >> amount;
      signs <= {a[31], a[23], a[15], a[7]};
    end
  end

  logic [31:0] keep, fill;
  logic [15:0] keep16, fill16;
  logic [7:0] keep8, fill8, uncut;
  assign uncut = {8{!masked}};
  always_comb begin
    keep16 = 16'hffff >> amount[3:0];
    fill16 = ~(keep16 >> 1);
    keep8 = 8'hff >> amount[2:0];
    fill8 = ~(keep8 >> 1);
    case (width)
      2'd0: begin
        keep = products ? {8'b0, keep8 | uncut, 8'b0, keep8 | uncut} : {4{keep8 | uncut}};
        fill = {{8{signs[3]}}, {8{signs[2]}}, {8{signs[1]}}, {8{signs[0]}}} & {4{fill8}};
      end
      2'd1: begin
        keep = {2{keep16 | {2{uncut}}}};
        fill = {{16{signs[3]}}, {16{signs[1]}}} & {2{fill16}};
      end
      default: begin
        keep = 32'hffff_ffff >> amount;
        fill = {32{signs[3]}} & ~(keep >> 1);
      end
    endcase
    shifted = (moved & keep) | (arithmetic ? fill : 32'b0);
  end
endmodule
