// Timer and software interrupt of one hart. A write in cycle g is in its register from g + 1 on; the
// timer interrupt shows the comparison of the cycle before.
//
// Registers: msip at 0x0000 (bit 0), mtimecmp at 0x4000 and 0x4004, mtime at 0xBFF8 and 0xBFFC.
// mtime counts when the number of cycles since reset is a multiple of EVERY.
module clint #(
    parameter int EVERY = 1
) (
    input  logic        clk,
    input  logic        rst_n,
    input  logic [15:0] offset,
    input  logic        write,
    input  logic [ 3:0] strobes,
    input  logic [31:0] value,
    output logic [31:0] data,      // of the register at `offset`, in this cycle
    output logic        software,
    output logic        timer
);
  logic [63:0] mtime, mtimecmp;
  logic [31:0] phase;
  logic is_software, is_compare, is_time, high;
  assign is_software = offset[15:2] == 14'h0000;
  assign is_compare = offset[15:3] == 13'h0800;
  assign is_time = offset[15:3] == 13'h17FF;
  assign high = offset[2];

  logic [63:0] held, merged;
  assign held = is_time ? mtime : mtimecmp;
  always_comb begin
    merged = held;
    for (int lane = 0; lane < 4; lane++)
      if (strobes[lane]) merged[(high ? 32 : 0)+8*lane+:8] = value[8*lane+:8];
  end

  always_comb begin
    data = 32'd0;
    if (is_software) data = {31'd0, software};
    else if (is_compare || is_time) data = high ? held[63:32] : held[31:0];
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      mtime <= '0;
      mtimecmp <= '1;
      phase <= '0;
      software <= 1'b0;
      timer <= 1'b0;
    end else begin
      timer <= mtime >= mtimecmp;
      phase <= phase == EVERY - 1 ? '0 : phase + 1;
      if (write && is_time) mtime <= merged;
      else if (phase == EVERY - 1) mtime <= mtime + 1;
      if (write && is_compare) mtimecmp <= merged;
      if (write && is_software && strobes[0]) software <= value[0];
    end
  end
endmodule
