// max(a, 0) of each element, and the word of 0 and 1 that says where a was less.
module vcu_comparator (
    input  logic [ 1:0] width,
    input  logic [31:0] a,
    input  logic [ 3:0] less,      // valid in the top byte of each element
    output logic [31:0] positive,
    output logic [31:0] is_less
);
  logic [3:0] negative;
  always_comb begin
    case (width)
      2'd0: begin
        negative = {a[31], a[23], a[15], a[7]};
        is_less = {7'b0, less[3], 7'b0, less[2], 7'b0, less[1], 7'b0, less[0]};
      end
      2'd1: begin
        negative = {a[31], a[31], a[15], a[15]};
        is_less = {15'b0, less[3], 15'b0, less[1]};
      end
      default: begin
        negative = {4{a[31]}};
        is_less = {31'b0, less[3]};
      end
    endcase
    positive = a & ~{{8{negative[3]}}, {8{negative[2]}}, {8{negative[1]}}, {8{negative[0]}}};
  end
endmodule
