// Memories that are read on an edge of the clock, as the banks of scratchpads are, stay memories:
// libraries of cells have none. For yosys, which gives them as $mem_v2.
(* techmap_celltype = "$mem_v2" *)
module memory_as_bank (
    RD_CLK, RD_EN, RD_ADDR, RD_DATA, RD_ARST, RD_SRST, WR_CLK, WR_EN, WR_ADDR, WR_DATA
);
  parameter MEMID = "";
  parameter SIZE = 0, OFFSET = 0, ABITS = 0, WIDTH = 0, INIT = 0;
  parameter RD_PORTS = 0, RD_CLK_ENABLE = 0, RD_CLK_POLARITY = 0, RD_TRANSPARENCY_MASK = 0;
  parameter RD_COLLISION_X_MASK = 0, RD_WIDE_CONTINUATION = 0, RD_CE_OVER_SRST = 0;
  parameter RD_ARST_VALUE = 0, RD_SRST_VALUE = 0, RD_INIT_VALUE = 0;
  parameter WR_PORTS = 0, WR_CLK_ENABLE = 0, WR_CLK_POLARITY = 0, WR_PRIORITY_MASK = 0;
  parameter WR_WIDE_CONTINUATION = 0;
  input [RD_PORTS-1:0] RD_CLK, RD_EN, RD_ARST, RD_SRST;
  input [RD_PORTS*ABITS-1:0] RD_ADDR;
  output [RD_PORTS*WIDTH-1:0] RD_DATA;
  input [WR_PORTS-1:0] WR_CLK;
  input [WR_PORTS*WIDTH-1:0] WR_EN, WR_DATA;
  input [WR_PORTS*ABITS-1:0] WR_ADDR;

  wire _TECHMAP_FAIL_ = RD_PORTS != 1 || WR_PORTS != 1 || WIDTH != 32 || RD_CLK_ENABLE != 1
      || RD_TRANSPARENCY_MASK != 0;
  vcu_bank #(.ROWS(SIZE), .ROW_BITS(ABITS)) bank (
      .clk(RD_CLK), .read(RD_EN), .read_row(RD_ADDR), .read_data(RD_DATA),
      .write({WR_EN[16], WR_EN[0]}), .write_row(WR_ADDR), .write_data(WR_DATA)
  );
endmodule
