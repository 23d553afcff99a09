// A port for instructions and one for data; wait states stretch the data phase.
// ports: i_haddr i_htrans i_hready i_hrdata d_haddr d_htrans d_hwrite d_hsize d_hwdata d_hready d_hrdata
 wire [31:0] i_haddr, d_haddr, d_hwdata; wire [1:0] i_htrans, d_htrans;
 wire d_hwrite; wire [2:0] d_hsize;
 reg i_active = 0, d_active = 0, d_writes = 0; reg [31:0] i_at = 0, d_at = 0; reg [3:0] d_lanes = 0;
 integer icount = 0, dcount = 0;
 wire i_hready = !i_active || icount >= instruction_waits + waits_at(i_at);
 wire d_hready = !d_active || dcount >= data_waits + waits_at(d_at);
 wire [31:0] i_hrdata = memory[place(i_at)], d_hrdata = memory[place(d_at)];
 always @(posedge clock) begin
  icount <= i_hready ? 0 : icount + 1;
  dcount <= d_hready ? 0 : dcount + 1;
  if (d_active && d_hready && d_writes) store(d_at, d_hwdata, d_lanes);
  if (i_hready) begin
   i_active <= i_htrans[1]; i_at <= i_haddr;
  end
  if (d_hready) begin
   d_active <= d_htrans[1]; d_at <= d_haddr; d_writes <= d_hwrite;
   d_lanes <= ((4'd1 << (4'd1 << d_hsize[1:0])) - 4'd1) << d_haddr[1:0];
  end
 end
