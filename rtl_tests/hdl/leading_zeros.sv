// Leading zeros of a word, WIDTH for zero: combinational, halves the word at every level.
module leading_zeros #(
    parameter int WIDTH = 32
) (
    input  logic [          WIDTH-1:0] value,
    output logic [$clog2(WIDTH+1)-1:0] count
);
  localparam int LEVELS = $clog2(WIDTH);
  localparam int PADDED = 1 << LEVELS;
  localparam int BITS = $clog2(WIDTH + 1);

  // A function: Icarus 11 wakes an always_comb that changes what it reads again and again.
  function automatic [BITS-1:0] counted(input logic [WIDTH-1:0] word);
    logic [PADDED-1:0] rest;
    rest = {{(PADDED - WIDTH) {1'b0}}, word} << (PADDED - WIDTH);
    counted = '0;
    for (int level = LEVELS - 1; level >= 0; level = level - 1) begin
      if ((rest >> (PADDED - (1 << level))) == 0) begin
        counted = counted + (BITS'(1) << level);
        rest = rest << (1 << level);
      end
    end
    if (word == 0) counted = BITS'(WIDTH);
  endfunction

  assign count = counted(value);
endmodule
