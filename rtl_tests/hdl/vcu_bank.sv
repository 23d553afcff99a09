// One memory bank: a read port and a write port, with a write enable per half word.
// A read in the cycle of a write to the same word returns the old word. The output holds while
// `read` is low.
module vcu_bank #(
    parameter int ROWS = 1024,
    parameter int ROW_BITS = 10
) (
    input  logic                clk,
    input  logic                read,
    input  logic [ROW_BITS-1:0] read_row,
    output logic [        31:0] read_data,
    input  logic [         1:0] write,
    input  logic [ROW_BITS-1:0] write_row,
    input  logic [        31:0] write_data
);
  logic [31:0] words[0:ROWS-1];

  always_ff @(posedge clk) begin
    if (read) read_data <= words[read_row];
    if (write[0]) words[write_row][15:0] <= write_data[15:0];
    if (write[1]) words[write_row][31:16] <= write_data[31:16];
  end
endmodule
