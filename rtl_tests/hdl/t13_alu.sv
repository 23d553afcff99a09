// Integer results of one cycle, and the condition of branches.
module t13_alu (
    input  logic [ 2:0] funct3,
    input  logic        subtract,   // sub, sra
    input  logic [31:0] a,
    input  logic [31:0] b,
    output logic [31:0] result,
    output logic        taken
);
  logic less, less_unsigned;
  assign less = $signed(a) < $signed(b);
  assign less_unsigned = a < b;

  logic [31:0] right;
  assign right = subtract ? 32'($signed({a[31], a}) >>> b[4:0]) : a >> b[4:0];

  always @* begin
    case (funct3)
      3'd0: result = subtract ? a - b : a + b;
      3'd1: result = a << b[4:0];
      3'd2: result = {31'b0, less};
      3'd3: result = {31'b0, less_unsigned};
      3'd4: result = a ^ b;
      3'd5: result = right;
      3'd6: result = a | b;
      default: result = a & b;
    endcase
    case (funct3)
      3'd0: taken = a == b;
      3'd1: taken = a != b;
      3'd4: taken = less;
      3'd5: taken = !less;
      3'd6: taken = less_unsigned;
      default: taken = !less_unsigned;
    endcase
  end
endmodule
