// Encodings and operand roles of the vector instructions. Generated from the instruction table by
// gnomon/isa/_header.py; do not edit.
`ifndef VCU_PKG_SVH
`define VCU_PKG_SVH
package vcu_pkg;

  // funct7 of opcode KMEM.
  localparam logic [6:0] KMEMLD = 7'd0;
  localparam logic [6:0] KMEMSTR = 7'd1;
  localparam logic [6:0] KBCASTLD = 7'd2;

  // funct7 of opcode KDSP.
  localparam logic [6:0] KADDV = 7'd1;
  localparam logic [6:0] KSUBV = 7'd2;
  localparam logic [6:0] KVMUL = 7'd4;
  localparam logic [6:0] KVRED = 7'd6;
  localparam logic [6:0] KDOTP = 7'd8;
  localparam logic [6:0] KSVADDSC = 7'd12;
  localparam logic [6:0] KSVADDRF = 7'd13;
  localparam logic [6:0] KSVMULSC = 7'd14;
  localparam logic [6:0] KSVMULRF = 7'd15;
  localparam logic [6:0] KSRAV = 7'd16;
  localparam logic [6:0] KSRLV = 7'd17;
  localparam logic [6:0] KRELU = 7'd24;
  localparam logic [6:0] KDOTPPS = 7'd25;
  localparam logic [6:0] KVSLT = 7'd26;
  localparam logic [6:0] KSVSLT = 7'd28;
  localparam logic [6:0] KBCAST = 7'd30;
  localparam logic [6:0] KVCP = 7'd31;
  localparam logic [6:0] KVDIV = 7'd32;
  localparam logic [6:0] KSVDIVSC = 7'd33;
  localparam logic [6:0] KSVDIVRF = 7'd34;
  localparam logic [6:0] KVREM = 7'd35;
  localparam logic [6:0] KSVREMSC = 7'd36;
  localparam logic [6:0] KSVREMRF = 7'd37;
  localparam logic [6:0] KVMULPS = 7'd39;
  localparam logic [6:0] KSVMULPSSC = 7'd40;
  localparam logic [6:0] KSVMULPSRF = 7'd41;
  localparam logic [6:0] KVDIVPS = 7'd112;
  localparam logic [6:0] KSVDIVPSSC = 7'd113;
  localparam logic [6:0] KSVDIVPSRF = 7'd114;

  // Sets of KDSP instructions: bit i stands for funct7 i.
  localparam logic [127:0] PUBLIC = 128'h000000000000000000000000d703f156;  // KDSP instructions of the public core
  localparam logic [127:0] POSTSCALE = 128'h00000000000000000000038000000000;  // post-scaled products
  localparam logic [127:0] DIVIDE = 128'h00000000000000000000003f00000000;  // divisions and remainders
  localparam logic [127:0] RS1_VECTOR = 128'h0007000000000000000003bf9703f156;  // rs1 is a vector in a scratchpad
  localparam logic [127:0] RS2_VECTOR = 128'h00010000000000000000008906000116;  // rs2 is a vector in a scratchpad
  localparam logic [127:0] RS2_SPM_SCALAR = 128'h00020000000000000000011200005000;  // rs2 is one element in a scratchpad
  localparam logic [127:0] RS2_REGISTER = 128'h0004000000000000000002241000a000;  // rs2 is an element itself
  localparam logic [127:0] RD_WORD = 128'h00000000000000000000000002000140;  // the result is one word
endpackage
`endif
