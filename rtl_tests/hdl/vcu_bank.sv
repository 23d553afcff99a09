// One memory bank: a read port and a write port, with a write enable per half word; a second read
// port if somebody needs it. A read in the cycle of a write to the same word returns the old word,
// or the new one where `through` says so. An output holds while its `read` is low.
module vcu_bank #(
    parameter int ROWS = 1024,
    parameter int ROW_BITS = 10,
    parameter bit SECOND_PORT = 0,
    parameter bit WRITE_THROUGH = 0
) (
    input  logic                clk,
    input  logic                read,
    input  logic [ROW_BITS-1:0] read_row,
    output logic [        31:0] read_data,
    input  logic                second_read,
    input  logic [ROW_BITS-1:0] second_row,
    output logic [        31:0] second_data,
    input  logic                through,
    input  logic [         1:0] write,
    input  logic [ROW_BITS-1:0] write_row,
    input  logic [        31:0] write_data
);
  logic [31:0] words[0:ROWS-1];
  initial for (int i = 0; i < ROWS; i++) words[i] = '0;

  logic [31:0] old;
  always_ff @(posedge clk) begin
    if (read) old <= words[read_row];
    if (write[0]) words[write_row][15:0] <= write_data[15:0];
    if (write[1]) words[write_row][31:16] <= write_data[31:16];
  end

  generate
    if (WRITE_THROUGH) begin : g_through
      logic passes;
      logic [31:0] passed;
      always_ff @(posedge clk) begin
        if (read) begin
          passes <= through && write[0] && write_row == read_row;
          passed <= write_data;
        end
      end
      assign read_data = passes ? passed : old;
    end else begin : g_old
      assign read_data = old;
    end
    if (SECOND_PORT) begin : g_second
      logic [31:0] second_old, second_passed;
      logic second_passes;
      always_ff @(posedge clk) begin
        if (second_read) begin
          second_old <= words[second_row];
          second_passes <= WRITE_THROUGH && through && write[0] && write_row == second_row;
          second_passed <= write_data;
        end
      end
      assign second_data = second_passes ? second_passed : second_old;
    end else begin : g_one
      assign second_data = read_data;
    end
  endgenerate
endmodule
