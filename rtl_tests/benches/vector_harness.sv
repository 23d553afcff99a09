// The vector unit with clock, memory and a port for the bench. What must happen in a certain cycle
// is here; the bench wakes when an instruction was issued and when a unit starts or ends.
module vector_harness #(
    parameter int SIMD = 1,
    parameter int ACCELERATORS = 1,
    parameter int SPM_COUNT = 4,
    parameter int SPM_BYTES = 256,
    parameter int MEMORY_WORDS = 4096
);
  localparam int HART_BITS = ACCELERATORS > 1 ? $clog2(ACCELERATORS) : 1;

  logic clk = 1'b0;
  logic rst_n = 1'b0;
  always #5 clk = !clk;

  // Cycle 0 is the first one out of reset.
  logic [31:0] cycle = 0;
  always_ff @(posedge clk) cycle <= rst_n ? cycle + 1 : 0;

  // The next instruction and the cycle of its issue; the bench writes it in one go.
  logic [191:0] command = '1;
  logic [31:0] at, rd_value, rs1_value, rs2_value, mvsize;
  logic transfer;
  logic [6:0] funct7;
  logic [3:0] hart;
  logic [1:0] mvtype;
  logic [4:0] mpsclfac;
  logic [12:0] spare;
  assign {spare, mpsclfac, mvtype, hart, funct7, transfer, mvsize, rs2_value, rs1_value, rd_value,
          at} = command;
  wire issue = rst_n && cycle == at;

  wire trap;
  wire [8:0] cause;
  wire [ACCELERATORS-1:0] vector_busy;
  wire transfer_busy;
  wire bus_request, bus_write;
  wire [31:0] bus_address, bus_write_data;
  logic [31:0] bus_read_data;

  // How many were issued, and the trap of the last one: one signal, so they change together.
  logic [41:0] issued = 0;
  logic [31:0] requests = 0;
  logic [ACCELERATORS:0] busy_seen = 0;
  always_ff @(posedge clk) begin
    if (issue) issued <= {issued[41:10] + 32'd1, trap, cause};
    if (bus_request) requests <= requests + 1;
  end
  // In the middle of a cycle everything stands still.
  always_ff @(negedge clk) busy_seen <= {transfer_busy, vector_busy};

  logic [31:0] memory[0:MEMORY_WORDS-1];
  logic refill = 1'b0;
  always @(refill) $readmemh("memory.hex", memory);
  wire [$clog2(MEMORY_WORDS)-1:0] index = bus_address[2+:$clog2(MEMORY_WORDS)];
  always_ff @(posedge clk) begin
    if (bus_request && bus_write) memory[index] <= bus_write_data;
    bus_read_data <= bus_request && !bus_write ? memory[index] : 'x;
  end

  vcu #(
      .SIMD(SIMD),
      .ACCELERATORS(ACCELERATORS),
      .SPM_COUNT(SPM_COUNT),
      .SPM_BYTES(SPM_BYTES)
  ) unit (
      .clk,
      .rst_n,
      .issue,
      .transfer,
      .funct7,
      .hart(hart[HART_BITS-1:0]),
      .rd_value,
      .rs1_value,
      .rs2_value,
      .mvsize(mvsize[$clog2(SPM_BYTES):0]),
      .mvtype,
      .mpsclfac,
      .mvtype_of_hart0(2'd2),
      .trap,
      .cause,
      .vector_busy,
      .transfer_busy,
      .bus_request,
      .bus_grant(1'b1),
      .bus_write,
      .bus_address,
      .bus_write_data,
      .bus_valid(1'b1),
      .bus_read_data
  );
endmodule
