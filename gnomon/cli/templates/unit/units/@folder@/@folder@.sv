// `start` is 1 in the first cycle in execute; word, a, b and c stay until `done`, which shows the
// result in that cycle or a later one. Cycles from start to done, both counted: those of unit.yaml.
module unit_@folder@ #(
    parameter int STAGES = 2
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
  // Cycles since the start; the unit is free again after `done`.
  logic [2:0] age;
  assign done = start ? STAGES == 1 : STAGES != 1 && age == 3'(STAGES - 1);
  always_ff @(posedge clk) begin
    if (!rst_n || done) age <= 3'd0;
    else if (start) age <= 3'd1;
    else if (age != 0) age <= age + 3'd1;
  end
  assign result = a > b ? a - b : b - a;
endmodule
