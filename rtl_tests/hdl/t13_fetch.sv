// Fetch and decode slots: one hart after the other in strict rotation, HARTS - 1 first.
//
// A word is asked for when the decode slot is free or becomes free; the memory answers in the next
// cycle or later. The slot keeps the answer until the execute stage takes it. With three harts or
// more a hart's last instruction has left execute when its next one is asked for; with two, the
// new pc comes past the register.
module t13_fetch #(
    parameter int HARTS = 3,
    parameter int HART_BITS = 2,
    parameter logic [31:0] RESET_PC = 32'h0000_0080,
    parameter logic [19:0] QUIRKS = 20'hfffff
) (
    input  logic                 clk,
    input  logic                 rst_n,
    output logic                 instr_req,
    input  logic                 instr_gnt,
    output logic [         31:0] instr_addr,
    input  logic                 instr_rvalid,
    input  logic [         31:0] instr_rdata,
    // The decode slot.
    output logic                 d_valid,
    output logic [HART_BITS-1:0] d_hart,
    output logic [         31:0] d_pc,
    output logic [         31:0] d_word,
    input  logic                 d_leaves,
    // The next pc of the hart in execute, with its last cycle there.
    input  logic                 done,
    input  logic [HART_BITS-1:0] done_hart,
    input  logic [         31:0] done_pc,       // where it was
    input  logic                 done_jumps,    // jump or branch instruction
    input  logic [         31:0] next_pc,
    // A write to memory, for code that is written while it is fetched.
    input  logic                 store,
    input  logic [         31:0] store_address,
    input  logic [          3:0] store_enables,
    input  logic [         31:0] store_data
);
  logic [HART_BITS-1:0] f_hart;
  logic [32*HARTS-1:0] pcs;
  logic asked, held, booted;
  logic [31:0] held_word, answer;

  // The first fetch is made twice: unless it jumps, the first instruction is executed twice.
  logic [31:0] new_pc;
  assign new_pc = QUIRKS[t13_pkg::BOOT_FIRST_SLOT_REPEATS] && !booted && !done_jumps &&
                  next_pc == done_pc + 32'd4 ? done_pc : next_pc;

  logic [31:0] f_pc;
  generate
    if (HARTS == 2) begin : g_past
      assign f_pc = done && done_hart == f_hart ? new_pc : pcs[32*f_hart+:32];
    end else begin : g_register
      assign f_pc = pcs[32*f_hart+:32];
    end
  endgenerate

  assign instr_req = rst_n && (!(asked || held) || d_leaves);
  assign instr_addr = {f_pc[31:2], 2'b00};
  assign d_valid = held || (asked && instr_rvalid);
  assign answer = held ? held_word : instr_rdata;

  // Without the quirk, what is stored shows in all words that have not entered execute.
  generate
    if (QUIRKS[t13_pkg::FETCHED_BEFORE_STORE]) begin : g_word
      assign d_word = answer;
    end else begin : g_snoop
      logic [3:0] missed, now;
      logic [31:0] missed_data;
      logic to_slot, to_fetch;
      assign to_slot = store && store_address[31:2] == d_pc[31:2];
      assign to_fetch = store && store_address[31:2] == f_pc[31:2];
      assign now = to_slot ? store_enables : 4'b0;
      genvar i;
      for (i = 0; i < 4; i++) begin : g_byte
        assign d_word[8*i+:8] = now[i] ? store_data[8*i+:8] :
                                missed[i] ? missed_data[8*i+:8] : answer[8*i+:8];
        always_ff @(posedge clk) begin
          if (instr_req && instr_gnt) begin
            missed[i] <= to_fetch && store_enables[i];
            missed_data[8*i+:8] <= store_data[8*i+:8];
          end else if (now[i]) begin
            missed[i] <= 1'b1;
            missed_data[8*i+:8] <= store_data[8*i+:8];
          end
        end
      end
    end
  endgenerate

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      f_hart <= HART_BITS'(HARTS - 1);
      asked  <= 1'b0;
      held   <= 1'b0;
      booted <= 1'b0;
    end else begin
      if (instr_req && instr_gnt) begin
        f_hart <= f_hart == 0 ? HART_BITS'(HARTS - 1) : f_hart - 1'b1;
        asked  <= 1'b1;
        held   <= 1'b0;
      end else if (d_leaves) begin
        asked <= 1'b0;
        held  <= 1'b0;
      end else if (asked && instr_rvalid) begin
        asked <= 1'b0;
        held  <= 1'b1;
      end
      if (done) booted <= 1'b1;
    end
    if (instr_req && instr_gnt) begin
      d_hart <= f_hart;
      d_pc   <= f_pc;
    end
    if (asked && instr_rvalid) held_word <= instr_rdata;
  end

  genvar h;
  generate
    for (h = 0; h < HARTS; h++) begin : g_pc
      always_ff @(posedge clk) begin
        if (!rst_n) pcs[32*h+:32] <= RESET_PC;
        else if (done && done_hart == HART_BITS'(h)) pcs[32*h+:32] <= new_pc;
      end
    end
  endgenerate
endmodule
