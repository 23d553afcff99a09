// What a misaligned access leaves in mbadaddr. With FROM_NEXT_SLOT that is not its address: one
// cycle later the register takes the address wires, and the next instruction has them by then if
// it has entered execute.
module t13_badaddr #(
    parameter int HART_BITS = 2,
    parameter bit FROM_NEXT_SLOT = 1
) (
    input  logic                 clk,
    input  logic                 rst_n,
    input  logic                 trap,      // in the first cycle of the access
    input  logic [HART_BITS-1:0] hart,
    input  logic [         31:0] address,
    input  logic                 issue,     // of the instruction in execute
    input  logic                 offset,    // it is a load or a store
    input  logic [         31:0] rs1,
    input  logic [         31:0] imm,
    output logic                 set,
    output logic [HART_BITS-1:0] set_hart,
    output logic [         31:0] value
);
  generate
    if (FROM_NEXT_SLOT) begin : g_wires
      always_ff @(posedge clk) begin
        set <= rst_n && trap;
        set_hart <= hart;
      end
      assign value = issue && offset ? rs1 + imm : rs1;
    end else begin : g_address
      assign set = trap;
      assign set_hart = hart;
      assign value = address;
    end
  endgenerate
endmodule
