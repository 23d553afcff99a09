// Registers of all harts, and what they share: the answer to the hart in execute, and the hart
// that a store to a software-interrupt register without a hart reaches.
module t13_csrs #(
    parameter int HARTS = 3,
    parameter int HART_BITS = 2,
    parameter bit HAS_VCU = 1,
    parameter int SIZE_BITS = 13,
    parameter logic [19:0] QUIRKS = 20'hfffff
) (
    input  logic                 clk,
    input  logic                 rst_n,
    input  logic                 count_all,        // counters of a hart count what all do
    input  logic [HART_BITS-1:0] hart,             // in execute, or the last one that was
    input  logic                 issue,            // its first cycle
    // A CSR instruction: in its second cycle.
    input  logic                 access,
    input  logic [         11:0] address,
    input  logic [          1:0] action,
    input  logic [         31:0] operand,
    input  logic                 writes,
    output logic                 denied,
    output logic [         31:0] last_read,
    // A store to a software-interrupt register: in its second cycle.
    input  logic                 interrupt,
    input  logic                 interrupt_misses,  // no hart has this register
    input  logic [HART_BITS-1:0] interrupt_hart,
    input  logic                 interrupt_bit,
    // In the last cycle of an instruction.
    input  logic                 takes_trap,
    input  logic                 takes_interrupt,
    input  logic                 returns,
    input  logic [         31:0] pc,
    input  logic [         31:0] cause,
    input  logic                 set_badaddr,
    input  logic [HART_BITS-1:0] badaddr_hart,
    input  logic [         31:0] badaddr,
    // Of the hart in execute.
    output logic                 mie,
    output logic                 msip,
    output logic [         31:0] mtvec,
    output logic [         31:0] mepc,
    output logic                 slept,
    output logic [SIZE_BITS-1:0] mvsize,
    output logic [          1:0] mvtype,
    output logic [          4:0] mpsclfac,
    output logic [          1:0] mvtype_of_hart0
);
  // A write to a read-only register is refused; so is a register that does not exist.
  logic read_only, unknown;
  assign read_only = address == t13_pkg::MHARTID || address == t13_pkg::MCPUID ||
                     address == t13_pkg::MIMPID || address == t13_pkg::MIRQ ||
                     (address == t13_pkg::MBADADDR && QUIRKS[t13_pkg::MBADADDR_READ_ONLY]);
  logic [HARTS-1:0] known;
  assign unknown = !known[0] && !QUIRKS[t13_pkg::UNKNOWN_CSR_READS_ZERO];
  assign denied = (read_only && writes) || unknown;

  // The hart of the last CSR access or interrupt store, with the quirk that it is remembered.
  logic [HART_BITS-1:0] target, target_held;
  logic reaches;
  assign target = interrupt_misses ? target_held : interrupt_hart;
  assign reaches = interrupt && (!interrupt_misses || QUIRKS[t13_pkg::SWI_STALE_TARGET]);
  always_ff @(posedge clk) begin
    if (!rst_n) target_held <= '0;
    else if (access) target_held <= hart;
    else if (interrupt) target_held <= target;
  end

  // One port writes the counters: in that cycle no other counter moves.
  logic writes_mcycle, cycle_is_lost;
  assign writes_mcycle = access && writes && !denied &&
                         (address == t13_pkg::MCYCLE || address == t13_pkg::MCYCLEH);
  assign cycle_is_lost = writes_mcycle && QUIRKS[t13_pkg::COUNTER_WRITE_COSTS_OTHERS_A_CYCLE];

  logic [HARTS-1:0] all_mie, all_msip, all_slept;
  logic [32*HARTS-1:0] all_mtvec, all_mepc, all_last_read;
  logic [SIZE_BITS*HARTS-1:0] all_mvsize;
  logic [2*HARTS-1:0] all_mvtype;
  logic [5*HARTS-1:0] all_mpsclfac;
  genvar h;
  generate
    for (h = 0; h < HARTS; h++) begin : g_hart
      logic mine;
      assign mine = hart == HART_BITS'(h);
      t13_hart_csrs #(
          .HART(h),
          .HAS_VCU(HAS_VCU),
          .SIZE_BITS(SIZE_BITS),
          .QUIRKS(QUIRKS)
      ) registers (
          .clk,
          .rst_n,
          .access(access && mine && !denied),
          .address,
          .action,
          .operand,
          .writes,
          .known(known[h]),
          .last_read(all_last_read[32*h+:32]),
          .interrupts(reaches && target == HART_BITS'(h)),
          .interrupt_bit,
          .takes_trap(takes_trap && mine),
          .takes_interrupt(takes_interrupt && mine),
          .returns(returns && mine),
          .pc,
          .cause,
          .set_badaddr(set_badaddr && badaddr_hart == HART_BITS'(h)),
          .badaddr,
          .counts_cycle(count_all ? mine || !cycle_is_lost : mine),
          .counts_issue(issue && (count_all || mine)),
          .mie(all_mie[h]),
          .msip(all_msip[h]),
          .mtvec(all_mtvec[32*h+:32]),
          .mepc(all_mepc[32*h+:32]),
          .slept(all_slept[h]),
          .mvsize(all_mvsize[SIZE_BITS*h+:SIZE_BITS]),
          .mvtype(all_mvtype[2*h+:2]),
          .mpsclfac(all_mpsclfac[5*h+:5])
      );
    end
  endgenerate

  assign mie = all_mie[hart];
  assign msip = all_msip[hart];
  assign slept = all_slept[hart];
  assign mtvec = all_mtvec[32*hart+:32];
  assign mepc = all_mepc[32*hart+:32];
  assign last_read = all_last_read[32*hart+:32];
  assign mvsize = all_mvsize[SIZE_BITS*hart+:SIZE_BITS];
  assign mvtype = all_mvtype[2*hart+:2];
  assign mpsclfac = all_mpsclfac[5*hart+:5];
  assign mvtype_of_hart0 = all_mvtype[1:0];
endmodule
