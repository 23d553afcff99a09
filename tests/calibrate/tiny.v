// A core of RV32I in the fewest lines, one state after the other, with five kinds of bus.
module tiny (
 input clk, rst, output req, instr, we, output [3:0] be, output [31:0] addr, wdata,
 input done, input [31:0] rdata, output reg rvfi_valid, output reg [31:0] rvfi_pc_rdata,
 output reg [4:0] rvfi_rd_addr, output reg [31:0] rvfi_rd_wdata, // the others: PCPI
 output asks, output [31:0] word, first, other, input answers, writes_back, input [31:0] answer
);
 reg [31:0] x [0:31], pc, ir; reg [1:0] state; reg [5:0] count; integer k;
 wire [6:0] op = ir[6:0]; wire [2:0] f3 = ir[14:12];
 wire [31:0] a = x[ir[19:15]], b = x[ir[24:20]];
 wire [31:0] imm_i = {{20{ir[31]}}, ir[31:20]}, imm_s = {{20{ir[31]}}, ir[31:25], ir[11:7]};
 wire [31:0] imm_b = {{20{ir[31]}}, ir[7], ir[30:25], ir[11:8], 1'b0};
 wire [31:0] imm_j = {{12{ir[31]}}, ir[19:12], ir[20], ir[30:21], 1'b0};
 wire is_r = op == 7'h33, is_i = op == 7'h13, is_load = op == 7'h03, is_store = op == 7'h23;
 wire shift = (is_r || is_i) && f3[1:0] == 1;
 wire [31:0] second = is_r ? b : imm_i;
 wire lt = f3[1] ? (f3[0] ? a < second : $signed(a) < $signed(second)) : 0;
 wire taken = (f3[2] ? (f3[1] ? a < b : $signed(a) < $signed(b)) : a == b) ^ f3[0];
 reg [31:0] result, next;
 always @* begin
  next = pc + 4; result = 0;
  case (f3)
   0: result = is_r && ir[30] ? a - b : a + second;
   1: result = a << second[4:0];
   2, 3: result = lt;
   4: result = a ^ second;
   5: if (ir[30]) result = $signed(a) >>> second[4:0]; else result = a >> second[4:0];
   6: result = a | second;
   7: result = a & second;
  endcase
  case (op)
   7'h37: result = {ir[31:12], 12'd0};
   7'h17: result = pc + {ir[31:12], 12'd0};
   7'h6f: begin result = pc + 4; next = pc + imm_j; end
   7'h67: begin result = pc + 4; next = (a + imm_i) & ~32'd1; end
   7'h63: if (taken) next = pc + imm_b;
  endcase
 end
 wire [31:0] at = a + (is_store ? imm_s : imm_i), lane = rdata >> {at[1:0], 3'd0};
 wire [5:0] need = shift ? second[4:0] : op == 7'h63 && taken ? 2 : 0;
 wire custom = op == 7'h5b || op == 7'h7b;
 assign asks = !rst && state == 1 && custom, word = ir, first = a, other = b;
 assign req = !rst && state != 1, instr = state == 0, we = state == 2 && is_store;
 assign addr = instr ? pc : {at[31:2], 2'd0}, wdata = b << {at[1:0], 3'd0};
 assign be = (f3[1] ? 4'd15 : f3[0] ? 4'd3 : 4'd1) << at[1:0];
 task finish(input writes, input [31:0] value); begin
  if (writes && ir[11:7] != 0) x[ir[11:7]] <= value;
  pc <= next; state <= 0; rvfi_valid <= 1; rvfi_pc_rdata <= pc;
  rvfi_rd_addr <= writes ? ir[11:7] : 0; rvfi_rd_wdata <= value;
 end endtask
 always @(posedge clk) begin
  rvfi_valid <= 0;
  if (rst) begin pc <= 0; state <= 0; for (k = 0; k < 32; k = k + 1) x[k] <= 0; end
  else if (state == 0 && done) begin ir <= rdata; state <= 1; count <= 0; end
  else if (state == 1) begin
   count <= count + 1;
   if (custom) begin
    if (answers) finish(writes_back, answer);
   end else if (count == need) begin
    if (is_load || is_store) state <= 2;
    else finish(op != 7'h63 && op != 7'h0f, result);
   end
  end else if (state == 2 && done)
   finish(is_load, f3[1] ? lane : f3[0] ? {{16{lane[15] && !f3[2]}}, lane[15:0]}
                                        : {{24{lane[7] && !f3[2]}}, lane[7:0]});
 end
endmodule

`define TINY wire req, instr, we, done; wire [3:0] be; wire [31:0] addr, wdata, rdata; \
 tiny core (clk, rst, req, instr, we, be, addr, wdata, done, rdata, rvfi_valid, rvfi_pc_rdata, \
  , , , , , , , , );
`define OUT output rvfi_valid, output [31:0] rvfi_pc_rdata

module tiny_pico (input clk, rst, output mem_valid, mem_instr, output [31:0] mem_addr, mem_wdata,
 output [3:0] mem_wstrb, input mem_ready, input [31:0] mem_rdata, `OUT);
 `TINY
 assign mem_valid = req, mem_instr = instr, mem_addr = addr, mem_wdata = wdata;
 assign mem_wstrb = we ? be : 4'd0, done = mem_ready, rdata = mem_rdata;
endmodule

module tiny_pcpi (input clk, rst, output mem_valid, mem_instr, output [31:0] mem_addr, mem_wdata,
 output [3:0] mem_wstrb, input mem_ready, input [31:0] mem_rdata, output pcpi_valid,
 output [31:0] pcpi_insn, pcpi_rs1, pcpi_rs2, input pcpi_wr, input [31:0] pcpi_rd,
 input pcpi_wait, pcpi_ready, output [4:0] rvfi_rd_addr, output [31:0] rvfi_rd_wdata, `OUT);
 wire we; wire [3:0] be;
 assign mem_wstrb = we ? be : 4'd0;
 tiny core (clk, rst, mem_valid, mem_instr, we, be, mem_addr, mem_wdata, mem_ready, mem_rdata,
  rvfi_valid, rvfi_pc_rdata, rvfi_rd_addr, rvfi_rd_wdata, pcpi_valid, pcpi_insn, pcpi_rs1,
  pcpi_rs2, pcpi_ready, pcpi_wr, pcpi_rd);
endmodule

module tiny_wishbone (input clk, rst, output ibus_cyc, dbus_cyc, dbus_we, output [3:0] dbus_sel,
 output [31:0] ibus_adr, dbus_adr, dbus_dat, input ibus_ack, dbus_ack,
 input [31:0] ibus_rdt, dbus_rdt, `OUT);
 `TINY
 assign ibus_cyc = req && instr, dbus_cyc = req && !instr, dbus_we = we, dbus_sel = be;
 assign ibus_adr = addr, dbus_adr = addr, dbus_dat = wdata;
 assign done = instr ? ibus_ack : dbus_ack, rdata = instr ? ibus_rdt : dbus_rdt;
endmodule

module tiny_obi (input clk, rst, output instr_req, data_req, data_we, output [3:0] data_be,
 output [31:0] instr_addr, data_addr, data_wdata, input instr_gnt, instr_rvalid, data_gnt,
 data_rvalid, input [31:0] instr_rdata, data_rdata, `OUT);
 `TINY
 reg open = 0;
 assign instr_req = req && instr && !open, data_req = req && !instr && !open, data_we = we;
 assign data_be = be, instr_addr = addr, data_addr = addr, data_wdata = wdata;
 assign done = instr ? instr_rvalid : data_rvalid, rdata = instr ? instr_rdata : data_rdata;
 always @(posedge clk) if (done) open <= 0; else if (instr_gnt || data_gnt) open <= 1;
endmodule

module tiny_late (input clk, rst, output instr_req, data_req, data_we, output [3:0] data_be,
 output [31:0] instr_addr, data_addr, data_wdata, input instr_gnt, instr_rvalid, data_gnt,
 data_rvalid, input [31:0] instr_rdata, data_rdata, `OUT); // retirement shows 5 cycles later
 wire valid; wire [31:0] pc; reg [4:0] valids = 0; reg [159:0] pcs = 0;
 tiny_obi core (.*, .rvfi_valid(valid), .rvfi_pc_rdata(pc));
 always @(posedge clk) begin valids <= {valids[3:0], valid}; pcs <= {pcs[127:0], pc}; end
 assign rvfi_valid = valids[4], rvfi_pc_rdata = pcs[159:128];
endmodule

module tiny_ahb (input clk, rst, output [1:0] i_htrans, d_htrans, output d_hwrite,
 output [2:0] d_hsize, output [31:0] i_haddr, d_haddr, d_hwdata, input i_hready, d_hready,
 input [31:0] i_hrdata, d_hrdata, `OUT);
 `TINY
 reg open = 0;
 assign i_htrans = {req && instr && !open, 1'b0}, d_htrans = {req && !instr && !open, 1'b0};
 assign d_hwrite = we, d_hsize = {1'b0, core.f3[1:0]}, i_haddr = addr, d_hwdata = wdata;
 assign d_haddr = core.at, done = open && (instr ? i_hready : d_hready);
 assign rdata = instr ? i_hrdata : d_hrdata;
 always @(posedge clk) if (done) open <= 0; else if (i_htrans[1] || d_htrans[1]) open <= 1;
endmodule

module tiny_ahb1 (input clk, rst, output [1:0] htrans, output hwrite, output [2:0] hsize,
 output [3:0] hprot, output [31:0] haddr, hwdata, input hready, input [31:0] hrdata, `OUT);
 `TINY
 reg open = 0;
 assign htrans = {req && !open, 1'b0}, hwrite = we, hsize = {1'b0, instr ? 2'd2 : core.f3[1:0]};
 assign hprot = {3'd0, !instr}, haddr = instr ? addr : core.at, hwdata = wdata;
 assign done = open && hready, rdata = hrdata;
 always @(posedge clk) if (done) open <= 0; else if (htrans[1]) open <= 1;
endmodule
