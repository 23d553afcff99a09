// Numbers of the core: opcodes, causes of traps, CSRs, and where each quirk has its bit.
`ifndef T13_PKG_SVH
`define T13_PKG_SVH
package t13_pkg;

  localparam logic [6:0] LOAD = 7'h03;
  localparam logic [6:0] KMEM = 7'h0b;
  localparam logic [6:0] MISC_MEM = 7'h0f;
  localparam logic [6:0] OP_IMM = 7'h13;
  localparam logic [6:0] AUIPC = 7'h17;
  localparam logic [6:0] STORE = 7'h23;
  localparam logic [6:0] KDSP = 7'h2b;
  localparam logic [6:0] AMO = 7'h2f;
  localparam logic [6:0] OP = 7'h33;
  localparam logic [6:0] LUI = 7'h37;
  localparam logic [6:0] BRANCH = 7'h63;
  localparam logic [6:0] JALR = 7'h67;
  localparam logic [6:0] JAL = 7'h6f;
  localparam logic [6:0] SYSTEM = 7'h73;

  localparam logic [31:0] ECALL = 32'h0000_0073;
  localparam logic [31:0] EBREAK = 32'h0010_0073;
  localparam logic [31:0] MRET = 32'h3020_0073;
  localparam logic [31:0] WFI = 32'h1050_0073;
  localparam logic [31:0] JUMP_TO_ITSELF = 32'h0000_006f;

  localparam logic [31:0] CAUSE_TARGET = 32'd0;
  localparam logic [31:0] CAUSE_ILLEGAL = 32'd2;
  localparam logic [31:0] CAUSE_LOAD_MISALIGNED = 32'd4;
  localparam logic [31:0] CAUSE_LOAD_ERROR = 32'd5;
  localparam logic [31:0] CAUSE_STORE_MISALIGNED = 32'd6;
  localparam logic [31:0] CAUSE_STORE_ERROR = 32'd7;
  localparam logic [31:0] CAUSE_ECALL = 32'd11;
  localparam logic [31:0] CAUSE_INTERRUPT = 32'h8000_0003;
  localparam logic [31:0] CAUSE_INTERRUPT_IN_WFI = 32'hc000_0003;

  localparam logic [11:0] MSTATUS = 12'h300;
  localparam logic [11:0] MTVEC = 12'h305;
  localparam logic [11:0] MHPMEVENT = 12'h320;  // + 3, 6 to 10
  localparam logic [11:0] MEPC = 12'h341;
  localparam logic [11:0] MCAUSE = 12'h342;
  localparam logic [11:0] MBADADDR = 12'h343;
  localparam logic [11:0] MIP = 12'h344;
  localparam logic [11:0] PCER = 12'h7a0;
  localparam logic [11:0] MESTATUS = 12'h7b8;
  localparam logic [11:0] MCYCLE = 12'hb00;  // mhpmcounters: + 3, 6 to 10
  localparam logic [11:0] MINSTRET = 12'hb02;
  localparam logic [11:0] MCYCLEH = 12'hb80;
  localparam logic [11:0] MINSTRETH = 12'hb82;
  localparam logic [11:0] MPSCLFAC = 12'hbe0;
  localparam logic [11:0] MVSIZE = 12'hbf0;
  localparam logic [11:0] MVTYPE = 12'hbf8;
  localparam logic [11:0] MCPUID = 12'hf00;
  localparam logic [11:0] MIMPID = 12'hf01;
  localparam logic [11:0] MHARTID = 12'hf14;
  localparam logic [11:0] MIRQ = 12'hfc0;

  // Bits of the parameter CORE_QUIRKS: the keys of core.quirks, in their order.
  localparam int CSR_SET_CLEAR_X0_IS_NOP = 0;
  localparam int OP_RD_X0_IS_NOP = 1;
  localparam int LOAD_RD_X0_IS_NOP = 2;
  localparam int AMO_IGNORES_FUNCT5 = 3;
  localparam int AMO_STALE_BYTE_ENABLES = 4;
  localparam int UNKNOWN_CSR_READS_ZERO = 5;
  localparam int SLLI_IGNORES_FUNCT7 = 6;
  localparam int FETCH_IGNORES_ALIGNMENT = 7;
  localparam int BOOT_FIRST_SLOT_REPEATS = 8;
  localparam int SWI_STALE_TARGET = 9;
  localparam int SWI_STORE_WRITES_REGISTER = 10;
  localparam int MBADADDR_FROM_NEXT_SLOT = 11;
  localparam int TRAP_SETS_MPIE = 12;
  localparam int COUNTER_WRITE_COSTS_OTHERS_A_CYCLE = 13;
  localparam int JALR_IGNORES_FUNCT3 = 14;
  localparam int PCER_KEEPS_ALL_BITS = 15;
  localparam int MHPMEVENT_BITS = 16;
  localparam int MBADADDR_READ_ONLY = 17;
  localparam int MESTATUS_WRITES_BIT_0 = 18;
  localparam int FETCHED_BEFORE_STORE = 19;
  localparam int CORE_QUIRK_COUNT = 20;

  // Bits of the parameter VCU_QUIRKS: the keys of vcu.quirks, in their order.
  localparam int SIMD1_BYTE_PRODUCTS = 0;
  localparam int FIRST_BEAT_WIDTH_OF_HART0 = 1;
  localparam int MULTITHREADED_LANE_MASK = 2;
  localparam int KMEMLD_PARTIAL_WORD_REPEATS = 3;
  localparam int SCALAR_READ_EVERY_BEAT = 4;
  localparam int SCALAR_BESIDE_VECTOR = 5;
  localparam int BYTE_PRODUCTS_CLEAR_AHEAD = 6;
  localparam int HELD_REDUCTION_LOSES_BEATS = 7;
  localparam int SPM_CHECK_FIXED_TO_FOUR = 8;
  localparam int LONG_TRANSFER_WRAPS = 9;
  localparam int VCU_QUIRK_COUNT = 10;
endpackage
`endif
