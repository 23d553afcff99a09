module unit_products #(
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
  logic [2:0] age, last, funct3;
  assign funct3 = word[14:12];
  assign last = funct3 == 3'd7 ? 3'd0 : funct3 == 3'd6 ? 3'd1 : 3'(STAGES - 1);
  assign done = start ? last == 3'd0 : last != 3'd0 && age == last;
  always_ff @(posedge clk) begin
    if (!rst_n || done) age <= 3'd0;
    else if (start) age <= 3'd1;
    else if (age != 0) age <= age + 3'd1;
  end
  logic signed [63:0] product;
  logic [63:0] rounded;
  logic [31:0] high, low;
  assign product = $signed(a) * $signed(b);
  assign rounded = product + 64'h80000000;
  assign high = rounded[63:32];
  assign low = a * b;
  always_comb begin
    case (funct3)
      3'd4: result = high;
      3'd5: result = c - high;
      3'd6: result = low + c;
      default: result = (a << 1) + c;
    endcase
  end
endmodule
