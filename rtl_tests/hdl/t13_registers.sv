// Registers of all harts: three read ports for the instruction that leaves decode (vector
// instructions read rd, too), one write port. x0 reads 0. Like block RAM they start as zeros.
module t13_registers #(
    parameter int HARTS = 3,
    parameter int HART_BITS = 2
) (
    input  logic                 clk,
    input  logic [HART_BITS-1:0] hart,
    input  logic [          4:0] rs1,
    input  logic [          4:0] rs2,
    input  logic [          4:0] rd,
`ifdef GNOMON_UNITS
    input  logic [          4:0] rs3,  // of vector instructions of units
`endif
    output logic [         31:0] rs1_value,
    output logic [         31:0] rs2_value,
    output logic [         31:0] rd_value,
`ifdef GNOMON_UNITS
    output logic [         31:0] rs3_value,
`endif
    input  logic                 write,
    input  logic [HART_BITS-1:0] write_hart,
    input  logic [          4:0] write_register,
    input  logic [         31:0] write_value
);
  logic [31:0] values[0:32*HARTS-1];
  initial for (int i = 0; i < 32 * HARTS; i++) values[i] = '0;

  assign rs1_value = rs1 == 0 ? '0 : values[{hart, rs1}];
  assign rs2_value = rs2 == 0 ? '0 : values[{hart, rs2}];
  assign rd_value = rd == 0 ? '0 : values[{hart, rd}];
`ifdef GNOMON_UNITS
  assign rs3_value = rs3 == 0 ? '0 : values[{hart, rs3}];
`endif

  always_ff @(posedge clk) begin
    if (write) values[{write_hart, write_register}] <= write_value;
  end
endmodule
