// Control and status registers of one hart. An access reads and writes in the second cycle of its
// instruction; what it read is kept, as the software-interrupt store of a later cycle may want it.
module t13_hart_csrs #(
    parameter int HART = 0,
    parameter bit HAS_VCU = 1,
    parameter int SIZE_BITS = 13,  // of MVSIZE
    parameter logic [19:0] QUIRKS = 20'hfffff
) (
    input  logic                 clk,
    input  logic                 rst_n,
    // An instruction of this hart. `read_only`: what it may not write; `known`: it exists.
    input  logic                 access,
    input  logic [         11:0] address,
    input  logic [          1:0] action,        // 1 write, 2 set, 3 clear
    input  logic [         31:0] operand,
    input  logic                 writes,
    output logic                 known,
    output logic [         31:0] last_read,
    // A store of any hart to the software-interrupt register of this one.
    input  logic                 interrupts,
    input  logic                 interrupt_bit,
    // What the execute stage does to this hart in the last cycle of an instruction.
    input  logic                 takes_trap,
    input  logic                 takes_interrupt,
    input  logic                 returns,
    input  logic [         31:0] pc,
    input  logic [         31:0] cause,
    input  logic                 set_badaddr,
    input  logic [         31:0] badaddr,
    // Counting: who is in execute.
    input  logic                 counts_cycle,
    input  logic                 counts_issue,
    // The state that others use.
    output logic                 mie,
    output logic                 msip,
    output logic [         31:0] mtvec,
    output logic [         31:0] mepc,
    output logic                 slept,         // the interrupt ended a wfi
    output logic [SIZE_BITS-1:0] mvsize,
    output logic [          1:0] mvtype,
    output logic [          4:0] mpsclfac
);
  localparam logic [31:0] CAUSE_BITS = 32'h8000_011f;  // those that can be written
  localparam logic [31:0] EVENTS = 32'h0000_03e4;
  localparam logic [31:0] COUNTERS = QUIRKS[t13_pkg::PCER_KEEPS_ALL_BITS] ? 32'hffff_ffff :
                                                                            32'h0000_03e7;
  localparam logic [31:0] ADDRESS_BITS = QUIRKS[t13_pkg::FETCH_IGNORES_ALIGNMENT] ? 32'hffff_ffff :
                                                                                    32'hffff_fffc;
  localparam bit COPIES_EVENTS = QUIRKS[t13_pkg::MHPMEVENT_BITS];

  logic mpie, mestatus_0;
  logic [31:0] mcause, mbadaddr, pcer, events, mestatus_rest;
  logic [63:0] mcycle, minstret;
  assign slept = mcause[31:30] == 2'b11;

  logic [31:0] mstatus, mestatus;
  assign mstatus = {19'b0, 2'b11, 3'b0, mpie, 3'b0, mie, 3'b0};
  assign mestatus = {mestatus_rest[31:1], mestatus_0};

  // mhpmcounter and mhpmevent 3 and 6 to 10.
  logic [11:0] number;
  logic is_event, is_event_counter;
  logic [31:0] event_bit;
  assign number = {7'b0, address[4:0]};
  assign is_event = address[11:5] == t13_pkg::MHPMEVENT[11:5] &&
                    (number == 12'd3 || (number >= 12'd6 && number <= 12'd10));
  assign is_event_counter = address[11:5] == t13_pkg::MCYCLE[11:5] &&
                            (number == 12'd3 || (number >= 12'd6 && number <= 12'd10));
  assign event_bit = 32'd1 << (number[3:0] - 4'd1);

  // The value read, and the one that set and clear start from, which is another for three of them.
  logic [31:0] value, base, written;
  logic [63:0] shown;
  assign shown = minstret - 64'd1;  // stored one higher than it reads
  always @* begin
    known = 1'b1;
    case (address)
      t13_pkg::MSTATUS: value = mstatus;
      t13_pkg::MTVEC: value = mtvec;
      t13_pkg::MEPC: value = mepc;
      t13_pkg::MCAUSE: value = mcause;
      t13_pkg::MBADADDR: value = mbadaddr;
      t13_pkg::MIP: value = {28'b0, msip, 3'b0};
      t13_pkg::PCER: value = pcer;
      t13_pkg::MESTATUS: value = mestatus;
      t13_pkg::MCYCLE: value = mcycle[31:0];
      t13_pkg::MCYCLEH: value = mcycle[63:32];
      t13_pkg::MINSTRET: value = shown[31:0];
      t13_pkg::MINSTRETH: value = minstret[63:32] == 0 ? '0 : shown[63:32];
      t13_pkg::MCPUID: value = 32'h0000_0100;
      t13_pkg::MIMPID: value = 32'h0000_8000;
      t13_pkg::MHARTID: value = 32'(HART);
      t13_pkg::MIRQ: value = '0;
      // Without a vector unit nothing answers for its registers: the last answer still stands.
      t13_pkg::MVSIZE: begin
        value = HAS_VCU ? 32'(mvsize) : last_read;
        known = HAS_VCU;
      end
      t13_pkg::MVTYPE: begin
        value = HAS_VCU ? {28'b0, mvtype, 2'b0} : last_read;
        known = HAS_VCU;
      end
      t13_pkg::MPSCLFAC: begin
        value = HAS_VCU ? {27'b0, mpsclfac} : last_read;
        known = HAS_VCU;
      end
      default: begin
        value = is_event && COPIES_EVENTS ? events & event_bit : '0;
        known = is_event || is_event_counter;
      end
    endcase
  end
  assign base = address == t13_pkg::MINSTRET ? minstret[31:0] :
                address == t13_pkg::MINSTRETH ? minstret[63:32] :
                address == t13_pkg::MVTYPE ? {30'b0, mvtype} : value;
  assign written = action == 2'd2 ? base | operand : action == 2'd3 ? base & ~operand : operand;

  logic write, write_event;
  assign write = access && writes;
  assign write_event = write && is_event && COPIES_EVENTS;

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      last_read <= '0;
      mie <= 1'b0;
      mpie <= 1'b0;
      msip <= 1'b0;
      mtvec <= 32'h0000_0094;
      mepc <= '0;
      mcause <= '0;
      mbadaddr <= '0;
      mestatus_rest <= QUIRKS[t13_pkg::MESTATUS_WRITES_BIT_0] ? 32'h0000_1800 : '0;
      mestatus_0 <= 1'b0;
      pcer <= '0;
      events <= '0;
      mcycle <= '0;
      minstret <= '0;
      mvsize <= '0;
      mvtype <= 2'd2;
      mpsclfac <= '0;
    end else begin
      if (counts_cycle && pcer[0]) mcycle <= mcycle + 64'd1;
      if (counts_issue && pcer[1]) minstret <= minstret + 64'd1;

      if (access) last_read <= value;
      if (write) begin
        case (address)
          t13_pkg::MSTATUS: {mie, mpie} <= {written[3], written[7]};
          t13_pkg::MTVEC: mtvec <= written & ADDRESS_BITS;
          t13_pkg::MEPC: mepc <= written & ADDRESS_BITS;
          t13_pkg::MCAUSE: mcause <= (mcause & ~CAUSE_BITS) | (written & CAUSE_BITS);
          t13_pkg::MIP: msip <= written[3];
          t13_pkg::PCER: begin
            pcer   <= written & COUNTERS;
            events <= written & EVENTS;
          end
          t13_pkg::MESTATUS: begin
            mestatus_0 <= written[0];
            if (!QUIRKS[t13_pkg::MESTATUS_WRITES_BIT_0]) mestatus_rest <= written;
          end
          t13_pkg::MCYCLE: mcycle <= {mcycle[63:32], written};
          t13_pkg::MCYCLEH: mcycle <= {written, mcycle[31:0]};
          t13_pkg::MINSTRET: minstret <= {minstret[63:32], written};
          t13_pkg::MINSTRETH: minstret <= {written, minstret[31:0]};
          t13_pkg::MVSIZE: mvsize <= written[SIZE_BITS-1:0];
          t13_pkg::MVTYPE: mvtype <= written[1:0];
          t13_pkg::MPSCLFAC: mpsclfac <= written[4:0];
          default: ;
        endcase
      end
      // An event is a copy of its bit of PCER. What is written or set is so there, too; what is
      // cleared is not.
      if (write_event) begin
        if (action == 2'd3) begin
          events <= events & ~(operand & event_bit);
        end else begin
          pcer <= ((action == 2'd1 ? pcer & ~event_bit : pcer) | (operand & event_bit)) & COUNTERS;
          events <= (action == 2'd1 ? events & ~event_bit : events) | (operand & event_bit);
        end
      end

      if (interrupts) begin
        msip <= interrupt_bit;
        last_read <= {28'b0, msip, 3'b0};
      end
      if (takes_trap || takes_interrupt) begin
        mestatus_rest <= mstatus;
        if (!QUIRKS[t13_pkg::MESTATUS_WRITES_BIT_0]) mestatus_0 <= mstatus[0];
        mepc <= pc;
        mcause <= cause;
        mie <= 1'b0;
        mpie <= takes_trap && QUIRKS[t13_pkg::TRAP_SETS_MPIE] ? 1'b1 : mie;
      end
      if (takes_interrupt) msip <= 1'b0;
      if (returns) begin
        mie  <= mpie;
        mpie <= 1'b1;
      end
      if (set_badaddr) mbadaddr <= badaddr;
    end
  end
endmodule
