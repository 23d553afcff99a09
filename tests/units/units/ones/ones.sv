module unit_ones #(
    parameter int START = 2
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
  // START cycles and one per bit, up to the last one.
  logic [3:0] wait_cycles;
  logic busy;
  logic [31:0] rest;
  logic [5:0] count;
  logic counts;
  assign counts = !start && wait_cycles == 0;
  assign done = START == 1 ? (start ? a == 0 : busy && rest == 0) : counts && busy && rest == 0;
  always_ff @(posedge clk) begin
    if (!rst_n || done) busy <= 1'b0;
    else if (start) busy <= 1'b1;
    if (start) wait_cycles <= 4'(START > 2 ? START - 2 : 0);
    else if (wait_cycles != 0) wait_cycles <= wait_cycles - 4'd1;
    if (start && START == 1) {rest, count} <= {a >> 1, 6'(a[0])};
    else if (start) {rest, count} <= {a, 6'd0};
    else if (counts) {rest, count} <= {rest >> 1, count + 6'(rest[0])};
  end
  assign result = START == 1 && start ? 32'd0 : 32'(count);
endmodule
