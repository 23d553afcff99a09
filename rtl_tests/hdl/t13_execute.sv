// The execute stage: one instruction, for one cycle or several. `phase` counts its cycles as far as
// the memory lets it:
//
//   phase           0            1              2          3
//   most            result
//   load            request      answer
//   sw to a hart    request      interrupt bit  -
//   swap            request      answer         write      -
//   swap, rd = x0   write        -
//   csr             -            access         result
//   mulh            multiply     add            result
//   div             until the divider shows its result
//
// In its last cycle (`done`) it writes its register and says where its hart goes on. What traps
// ends at once, but for CSR accesses and misaligned stores to a hart.
module t13_execute #(
    parameter int HARTS = 3,
    parameter int HART_BITS = 2,
    parameter bit HAS_VCU = 1,
    parameter int SIZE_BITS = 13,
    parameter DIVIDER = "restoring_r2",
    parameter logic [19:0] QUIRKS = 20'hfffff
) (
    input  logic                 clk,
    input  logic                 rst_n,
    input  logic                 count_all,
    // The instruction that leaves decode.
    input  logic                 enters,
    input  logic [HART_BITS-1:0] d_hart,
    input  logic [         31:0] d_pc,
    input  logic [         31:0] d_word,
    input  logic [         31:0] rs1_value,
    input  logic [         31:0] rs2_value,
    input  logic [         31:0] rd_value,
`ifdef GNOMON_UNITS
    input  logic [         31:0] rs3_value,
    output logic [         31:0] rs3,
`endif
    // The instruction here.
    output logic                 issue,
    output logic [HART_BITS-1:0] hart,
    output logic [         31:0] pc,
    output logic [         31:0] word,
    output logic                 holds,           // not its last cycle
    output logic                 stores,          // keeps the load-store unit in this cycle
    output logic                 done,
    output logic                 jumps,
    output logic [         31:0] next_pc,
    output logic                 write,
    output logic [          4:0] write_register,
    output logic [         31:0] write_value,
    // Data port; an error comes with the grant.
    output logic                 data_req,
    input  logic                 data_gnt,
    output logic                 data_we,
    output logic [          3:0] data_be,
    output logic [         31:0] data_addr,
    output logic [         31:0] data_wdata,
    input  logic                 data_rvalid,
    input  logic [         31:0] data_rdata,
    input  logic                 data_err,
    // Vector unit.
    output logic                 vcu_issue,
    output logic                 vcu_transfer,
    output logic [         31:0] rs1,
    output logic [         31:0] rs2,
    output logic [         31:0] rd,
    output logic [SIZE_BITS-1:0] mvsize,
    output logic [          1:0] mvtype,
    output logic [          4:0] mpsclfac,
    output logic [          1:0] mvtype_of_hart0,
    input  logic                 vcu_trap,
    input  logic [          8:0] vcu_cause
);
  logic valid;
  logic [1:0] phase;
  logic advances;
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      valid <= 1'b0;
      phase <= 2'd0;
      hart  <= HART_BITS'(HARTS - 1);
    end else begin
      if (enters) valid <= 1'b1;
      else if (done) valid <= 1'b0;
      if (enters) phase <= 2'd0;
      else if (advances) phase <= phase + 2'd1;
      if (enters) hart <= d_hart;
    end
    if (enters) {pc, word, rs1, rs2, rd} <= {d_pc, d_word, rs1_value, rs2_value, rd_value};
`ifdef GNOMON_UNITS
    if (enters) rs3 <= rs3_value;
`endif
  end

  logic first, arrived;
  always_ff @(posedge clk) arrived <= rst_n && enters;
  assign issue = valid && arrived;
  assign first = valid && phase == 2'd0;

  logic integer_op, mul, mulh, div, lui, auipc, jal, jalr, branch;
  logic load, store, swap, csr, ecall, mret, wfi, kmem, kdsp, illegal;
  logic [31:0] imm;
`ifdef GNOMON_UNITS
  logic unit;
`endif
  t13_decode #(
      .HAS_VCU(HAS_VCU),
      .QUIRKS(QUIRKS)
  ) decode (
      .word, .integer_op, .mul, .mulh, .div, .lui, .auipc, .jal, .jalr, .branch, .load, .store,
      .swap, .csr, .ecall, .mret, .wfi, .kmem, .kdsp, .illegal, .imm
`ifdef GNOMON_UNITS
      , .unit
`endif
  );
  logic [2:0] funct3;
  assign funct3 = word[14:12];
  assign write_register = word[11:7];

  logic misaligned, bus_error;

  // Interrupts: taken instead of an instruction that the integer unit would execute. A sw is
  // executed, and the interrupt taken.
  logic mie, msip, pending, interrupted, is_sw;
  assign is_sw = store && funct3 == 3'd2;
  assign pending = mie && msip;
  assign interrupted = first && pending && (is_sw ? !misaligned && !bus_error :
                                            !(load || store || swap || kmem || kdsp));

  // Results.
  logic [31:0] alu_b, alu_result, low, high;
  logic taken;
  assign alu_b = word[6:0] == t13_pkg::OP_IMM ? imm : rs2;
  t13_alu alu (
      .funct3,
      .subtract(word[30] && (word[6:0] == t13_pkg::OP || funct3 == 3'd5)),
      .a(rs1),
      .b(alu_b),
      .result(alu_result),
      .taken
  );
  t13_multiplier multiplier (.clk, .funct3, .a(rs1), .b(rs2), .low, .high);

  logic divides, divide_starts, divided;
  logic [31:0] quotient, remainder;
  assign divides = valid && div && !interrupted;
  assign divide_starts = divides && issue;
  divider #(
      .WIDTH(32),
      .KIND(DIVIDER)
  ) scalar_divider (
      .clk,
      .rst_n,
      .start_valid(divide_starts),
      .start_ready(),
      .is_signed(!funct3[0]),
      .dividend(rs1),
      .divisor(rs2),
      .done_valid(divided),
      .done_ready(divides && !issue),
      .quotient,
      .remainder
  );

`ifdef GNOMON_UNITS
  // Units of the machine: each holds the stage until it shows its result.
  logic unit_done, unit_writes;
  logic [31:0] unit_result;
  t13_units #(
      .HART_BITS(HART_BITS)
  ) units (
      .clk,
      .rst_n,
      .start(issue && unit && !interrupted),
      .hart,
      .word,
      .a(rs1),
      .b(rs2),
      .third(rd),
      .imm,
      .writes(unit_writes),
      .done(unit_done),
      .result(unit_result)
  );

`endif
  // Loads, stores, swaps.
  logic to_hart;
  logic [31:0] address, loaded;
  logic [3:0] enables, enables_of_last;
  assign address = swap ? rs1 : rs1 + imm;
  assign misaligned = (load || store || swap) &&
                      ((funct3[1:0] == 2'd1 && address[0]) ||
                       (funct3[1:0] == 2'd2 && address[1:0] != 0));
  assign to_hart = is_sw && address[31:8] == 24'h0000ff;
  logic [31:0] shifted;
  t13_access access (
      .funct3, .address, .data_rdata, .store_value(rs2), .enables, .data_wdata(shifted), .loaded
  );

  // A swap writes with the byte enables of the last load or store of any hart; without one, no byte.
  always_ff @(posedge clk) begin
    if (!rst_n) enables_of_last <= 4'h0;
    else if (issue && (load || store)) begin
      enables_of_last <= funct3[1:0] == 2'd0 ? 4'h1 : funct3[1:0] == 2'd1 ? 4'h3 : 4'hf;
    end
  end
  logic reads_first;
  assign reads_first = load || (swap && write_register != 0);
  assign data_req = valid && (load || store || swap) && !misaligned &&
                    (phase == 2'd0 || (phase == 2'd2 && swap));
  assign data_we = store || (swap && (!reads_first || phase == 2'd2));
  assign data_be = !swap ? enables :
                   QUIRKS[t13_pkg::AMO_STALE_BYTE_ENABLES] ? enables_of_last : 4'hf;
  assign data_addr = {address[31:2], 2'b00};  // bytes have their enables
  assign data_wdata = swap ? rs2 : shifted;

  // The old word of a swap waits for the write.
  logic [31:0] old_word;
  always_ff @(posedge clk) if (valid && phase == 2'd1 && swap) old_word <= data_rdata;

  // CSRs.
  logic denied, slept;
  logic [31:0] mtvec, mepc, last_read, cause, badaddr;
  logic takes_trap, takes_interrupt, set_badaddr;
  logic [HART_BITS-1:0] badaddr_hart;
  logic beyond_harts;
  assign beyond_harts = address[7:2] >= 6'(HARTS);
  t13_csrs #(
      .HARTS(HARTS),
      .HART_BITS(HART_BITS),
      .HAS_VCU(HAS_VCU),
      .SIZE_BITS(SIZE_BITS),
      .QUIRKS(QUIRKS)
  ) csrs (
      .clk,
      .rst_n,
      .count_all,
      .hart,
      .issue,
      .access(valid && csr && phase == 2'd1),
      .address(word[31:20]),
      .action(funct3[1:0]),
      .operand(funct3[2] ? {27'b0, word[19:15]} : rs1),
      .writes(funct3[1:0] == 2'd1 || word[19:15] != 0),
      .denied,
      .last_read,
      .interrupt(valid && to_hart && phase == 2'd1),
      .interrupt_misses(misaligned || beyond_harts),
      .interrupt_hart(address[2+:HART_BITS]),
      .interrupt_bit(rs2[3]),
      .takes_trap,
      .takes_interrupt,
      .returns(done && mret && !interrupted),
      .pc,
      .cause,
      .set_badaddr,
      .badaddr_hart,
      .badaddr,
      .mie,
      .msip,
      .mtvec,
      .mepc,
      .slept,
      .mvsize,
      .mvtype,
      .mpsclfac,
      .mvtype_of_hart0
  );

  // Where it goes on, if it does not trap.
  logic [31:0] target;
  logic odd_target;
  assign target = jalr ? (rs1 + imm) & ~32'd1 : pc + imm;
  assign jumps = jal || jalr || branch;
  assign odd_target = !QUIRKS[t13_pkg::FETCH_IGNORES_ALIGNMENT] && target[1:0] != 0 &&
                      (jal || jalr || (branch && taken));

  // Traps. `late`: the cause shows, but the instruction takes its time.
  logic fails, late;
  logic [31:0] failure;
  assign bus_error = data_req && data_gnt && data_err && phase == 2'd0;
  assign late = csr || (to_hart && misaligned);
  always @* begin
    fails   = 1'b1;
    failure = t13_pkg::CAUSE_ILLEGAL;
    if (illegal) failure = t13_pkg::CAUSE_ILLEGAL;
    else if (ecall) failure = t13_pkg::CAUSE_ECALL;
    else if (misaligned)
      failure = reads_first ? t13_pkg::CAUSE_LOAD_MISALIGNED : t13_pkg::CAUSE_STORE_MISALIGNED;
    else if (bus_error)
      failure = reads_first ? t13_pkg::CAUSE_LOAD_ERROR : t13_pkg::CAUSE_STORE_ERROR;
    else if (odd_target) failure = t13_pkg::CAUSE_TARGET;
    else if (vcu_trap) failure = {23'b0, vcu_cause};
    else if (csr && denied) failure = t13_pkg::CAUSE_ILLEGAL;
    else fails = 1'b0;
  end

  // Cycles.
  logic [1:0] last_phase;
  logic waits_for_memory, ends;
  always @* begin
    if (csr || mulh || to_hart) last_phase = 2'd2;
    else if (swap) last_phase = write_register != 0 ? 2'd3 : 2'd1;
    else if (load) last_phase = 2'd1;
    else last_phase = 2'd0;
  end
  assign waits_for_memory = (data_req && !data_gnt) ||
                            (phase == 2'd1 && reads_first && !data_rvalid);
`ifdef GNOMON_UNITS
  assign advances = valid && !waits_for_memory && !(div && !interrupted && !(divided && !issue)) &&
                    !(unit && !interrupted && !unit_done);
`else
  assign advances = valid && !waits_for_memory && !(div && !interrupted && !(divided && !issue));
`endif
  assign ends = (first && (interrupted || (fails && !late))) || phase == last_phase;
  assign done = advances && ends;
  assign holds = valid && !done;
  assign stores = first && store && !fails;

  assign takes_interrupt = done && interrupted;
  assign takes_trap = done && fails && !interrupted;
  assign cause = !interrupted ? failure :
                 wfi ? t13_pkg::CAUSE_INTERRUPT_IN_WFI : t13_pkg::CAUSE_INTERRUPT;

  always @* begin
    if (interrupted || fails) next_pc = mtvec;
    else if (mret) next_pc = mepc + (slept ? 32'd4 : 32'd0);
    else if (wfi && mie) next_pc = pc;
    else if (jal || jalr || (branch && taken)) next_pc = target;
    else next_pc = pc + 32'd4;
  end

  // The register. A store to a hart waits for the CSRs, and what they last read goes to the
  // register that the low bits of its offset name.
  logic writes_result, writes_stray;
`ifdef GNOMON_UNITS
  assign writes_result = !fails && (integer_op || mul || mulh || div || lui || auipc || jal ||
                                    jalr || load || swap || csr ||
                                    (unit && unit_writes));
`else
  assign writes_result = !fails && (integer_op || mul || mulh || div || lui || auipc || jal ||
                                    jalr || load || swap || csr);
`endif
  assign writes_stray = to_hart && QUIRKS[t13_pkg::SWI_STORE_WRITES_REGISTER];
  assign write = done && !interrupted && write_register != 0 && (writes_result || writes_stray);
  always @* begin
    if (mul) write_value = low;
`ifdef GNOMON_UNITS
    else if (unit) write_value = unit_result;
`endif
    else if (mulh) write_value = high;
    else if (div) write_value = funct3[1] ? remainder : quotient;
    else if (lui) write_value = imm;
    else if (auipc) write_value = pc + imm;
    else if (jal || jalr) write_value = pc + 32'd4;
    else if (load) write_value = loaded;
    else if (swap) write_value = old_word;
    else if (csr || store) write_value = last_read;
    else write_value = alu_result;
  end

  // The vector unit sees an instruction once.
  assign vcu_issue = HAS_VCU && issue && (kmem || kdsp);
  assign vcu_transfer = kmem;

  logic transfer_misaligned;
  logic [31:0] transfer_address;
  assign transfer_misaligned = vcu_trap && (failure == t13_pkg::CAUSE_LOAD_MISALIGNED ||
                                            failure == t13_pkg::CAUSE_STORE_MISALIGNED);
  assign transfer_address = word[31:25] == vcu_pkg::KMEMSTR ? rd : rs1;
  t13_badaddr #(
      .HART_BITS(HART_BITS),
      .FROM_NEXT_SLOT(QUIRKS[t13_pkg::MBADADDR_FROM_NEXT_SLOT])
  ) bad_address (
      .clk,
      .rst_n,
      .trap(first && ((misaligned && !interrupted) || transfer_misaligned)),
      .hart,
      .address(transfer_misaligned ? transfer_address : address),
      .issue,
      .offset(load || store),
      .rs1,
      .imm,
      .set(set_badaddr),
      .set_hart(badaddr_hart),
      .value(badaddr)
  );
endmodule
