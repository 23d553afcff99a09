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
    parameter int WORD_BITS = 10
) (
    input  logic                 clk,
    input  logic                 a_read,
    input  logic [ PAD_BITS-1:0] a_pad,
    input  logic [WORD_BITS-1:0] a_word,
    output logic [  32*SIMD-1:0] a_window,
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
  localparam int LANE_BITS = $clog2(SIMD);
  localparam int ROW_BITS = WORD_BITS - LANE_BITS;
  localparam int ROWS = BYTES / 4 / SIMD;

  logic [32*SIMD*COUNT-1:0] read_data;  // by scratchpad and bank

  // What the last read of each user asked for.
  logic [PAD_BITS-1:0] a_pad_q, b_pad_q, t_pad_q;
  logic [WORD_BITS-1:0] a_word_q, b_word_q, t_word_q;
  always_ff @(posedge clk) begin
    if (a_read) {a_pad_q, a_word_q} <= {a_pad, a_word};
    if (b_read) {b_pad_q, b_word_q} <= {b_pad, b_word};
    if (t_read) {t_pad_q, t_word_q} <= {t_pad, t_word};
  end

  genvar i, pad, bank;
  generate
    for (bank = 0; bank < SIMD; bank++) begin : g_bank
      // The window's word in this bank is `ahead` words behind its first; it may be a row further.
      logic [WORD_BITS-1:0] a_here, b_here, w_here;
      logic [31:0] w_data;
      if (SIMD == 1) begin : g_alone
        assign a_here = a_word;
        assign b_here = b_word;
        assign w_here = w_word;
        assign w_data = w_window;
      end else begin : g_rotate
        localparam logic [LANE_BITS-1:0] BANK = LANE_BITS'(bank);
        logic [LANE_BITS-1:0] a_ahead, b_ahead, w_ahead;
        assign a_ahead = BANK - a_word[LANE_BITS-1:0];
        assign b_ahead = BANK - b_word[LANE_BITS-1:0];
        assign w_ahead = BANK - w_word[LANE_BITS-1:0];
        assign a_here = a_word + WORD_BITS'(a_ahead);
        assign b_here = b_word + WORD_BITS'(b_ahead);
        assign w_here = w_word + WORD_BITS'(w_ahead);
        assign w_data = w_window[32*w_ahead+:32];
      end

      logic w_here_written;
      logic t_here;
      if (SIMD == 1) begin : g_only
        assign w_here_written = w_write[0];
        assign t_here = 1'b1;
      end else begin : g_one_of_many
        assign w_here_written = w_write[g_rotate.w_ahead];
        assign t_here = t_word[LANE_BITS-1:0] == g_rotate.BANK;
      end

      for (pad = 0; pad < COUNT; pad++) begin : g_pad
        localparam logic [PAD_BITS-1:0] PAD = PAD_BITS'(pad);
        logic a_use, b_use, w_use, t_use;
        assign a_use = a_read && a_pad == PAD;
        assign b_use = b_read && b_pad == PAD;
        assign w_use = w_here_written && w_pad == PAD;
        assign t_use = t_pad == PAD && t_here;
        vcu_bank #(
            .ROWS(ROWS),
            .ROW_BITS(ROW_BITS)
        ) memory (
            .clk,
            .read(a_use || b_use || (t_use && t_read)),
            .read_row(a_use ? a_here[WORD_BITS-1:LANE_BITS] :
                      b_use ? b_here[WORD_BITS-1:LANE_BITS] : t_word[WORD_BITS-1:LANE_BITS]),
            .read_data(read_data[32*(SIMD*pad+bank)+:32]),
            .write((t_use && t_write) ? 2'b11 : w_use ? w_halves : 2'b00),
            .write_row((t_use && t_write) ? t_word[WORD_BITS-1:LANE_BITS]
                                          : w_here[WORD_BITS-1:LANE_BITS]),
            .write_data((t_use && t_write) ? t_write_data : w_data)
        );
      end
    end
  endgenerate

  // From banks back to the order of words.
  logic [32*SIMD-1:0] a_banks, b_banks, t_banks;
  assign a_banks = read_data[32*SIMD*a_pad_q+:32*SIMD];
  assign b_banks = read_data[32*SIMD*b_pad_q+:32*SIMD];
  assign t_banks = read_data[32*SIMD*t_pad_q+:32*SIMD];
  generate
    if (SIMD == 1) begin : g_one_bank
      assign a_window = a_banks;
      assign b_window = b_banks;
      assign t_read_data = t_banks;
    end else begin : g_banks
      for (i = 0; i < SIMD; i++) begin : g_word
        logic [LANE_BITS-1:0] a_bank, b_bank;
        assign a_bank = a_word_q[LANE_BITS-1:0] + LANE_BITS'(i);
        assign b_bank = b_word_q[LANE_BITS-1:0] + LANE_BITS'(i);
        assign a_window[32*i+:32] = a_banks[32*a_bank+:32];
        assign b_window[32*i+:32] = b_banks[32*b_bank+:32];
      end
      assign t_read_data = t_banks[32*t_word_q[LANE_BITS-1:0]+:32];
    end
  endgenerate
endmodule
