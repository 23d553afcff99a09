// The scratchpads of one accelerator. Each has SIMD banks: word w is in bank w mod SIMD, row
// w div SIMD. A window is SIMD words from any word on; rotation puts them in order.
//
// Windows a and b are read, w is written, t moves single words for the transfer engine. What is
// read shows in the next cycle and holds until the next read. Users share the ports of a
// scratchpad by staying away from each other: see the blocking rules in vcu_accelerator.
module vcu_scratchpads #(
    parameter int SIMD = 1,
    parameter int COUNT = 4,
    parameter int BYTES = 4096,
    parameter int PAD_BITS = 2,
    parameter int WORD_BITS = 10,
    parameter bit SECOND_PORT = 0,   // b has a port of its own
    parameter bit WRITE_THROUGH = 0
) (
    input  logic                 clk,
    input  logic                 a_read,
    input  logic [ PAD_BITS-1:0] a_pad,
    input  logic [WORD_BITS-1:0] a_word,
    output logic [  32*SIMD-1:0] a_window,
    input  logic                 a_line_of_b,  // the rows that b asks for, in the order of a
    input  logic                 through,      // what is written in this cycle is read
    input  logic                 b_read,
    input  logic [ PAD_BITS-1:0] b_pad,
    input  logic [WORD_BITS-1:0] b_word,
    output logic [  32*SIMD-1:0] b_window,
    input  logic [     SIMD-1:0] w_write,
    input  logic [          1:0] w_halves,
    input  logic [ PAD_BITS-1:0] w_pad,
    input  logic [WORD_BITS-1:0] w_word,
    input  logic [  32*SIMD-1:0] w_window,
    input  logic                 t_read,
    input  logic                 t_write,
    input  logic [ PAD_BITS-1:0] t_pad,
    input  logic [WORD_BITS-1:0] t_word,
    input  logic [         31:0] t_write_data,
    output logic [         31:0] t_read_data
);
  localparam int BANK_BITS = $clog2(SIMD);
  localparam int ROW_BITS = WORD_BITS - BANK_BITS;
  localparam int ROWS = BYTES / 4 / SIMD;

  // What the last read of each user asked for.
  logic [PAD_BITS-1:0] a_pad_q, b_pad_q, t_pad_q;
  logic [WORD_BITS-1:0] a_word_q, b_word_q, t_word_q;
  always_ff @(posedge clk) begin
    if (a_read) {a_pad_q, a_word_q} <= {a_pad, a_word};
    if (b_read) {b_pad_q, b_word_q} <= {b_pad, b_word};
    if (t_read) {t_pad_q, t_word_q} <= {t_pad, t_word};
  end

  // Rotation between the order of words and that of banks.
  logic [32*SIMD-1:0] a_banks, b_banks, t_banks, w_banks;
  logic [SIMD-1:0] w_write_banks;
  generate
    if (SIMD == 1) begin : g_one_bank
      assign a_window = a_banks;
      assign b_window = b_banks;
      assign t_read_data = t_banks;
      assign w_banks = w_window;
      assign w_write_banks = w_write;
    end else begin : g_rotate
      localparam int BITS = 32 * SIMD;
      logic [BANK_BITS-1:0] back;
      assign back = -w_word[BANK_BITS-1:0];
      assign a_window = BITS'({a_banks, a_banks} >> {a_word_q[BANK_BITS-1:0], 5'b0});
      assign b_window = BITS'({b_banks, b_banks} >> {b_word_q[BANK_BITS-1:0], 5'b0});
      assign t_read_data = t_banks[32*t_word_q[BANK_BITS-1:0]+:32];
      assign w_banks = BITS'({w_window, w_window} >> {back, 5'b0});
      // Nothing moved by an undefined number of places is nothing.
      assign w_write_banks = w_write == '0 ? '0 : SIMD'({w_write, w_write} >> back);
    end
  endgenerate

  genvar pad, bank;
  generate
    for (bank = 0; bank < SIMD; bank++) begin : g_bank
      // The row that a window has in this bank: one further on if it starts in a later bank.
      localparam logic [WORD_BITS-1:0] LATER = WORD_BITS'(SIMD - 1 - bank);
      logic [ROW_BITS-1:0] a_row, b_row, w_row, t_row;
      logic t_here;
      assign a_row = ROW_BITS'((a_word + LATER) >> BANK_BITS);
      assign b_row = ROW_BITS'((b_word + LATER) >> BANK_BITS);
      assign w_row = ROW_BITS'((w_word + LATER) >> BANK_BITS);
      assign t_row = ROW_BITS'(t_word >> BANK_BITS);
      assign t_here = (t_word & WORD_BITS'(SIMD - 1)) == WORD_BITS'(bank);

      logic [32*COUNT-1:0] read_data, second_data;  // of this bank in every scratchpad
      always_comb begin
        a_banks[32*bank+:32] = read_data[32*a_pad_q+:32];
        b_banks[32*bank+:32] = second_data[32*b_pad_q+:32];
        t_banks[32*bank+:32] = read_data[32*t_pad_q+:32];
      end

      for (pad = 0; pad < COUNT; pad++) begin : g_pad
        localparam logic [PAD_BITS-1:0] PAD = PAD_BITS'(pad);
        logic a_use, b_use, w_use, t_use, t_fills;
        logic [31:0] word, second_word;
        always_comb read_data[32*pad+:32] = word;
        always_comb second_data[32*pad+:32] = second_word;
        assign a_use = a_read && a_pad == PAD;
        assign b_use = b_read && b_pad == PAD;
        assign w_use = w_write_banks[bank] && w_pad == PAD;
        assign t_use = t_pad == PAD && t_here;
        assign t_fills = t_use && t_write;
        vcu_bank #(
            .ROWS(ROWS),
            .ROW_BITS(ROW_BITS),
            .SECOND_PORT(SECOND_PORT),
            .WRITE_THROUGH(WRITE_THROUGH)
        ) memory (
            .clk,
            .read(a_use || (b_use && !SECOND_PORT) || (t_use && t_read)),
            .read_row(a_use ? (a_line_of_b ? b_row : a_row) :
                      b_use && !SECOND_PORT ? b_row : t_row),
            .read_data(word),
            .second_read(b_use),
            .second_row(b_row),
            .second_data(second_word),
            .through,
            .write(t_fills ? 2'b11 : w_use ? w_halves : 2'b00),
            .write_row(t_fills ? t_row : w_row),
            .write_data(t_fills ? t_write_data : w_banks[32*bank+:32])
        );
      end
    end
  endgenerate
endmodule
