// The native port of PicoRV32.
// ports: mem_valid mem_instr mem_ready mem_addr mem_wdata mem_wstrb mem_rdata
 wire mem_valid, mem_instr; wire [31:0] mem_addr, mem_wdata; wire [3:0] mem_wstrb;
 wire mem_ready = mem_valid && count >= (mem_instr ? instruction_waits : data_waits) + waits_at(mem_addr);
 wire [31:0] mem_rdata = memory[place(mem_addr)];
 integer count = 0;
 always @(posedge clock) begin
  count <= mem_valid && !mem_ready ? count + 1 : 0;
  if (mem_ready && mem_wstrb != 0) store(mem_addr, mem_wdata, mem_wstrb);
 end
