// One accelerator: scratchpads and functional units, one instruction at a time.
//
// A beat goes through the stages below, one cycle each; a new beat follows in every cycle. `valid`
// says in which stages there is one. The number of stages is the start-up time of an instruction:
// beats / cycle and start-up together are its busy time.
//
//   stage 0     1       2         3        4        5        6      7        then
//   kbcast      write register                                               write
//   krelu       rotate  compare                                              write
//   add, copy   rotate  add       -                                          write
//   multiply    rotate  partial   sum                                        write
//   shift       rotate  move      cut                                        write
//   kvred       rotate  lanes     total                                      write
//   kvslt       rotate  subtract  compare  -                                 write
//   kdotp       rotate  partial   sum      lanes    total                    write
//   kdotpps     rotate  partial   sum      move     cut      lanes  total    write
//
// Stage 0 asks the scratchpads; the last stage of each row fills the write register, whose words
// reach the scratchpad at the end of the next cycle.
module vcu_accelerator #(
    parameter int SIMD = 1,
    parameter int SPM_COUNT = 4,
    parameter int SPM_BYTES = 4096,  // at least 16 * SIMD
    parameter int PAD_BITS = 2,
    parameter int WORD_BITS = 10
) (
    input  logic                 clk,
    input  logic                 rst_n,
    // An instruction that passed its checks, for one cycle in which the accelerator rests.
    input  logic                 start,
    input  logic [          6:0] new_op,
    input  logic [          1:0] new_width,   // MVTYPE: elements of 8, 16, 32 bits
    input  logic [WORD_BITS+2:0] new_bytes,   // MVSIZE, not 0
    input  logic [          4:0] new_scale,   // MPSCLFAC
    input  logic [         31:0] new_scalar,  // value of rs1 for kbcast, else of rs2
    input  logic [ PAD_BITS-1:0] new_a_pad,
    input  logic [ PAD_BITS-1:0] new_b_pad,
    input  logic [ PAD_BITS-1:0] new_d_pad,
    input  logic [WORD_BITS-1:0] new_a_word,
    input  logic [WORD_BITS-1:0] new_b_word,
    input  logic [WORD_BITS-1:0] new_d_word,
    output logic                 busy,        // from the cycle of `start` to the last write
    // The transfer engine; `t_busy` while it works on scratchpad `t_pad` of this accelerator.
    input  logic                 t_busy,
    input  logic                 t_read,
    input  logic                 t_write,
    input  logic [ PAD_BITS-1:0] t_pad,
    input  logic [WORD_BITS-1:0] t_word,
    input  logic [         31:0] t_write_data,
    output logic [         31:0] t_read_data
);
  localparam logic [127:0] RS1_VECTOR = vcu_pkg::RS1_VECTOR;
  localparam logic [127:0] RS2_VECTOR = vcu_pkg::RS2_VECTOR;
  localparam logic [127:0] RS2_SPM_SCALAR = vcu_pkg::RS2_SPM_SCALAR;
  localparam logic [127:0] RS2_REGISTER = vcu_pkg::RS2_REGISTER;
  localparam logic [127:0] RD_WORD = vcu_pkg::RD_WORD;
  localparam int BYTES_BITS = WORD_BITS + 3;
  localparam int JOB_BITS = 7 + 2 + BYTES_BITS + 5 + 32 + 3 * PAD_BITS + 3 * WORD_BITS;

  // The instruction: from the ports in its first cycle, then held.
  logic running;
  logic [JOB_BITS-1:0] new_job, held_job;
  logic [6:0] op;
  logic [1:0] width;
  logic [BYTES_BITS-1:0] bytes;
  logic [4:0] scale;
  logic [31:0] scalar;
  logic [PAD_BITS-1:0] a_pad, b_pad, d_pad;
  logic [WORD_BITS-1:0] a_base, b_base, d_base;
  assign new_job = {
    new_op, new_width, new_bytes, new_scale, new_scalar,
    new_a_pad, new_b_pad, new_d_pad, new_a_word, new_b_word, new_d_word
  };
  assign {op, width, bytes, scale, scalar, a_pad, b_pad, d_pad, a_base, b_base, d_base} =
      running ? held_job : new_job;

  logic a_is_vector, b_is_vector, b_is_spm_scalar, one_word, multiplies, widens;
  logic [3:0] stages;
  assign a_is_vector = RS1_VECTOR[op];
  assign b_is_vector = RS2_VECTOR[op];
  assign b_is_spm_scalar = RS2_SPM_SCALAR[op];
  assign one_word = RD_WORD[op];
  assign multiplies = op == vcu_pkg::KVMUL || op == vcu_pkg::KSVMULSC || op == vcu_pkg::KSVMULRF;
  // Bytes that are multiplied or summed take lanes of 16 bits: half as many fit a beat.
  assign widens = width == 2'd0 && (multiplies || one_word);
  always_comb begin
    case (op)
      vcu_pkg::KBCAST: stages = 4'd1;
      vcu_pkg::KRELU: stages = 4'd3;
      vcu_pkg::KVSLT, vcu_pkg::KSVSLT: stages = 4'd5;
      vcu_pkg::KDOTP: stages = 4'd6;
      vcu_pkg::KDOTPPS: stages = 4'd8;
      default: stages = 4'd4;
    endcase
  end

  function automatic logic [31:0] repeated(input logic [1:0] of_width, input logic [31:0] element);
    case (of_width)
      2'd0: repeated = {4{element[7:0]}};
      2'd1: repeated = {2{element[15:0]}};
      default: repeated = element;
    endcase
  endfunction

  // Blocking. A transfer in flight keeps its scratchpad: beats that read it do not start, and a
  // write into it stops the pipeline. No transfer starts while this accelerator is busy.
  logic w_valid, w_last, sources_blocked, target_blocked, advance, done;
  assign sources_blocked = t_busy && ((a_is_vector && t_pad == a_pad) ||
                                      ((b_is_vector || b_is_spm_scalar) && t_pad == b_pad));
  assign target_blocked = t_busy && t_pad == d_pad;
  assign advance = busy && !(w_valid && target_blocked);
  assign done = w_valid && w_last && !target_blocked;
  assign busy = running || start;

  // Stage 0: where a beat starts.
  logic [BYTES_BITS-1:0] beat_bytes, read_at, read_at_held, left;
  logic step;
  assign beat_bytes = widens ? BYTES_BITS'(2 * SIMD) : BYTES_BITS'(4 * SIMD);
  assign read_at = running ? read_at_held : '0;
  assign left = bytes - read_at;
  assign step = busy && read_at < bytes && !sources_blocked && advance;

  logic [7:1] valid_held;
  logic [7:0] valid;
  logic load;
  assign valid = {valid_held, step};
  assign load = advance && valid[3'(stages-4'd1)];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      running <= 1'b0;
      valid_held <= '0;
      w_valid <= 1'b0;
    end else begin
      if (done) running <= 1'b0;
      else if (start) running <= 1'b1;
      if (done) valid_held <= '0;
      else if (advance) valid_held <= valid[6:0];
      if (done) w_valid <= 1'b0;
      else if (advance) w_valid <= load;
    end
    if (!running) held_job <= new_job;
    read_at_held <= step ? read_at + beat_bytes : read_at;
  end

  // Stage 1: windows come out of the scratchpads; bytes are widened, what is beyond the length
  // is left out of sums. Everything is words or 16-bit lanes from here on.
  logic s1_half;
  logic [BYTES_BITS-1:0] s1_left;
  always_ff @(posedge clk) begin
    if (advance) begin
      s1_half <= read_at[1];
      s1_left <= left;
    end
  end

  logic [32*SIMD-1:0] a_window, b_window, b_source, operand_a, operand_b;
  logic [31:0] element;  // a scalar in every lane of a word
  assign element = repeated(width, b_is_spm_scalar ? b_window[31:0] : scalar);
  assign b_source = b_is_vector ? b_window :
                    (b_is_spm_scalar || RS2_REGISTER[op]) ? {SIMD{element}} : '0;
  genvar i;
  generate
    for (i = 0; i < 2 * SIMD; i++) begin : g_half
      logic [7:0] a_byte, b_byte;
      if (SIMD == 1) begin : g_upper  // two bytes a beat: one half of the word, then the other
        assign a_byte = s1_half ? a_window[16+8*i+:8] : a_window[8*i+:8];
        assign b_byte = s1_half ? b_source[16+8*i+:8] : b_source[8*i+:8];
      end else begin : g_lower
        assign a_byte = a_window[8*i+:8];
        assign b_byte = b_source[8*i+:8];
      end
      logic beyond;
      assign beyond = one_word && s1_left <= (widens ? BYTES_BITS'(i) : BYTES_BITS'(2 * i));
      always_ff @(posedge clk) begin
        if (advance) begin
          operand_a[16*i+:16] <= beyond ? 16'b0 : widens ? {8'b0, a_byte} : a_window[16*i+:16];
          operand_b[16*i+:16] <= widens ? {8'b0, b_byte} : b_source[16*i+:16];
        end
      end
    end
  endgenerate

  // Stages 2 and on: the functional units.
  logic scales, compares, shifts;
  assign scales = op == vcu_pkg::KDOTPPS;
  assign compares = op == vcu_pkg::KVSLT || op == vcu_pkg::KSVSLT;
  assign shifts = op == vcu_pkg::KSRAV || op == vcu_pkg::KSRLV || scales;
  logic [32*SIMD-1:0] sum_held, product, product_held, shifted, shifted_held;
  logic [32*SIMD-1:0] positive, is_less_held, summands;
  generate
    for (i = 0; i < SIMD; i++) begin : g_lane
      logic [ 3:0] less, less_held;
      logic [31:0] lane_sum, lane_product, lane_shifted, lane_positive, lane_less;
      vcu_adder adder (
          .width,
          .subtract(op == vcu_pkg::KSUBV || compares),
          .a(operand_a[32*i+:32]),
          .b(operand_b[32*i+:32]),
          .sum(lane_sum),
          .less
      );
      vcu_comparator comparator (
          .width,
          .a(operand_a[32*i+:32]),
          .less(less_held),
          .positive(lane_positive),
          .is_less(lane_less)
      );
      vcu_multiplier multiplier (
          .clk,
          .advance(advance && (multiplies || one_word)),
          .width,
          .a(operand_a[32*i+:32]),
          .b(operand_b[32*i+:32]),
          .product(lane_product)
      );
      vcu_shifter shifter (
          .clk,
          .advance(advance && shifts),
          .width,
          .arithmetic(scales || op == vcu_pkg::KSRAV),
          .products(scales),
          .amount(scales ? scale : scalar[4:0]),
          .a(scales ? product_held[32*i+:32] : operand_a[32*i+:32]),
          .shifted(lane_shifted)
      );
      always_comb begin
        product[32*i+:32] = lane_product;
        shifted[32*i+:32] = lane_shifted;
        positive[32*i+:32] = lane_positive;
      end
      always_ff @(posedge clk) begin
        if (advance) begin
          less_held <= less;
          sum_held[32*i+:32] <= lane_sum;
          is_less_held[32*i+:32] <= lane_less;
          if (one_word) product_held[32*i+:32] <= lane_product;
          if (scales) shifted_held[32*i+:32] <= lane_shifted;
        end
      end
    end
  endgenerate

  logic [31:0] total;
  assign summands = scales ? shifted_held : op == vcu_pkg::KDOTP ? product_held : operand_a;
  vcu_accumulator #(
      .SIMD(SIMD)
  ) accumulator (
      .clk,
      .advance(advance && one_word),
      .width,
      .lanes(summands),
      .clear(start),
      .take(load && one_word),
      .total
  );

  // The write register.
  logic [BYTES_BITS-1:0] load_at, load_at_held;
  logic [32*SIMD-1:0] w_window;
  logic [SIMD-1:0] w_enables;
  logic [1:0] w_halves;
  logic [WORD_BITS-1:0] w_word;
  assign load_at = running ? load_at_held : '0;
  always_ff @(posedge clk) begin
    load_at_held <= load ? load_at + beat_bytes : load_at;
    if (load) begin
      case (op)
        vcu_pkg::KBCAST: w_window <= {SIMD{repeated(width, scalar)}};
        vcu_pkg::KRELU: w_window <= positive;
        vcu_pkg::KVSLT, vcu_pkg::KSVSLT: w_window <= is_less_held;
        vcu_pkg::KSRAV, vcu_pkg::KSRLV: w_window <= shifted;
        vcu_pkg::KVMUL, vcu_pkg::KSVMULSC, vcu_pkg::KSVMULRF: begin
          w_window <= product;
          if (widens) begin
            for (int j = 0; j < 2 * SIMD; j++) w_window[8*j+:8] <= product[16*j+:8];
            if (SIMD == 1) w_window[31:16] <= {product[23:16], product[7:0]};
          end
        end
        vcu_pkg::KVRED, vcu_pkg::KDOTP, vcu_pkg::KDOTPPS: w_window <= {SIMD{total}};
        default: w_window <= sum_held;
      endcase
      // Whole words, as many as the length begins; a beat of widened bytes fills half a window.
      for (int j = 0; j < SIMD; j++) begin
        w_enables[j] <= one_word ? j == 0 :
            load_at + BYTES_BITS'(4 * j) < bytes && (!widens || SIMD == 1 || 2 * j < SIMD);
      end
      w_last <= load_at + beat_bytes >= bytes;
      w_word <= one_word ? d_base : d_base + WORD_BITS'(load_at >> 2);
      w_halves <= 2'b11;
      if (SIMD == 1 && widens && !one_word) w_halves <= load_at[1] ? 2'b10 : 2'b01;
    end
  end

  vcu_scratchpads #(
      .SIMD(SIMD),
      .COUNT(SPM_COUNT),
      .BYTES(SPM_BYTES),
      .PAD_BITS(PAD_BITS),
      .WORD_BITS(WORD_BITS)
  ) scratchpads (
      .clk,
      .a_read(step && a_is_vector),
      .a_pad,
      .a_word(a_base + WORD_BITS'(read_at >> 2)),
      .a_window,
      // A scalar in a scratchpad is read once: the instruction may write over it.
      .b_read(step && (b_is_vector || (b_is_spm_scalar && read_at == '0))),
      .b_pad,
      .b_word(b_is_vector ? b_base + WORD_BITS'(read_at >> 2) : b_base),
      .b_window,
      .w_write((w_valid && !target_blocked) ? w_enables : '0),
      .w_halves,
      .w_pad(d_pad),
      .w_word,
      .w_window,
      .t_read,
      .t_write,
      .t_pad,
      .t_word,
      .t_write_data,
      .t_read_data
  );
endmodule
