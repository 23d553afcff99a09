// Sum or difference of one word: four chained bytes, the chain cut at the borders of elements.
// `less` says, in the top byte of each element, whether a < b signed; of a difference only.
module vcu_adder (
    input  logic [ 1:0] width,     // 0, 1, 2: elements of 8, 16, 32 bits
    input  logic        subtract,
    input  logic [31:0] a,
    input  logic [31:0] b,
    output logic [31:0] sum,
    output logic [ 3:0] less
);
  logic [31:0] addend;
  logic carry;
  always_comb begin
    addend = subtract ? ~b : b;
    carry  = subtract;
    for (int i = 0; i < 4; i++) begin
      {carry, sum[8*i+:8]} = {1'b0, a[8*i+:8]} + {1'b0, addend[8*i+:8]} + 9'(carry);
      if (width == 2'd0 || (width == 2'd1 && i == 1)) carry = subtract;
      // Of different signs the negative one is less; else the difference tells.
      less[i] = a[8*i+7] != b[8*i+7] ? a[8*i+7] : sum[8*i+7];
    end
  end
endmodule
