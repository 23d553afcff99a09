// What an instruction word asks for. One of the outputs of the first group is set, or none for a
// nop. What is not checked is the machine's own: see the quirks.
module t13_decode #(
    parameter bit HAS_VCU = 1,
    parameter logic [19:0] QUIRKS = 20'hfffff
) (
    input  logic [31:0] word,
    output logic        integer_op,  // OP, OP-IMM, but for mul and div
    output logic        mul,
    output logic        mulh,
    output logic        div,
    output logic        lui,
    output logic        auipc,
    output logic        jal,
    output logic        jalr,
    output logic        branch,
    output logic        load,
    output logic        store,
    output logic        swap,
    output logic        csr,
    output logic        ecall,
    output logic        mret,
    output logic        wfi,
    output logic        kmem,
    output logic        kdsp,
`ifdef GNOMON_UNITS
    output logic        unit,
`endif
    output logic        illegal,
    output logic [31:0] imm
);
  logic [6:0] opcode, funct7;
  logic [2:0] funct3;
  logic [4:0] rd;
  assign {opcode, funct7, funct3, rd} = {word[6:0], word[31:25], word[14:12], word[11:7]};

  always @* begin
    case (opcode)
      t13_pkg::LUI, t13_pkg::AUIPC: imm = {word[31:12], 12'b0};
      t13_pkg::JAL: imm = {{12{word[31]}}, word[19:12], word[20], word[30:21], 1'b0};
      t13_pkg::BRANCH: imm = {{20{word[31]}}, word[7], word[30:25], word[11:8], 1'b0};
      t13_pkg::STORE: imm = {{21{word[31]}}, word[30:25], word[11:7]};
      default: imm = {{21{word[31]}}, word[30:20]};
    endcase
  end

  // OP and OP-IMM: funct7 is 0, or 0x20 for sub and sra, or 1 for products and quotients.
  logic multiplies, discarded, odd_funct7;
  assign multiplies = opcode == t13_pkg::OP && funct7 == 7'h01;
  assign discarded = rd == 0 && QUIRKS[t13_pkg::OP_RD_X0_IS_NOP];
  always @* begin
    case (funct3)
      3'd0: odd_funct7 = opcode == t13_pkg::OP && funct7 != 0 && funct7 != 7'h20;
      3'd1: odd_funct7 = funct7 != 0 &&
                         !(opcode == t13_pkg::OP_IMM && QUIRKS[t13_pkg::SLLI_IGNORES_FUNCT7]);
      3'd5: odd_funct7 = funct7 != 0 && funct7 != 7'h20;
      default: odd_funct7 = opcode == t13_pkg::OP && funct7 != 0;
    endcase
  end

  logic access, set_or_clear;
  assign access = funct3[1:0] != 0;
  assign set_or_clear = funct3[1];

`ifdef GNOMON_UNITS
  logic vector;
  t13_units_decode units (
      .word,
      .unit,
      .reads_rs3(),
      .vector,
      .code()
  );

`endif
  always @* begin
    {integer_op, mul, mulh, div, lui, auipc, jal, jalr, branch} = '0;
    {load, store, swap, csr, ecall, mret, wfi, kmem, kdsp, illegal} = '0;
    case (opcode)
      t13_pkg::OP, t13_pkg::OP_IMM:
      if (!discarded) begin
        mul = multiplies && funct3 == 0;
        mulh = multiplies && !funct3[2] && funct3 != 0;
        div = multiplies && funct3[2];
        integer_op = !multiplies && !odd_funct7;
        illegal = !multiplies && odd_funct7;
      end
      t13_pkg::LUI: lui = 1'b1;
      t13_pkg::AUIPC: auipc = 1'b1;
      t13_pkg::JAL: jal = 1'b1;
      t13_pkg::JALR:
      if (funct3 == 0 || QUIRKS[t13_pkg::JALR_IGNORES_FUNCT3]) jalr = 1'b1;
      else illegal = 1'b1;
      t13_pkg::BRANCH:
      if (funct3[2:1] == 2'b01) illegal = 1'b1;
      else branch = 1'b1;
      t13_pkg::LOAD:
      if (rd != 0 || !QUIRKS[t13_pkg::LOAD_RD_X0_IS_NOP]) begin
        if (funct3 == 3'd3 || funct3[2:1] == 2'b11) illegal = 1'b1;
        else load = 1'b1;
      end
      t13_pkg::STORE:
      if (funct3 > 3'd2) illegal = 1'b1;
      else store = 1'b1;
      t13_pkg::AMO:
      if (funct3 == 3'd2 && (word[31:27] == 5'd1 || QUIRKS[t13_pkg::AMO_IGNORES_FUNCT5]))
        swap = 1'b1;
      else illegal = 1'b1;
      t13_pkg::MISC_MEM: illegal = funct3 > 3'd1;
      t13_pkg::SYSTEM:
      if (access) csr = !(set_or_clear && rd == 0 && QUIRKS[t13_pkg::CSR_SET_CLEAR_X0_IS_NOP]);
      else if (word == t13_pkg::ECALL) ecall = 1'b1;
      else if (word == t13_pkg::MRET) mret = 1'b1;
      else if (word == t13_pkg::WFI) wfi = 1'b1;
      else illegal = word != t13_pkg::EBREAK;  // no debug unit: a nop
      t13_pkg::KMEM:
      if (HAS_VCU) kmem = 1'b1;
      else illegal = 1'b1;
      t13_pkg::KDSP:
      if (HAS_VCU) kdsp = 1'b1;
      else illegal = 1'b1;
`ifdef GNOMON_UNITS
      default: begin
        kdsp = vector;
        illegal = !unit && !vector;
      end
`else
      default: illegal = 1'b1;
`endif
    endcase
  end

endmodule
