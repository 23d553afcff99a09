// A port for instructions and one for data. A request is granted immediately if none is pending.
// ports: instr_req instr_gnt instr_addr instr_rvalid instr_rdata data_req data_gnt data_addr data_we data_be data_wdata data_rvalid data_rdata
 wire instr_req, data_req, data_we; wire [31:0] instr_addr, data_addr, data_wdata; wire [3:0] data_be;
 reg i_open = 0, d_open = 0; reg [31:0] i_at = 0, d_at = 0; integer icount = 0, dcount = 0;
 wire instr_rvalid = i_open && icount >= instruction_waits + waits_at(i_at);
 wire data_rvalid = d_open && dcount >= data_waits + waits_at(d_at);
 wire instr_gnt = instr_req && (!i_open || instr_rvalid);
 wire data_gnt = data_req && (!d_open || data_rvalid);
 wire [31:0] instr_rdata = memory[place(i_at)], data_rdata = memory[place(d_at)];
 always @(posedge clock) begin
  icount <= i_open && !instr_rvalid ? icount + 1 : 0;
  dcount <= d_open && !data_rvalid ? dcount + 1 : 0;
  if (instr_gnt || instr_rvalid) i_open <= instr_gnt;
  if (data_gnt || data_rvalid) d_open <= data_gnt;
  if (instr_gnt) i_at <= instr_addr;
  if (data_gnt) d_at <= data_addr;
  if (data_gnt && data_we) store(data_addr, data_wdata, data_be);
 end
