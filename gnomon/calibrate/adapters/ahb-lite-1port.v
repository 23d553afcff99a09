// One port for both; hprot[0] is 1 for data. Wait states stretch the data phase.
// ports: haddr htrans hwrite hsize hprot hwdata hready hrdata
 wire [31:0] haddr, hwdata; wire [1:0] htrans; wire hwrite; wire [2:0] hsize; wire [3:0] hprot;
 reg active = 0, writes = 0, data = 0; reg [31:0] at = 0; reg [3:0] lanes = 0;
 integer count = 0;
 wire hready = !active || count >= (data ? data_waits : instruction_waits) + waits_at(at);
 wire [31:0] hrdata = memory[place(at)];
 always @(posedge clock) begin
  count <= hready ? 0 : count + 1;
  if (active && hready && writes) store(at, hwdata, lanes);
  if (hready) begin
   active <= htrans[1]; at <= haddr; writes <= hwrite; data <= hprot[0];
   lanes <= ((4'd1 << (4'd1 << hsize[1:0])) - 4'd1) << haddr[1:0];
  end
 end
