// One accelerator: scratchpads and control, one instruction at a time; its functional units are
// outside.
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
// Post-scaled products go the way of products. A division is a row of elements at a time, each as
// slow as the slowest lane: vector_divider.sv.
//
// Stage 0 asks the scratchpads; the last stage of each row fills the write register, whose words
// reach the scratchpad at the end of the next cycle.
module vcu_accelerator #(
    parameter int SIMD = 1,
    parameter int SPM_COUNT = 4,
    parameter int SPM_BYTES = 4096,  // at least 16 * SIMD
    parameter int PAD_BITS = 2,
    parameter int WORD_BITS = 10,
    parameter logic [9:0] QUIRKS = '0,    // bits: t13_pkg
    parameter bit SECOND_PORT = 0,        // scratchpads have a read port for the second operand
    parameter bit DIVIDES = 0,
    parameter int POSTSCALE = 15,         // shift of post-scaled products; -1: MPSCLFAC
    parameter bit MASKED = 1,             // shifts of narrow lanes are cut
    localparam int COUNT_BITS = WORD_BITS + 1
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
`ifdef GNOMON_UNITS
    input  logic [         31:0] new_third,   // c of instructions of units
    // Units of the machine: t13_units_lanes.
    output logic                 own,         // an instruction of a unit
    output logic                 own_advance,
    output logic [          6:0] own_code,
    output logic [         31:0] own_third,
    output logic [   4*SIMD-1:0] own_counted,  // bytes of the vector, when a beat is summed
    input  logic [32*SIMD*t13_units_pkg::PARTS-1:0] own_results,
`endif
    input  logic [ PAD_BITS-1:0] new_a_pad,
    input  logic [ PAD_BITS-1:0] new_b_pad,
    input  logic [ PAD_BITS-1:0] new_d_pad,
    input  logic [WORD_BITS-1:0] new_a_word,
    input  logic [WORD_BITS-1:0] new_b_word,
    input  logic [WORD_BITS-1:0] new_d_word,
    input  logic                 stuck,       // with `start`: it never ends
    input  logic                 may_read,    // the functional units are its own
    output logic                 busy,        // from the cycle of `start` to the last write
    output logic                 running,     // the same, but for the cycle of `start`
    // The transfer engine; `t_busy` while it works on scratchpad `t_pad` of this accelerator.
    input  logic                 t_busy,
    input  logic                 t_read,
    input  logic                 t_write,
    input  logic [ PAD_BITS-1:0] t_pad,
    input  logic [WORD_BITS-1:0] t_word,
    input  logic [         31:0] t_write_data,
    output logic [         31:0] t_read_data,
    // Functional units: see vcu_units.
    output logic [          1:0] width,
    output logic                 subtract,
    output logic [  32*SIMD-1:0] operand_a,
    output logic [  32*SIMD-1:0] operand_b,
    output logic [   4*SIMD-1:0] less_held,
    output logic                 multiply,
    output logic                 multiply_scaled,
    output logic [          4:0] multiply_scale,
    output logic                 shift,
    output logic                 shift_arithmetic,
    output logic                 shift_products,
    output logic                 shift_masked,
    output logic [          4:0] shift_amount,
    output logic [  32*SIMD-1:0] shift_a,
    output logic                 accumulate,
    output logic [  32*SIMD-1:0] summands,
    output logic                 accumulate_clear,
    output logic                 accumulate_take,
    output logic                 accumulate_drop,
    output logic                 accumulate_lose,
    output logic                 divide_start,
    output logic                 divide_remainder,
    output logic [COUNT_BITS-1:0] divide_elements,
    output logic [  32*SIMD-1:0] dividends,
    output logic [  32*SIMD-1:0] divisors,
    output logic                 divide_write_ready,
    input  logic [  32*SIMD-1:0] sum,
    input  logic [   4*SIMD-1:0] less,
    input  logic [  32*SIMD-1:0] positive,
    input  logic [  32*SIMD-1:0] is_less,
    input  logic [  32*SIMD-1:0] product,
    input  logic [  32*SIMD-1:0] shifted,
    input  logic [         31:0] total,
    input  logic                 divide_read,
    input  logic [COUNT_BITS-1:0] divide_read_row,
    input  logic                 divide_write,
    input  logic [COUNT_BITS-1:0] divide_write_row,
    input  logic [     SIMD-1:0] divide_write_lanes,
    input  logic [  32*SIMD-1:0] quotients
);
`ifdef GNOMON_UNITS
  localparam logic [127:0] OWN = t13_units_pkg::OWN;
  localparam logic [127:0] RS1_VECTOR = vcu_pkg::RS1_VECTOR | OWN;
  localparam logic [127:0] RS2_VECTOR = vcu_pkg::RS2_VECTOR | t13_units_pkg::RS2_VECTOR;
  localparam logic [127:0] RS2_SPM_SCALAR = vcu_pkg::RS2_SPM_SCALAR;
  localparam logic [127:0] RS2_REGISTER = vcu_pkg::RS2_REGISTER | t13_units_pkg::RS2_REGISTER;
  localparam logic [127:0] RD_WORD = vcu_pkg::RD_WORD | t13_units_pkg::RD_WORD;
`else
  localparam logic [127:0] RS1_VECTOR = vcu_pkg::RS1_VECTOR;
  localparam logic [127:0] RS2_VECTOR = vcu_pkg::RS2_VECTOR;
  localparam logic [127:0] RS2_SPM_SCALAR = vcu_pkg::RS2_SPM_SCALAR;
  localparam logic [127:0] RS2_REGISTER = vcu_pkg::RS2_REGISTER;
  localparam logic [127:0] RD_WORD = vcu_pkg::RD_WORD;
`endif
  localparam logic [127:0] POSTSCALED = vcu_pkg::POSTSCALE;
  localparam logic [127:0] DIVISIONS = vcu_pkg::DIVIDE;
  localparam int BYTES_BITS = WORD_BITS + 3;
  localparam int JOB_BITS = 7 + 2 + BYTES_BITS + 5 + 32 + 3 * PAD_BITS + 3 * WORD_BITS;

  // The instruction: from the ports in its first cycle, then held.
  logic [JOB_BITS-1:0] new_job, held_job;
  logic [6:0] op;
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

  logic a_is_vector, b_is_vector, b_is_spm_scalar, one_word, multiplies, scaled, divides, widens;
`ifdef GNOMON_UNITS
  logic [6:0] stages, own_stages;
  logic [31:0] held_third;
  logic own_part;
  assign own = OWN[op];
  assign own_advance = advance && own;
  assign own_code = op;
  assign own_third = running ? held_third : new_third;
  always_ff @(posedge clk) if (!running) held_third <= new_third;
  t13_units_timing timing (
      .code(op),
      .stages(own_stages),
      .part(own_part),
      .needs()
  );
`else
  logic [3:0] stages;
`endif
  assign a_is_vector = RS1_VECTOR[op];
  assign b_is_vector = RS2_VECTOR[op];
  assign b_is_spm_scalar = RS2_SPM_SCALAR[op];
  assign one_word = RD_WORD[op];
  assign multiplies = op == vcu_pkg::KVMUL || op == vcu_pkg::KSVMULSC || op == vcu_pkg::KSVMULRF;
  assign scaled = POSTSCALED[op];
  assign divides = DIVIDES && DIVISIONS[op];
  // Bytes that are multiplied or summed take lanes of 16 bits: half as many fit a beat.
`ifdef GNOMON_UNITS
  assign widens = width == 2'd0 && (multiplies || one_word) && !own;
`else
  assign widens = width == 2'd0 && (multiplies || one_word);
`endif
  always_comb begin
    case (op)
      vcu_pkg::KBCAST: stages = 4'd1;
      vcu_pkg::KRELU: stages = 4'd3;
      vcu_pkg::KVSLT, vcu_pkg::KSVSLT: stages = 4'd5;
      vcu_pkg::KDOTP: stages = 4'd6;
      vcu_pkg::KDOTPPS: stages = 4'd8;
`ifdef GNOMON_UNITS
      default: stages = own ? own_stages : 7'd4;
`else
      default: stages = 4'd4;
`endif
    endcase
  end

  function automatic logic [31:0] repeated(input logic [1:0] of_width, input logic [31:0] element);
    case (of_width)
      2'd0: repeated = {4{element[7:0]}};
      2'd1: repeated = {2{element[15:0]}};
      default: repeated = element;
    endcase
  endfunction

  // An instruction that the width of another hart keeps from ending.
  logic hangs, hung;
  assign hangs = (start && stuck) || hung;
  always_ff @(posedge clk) begin
    if (!rst_n) hung <= 1'b0;
    else if (start && stuck) hung <= 1'b1;
  end

  // Blocking. A transfer in flight keeps its scratchpad: beats that read it do not start, and a
  // write into it stops the pipeline. No transfer starts while this accelerator is busy.
  logic w_valid, w_last, divided_last, sources_blocked, target_blocked, advance, done;
  logic divides_now;  // the divider that others may share works for this instruction
  assign sources_blocked = t_busy && ((a_is_vector && t_pad == a_pad) ||
                                      ((b_is_vector || b_is_spm_scalar) && t_pad == b_pad));
  assign target_blocked = t_busy && t_pad == d_pad;
  assign advance = busy && !(w_valid && target_blocked);
  assign done = !hangs && (divides ? divides_now && divide_write && divided_last && !target_blocked
                                   : w_valid && w_last && !target_blocked);
  assign busy = running || start;

  // Stage 0: where a beat starts.
  logic [BYTES_BITS-1:0] beat_bytes, read_at, read_at_held, left;
  logic step;
  assign beat_bytes = widens ? BYTES_BITS'(2 * SIMD) : BYTES_BITS'(4 * SIMD);
  assign read_at = running ? read_at_held : '0;
  assign left = bytes - read_at;
  assign step = busy && !divides && may_read && read_at < bytes && !sources_blocked && advance &&
                !hangs;

`ifdef GNOMON_UNITS
  localparam int DEPTH = t13_units_pkg::DEPTH;
  logic [DEPTH-1:1] valid_held;
  logic [DEPTH-1:0] valid;
  logic load;
  assign valid = {valid_held, step};
  assign load = advance && valid[6'(stages-7'd1)];
`else
  logic [7:1] valid_held;
  logic [7:0] valid;
  logic load;
  assign valid = {valid_held, step};
  assign load = advance && valid[3'(stages-4'd1)];
`endif

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      running <= 1'b0;
      valid_held <= '0;
      w_valid <= 1'b0;
    end else begin
      if (done) running <= 1'b0;
      else if (start) running <= 1'b1;
      if (done) valid_held <= '0;
`ifdef GNOMON_UNITS
      else if (advance) valid_held <= valid[DEPTH-2:0];
`else
      else if (advance) valid_held <= valid[6:0];
`endif
      if (done) w_valid <= 1'b0;
      else if (advance) w_valid <= load;
    end
    if (!running) held_job <= new_job;
    read_at_held <= step ? read_at + beat_bytes : read_at;
  end

  // One lane of byte products (quirk): in the second beat of a word the ports still show the first
  // one's half, and what it writes is zero.
  localparam bit REPEATS_LOW_HALF = SIMD == 1 && QUIRKS[t13_pkg::SIMD1_BYTE_PRODUCTS];
  logic repeats;
  assign repeats = REPEATS_LOW_HALF && widens && read_at[1];

  // A scalar beside its vector (quirk): there is one port. In the issue cycle the vector has it and
  // the scalar reads as zero; later both get the rows of the scalar.
  logic beside, no_scalar, s1_no_scalar;
  assign beside = QUIRKS[t13_pkg::SCALAR_BESIDE_VECTOR] && b_is_spm_scalar && !scaled &&
                  !divides && a_pad == b_pad;
  assign no_scalar = beside && start;
  always_ff @(posedge clk) if (step && !repeats) s1_no_scalar <= no_scalar;

  // Stage 1: windows come out of the scratchpads; bytes are widened, what is beyond the length
  // is left out of sums. Everything is words or 16-bit lanes from here on.
  logic s1_half;
  logic [BYTES_BITS-1:0] s1_left;
  always_ff @(posedge clk) begin
    if (advance) begin
      s1_half <= read_at[1] && !REPEATS_LOW_HALF;
      s1_left <= left;
    end
  end

  logic [32*SIMD-1:0] a_window, b_window, b_source;
  logic [31:0] element;  // a scalar in every lane of a word
  assign element = repeated(width, !b_is_spm_scalar ? scalar : s1_no_scalar ? 32'b0
                                                                 : b_window[31:0]);
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

  // Stages 2 and on: the functional units, and the registers between them.
  logic scales, compares, shifts;
  assign scales = op == vcu_pkg::KDOTPPS;
  assign compares = op == vcu_pkg::KVSLT || op == vcu_pkg::KSVSLT;
  assign shifts = op == vcu_pkg::KSRAV || op == vcu_pkg::KSRLV || scales;
  assign subtract = op == vcu_pkg::KSUBV || compares;
  assign multiply = advance && (multiplies || one_word || scaled);
  assign multiply_scaled = scaled;
  assign multiply_scale = POSTSCALE < 0 ? scale : 5'(POSTSCALE);
  assign shift = advance && shifts;
  assign shift_arithmetic = scales || op == vcu_pkg::KSRAV;
  assign shift_products = scales;
  assign shift_masked = MASKED;
  assign shift_amount = scales ? scale : scalar[4:0];
  assign shift_a = scales ? product_held : operand_a;
  logic [32*SIMD-1:0] sum_held, product_held, shifted_held, is_less_held;
  always_ff @(posedge clk) begin
    if (advance) begin
      less_held <= less;
      sum_held <= sum;
      is_less_held <= is_less;
      if (one_word) product_held <= product;
      if (scales) shifted_held <= shifted;
    end
  end

  logic [BYTES_BITS-1:0] load_at, load_at_held;

  // A sum whose first write waits for a transfer (quirk): the accumulator is cleared while it does
  // not add. What is behind it in the pipeline survives, but for a last beat that is fetched then.
  logic waited, held_up, last_is_late;
  logic waited_before;  // in this instruction
`ifdef GNOMON_UNITS
  logic [6:0] loads;    // beats that were summed before this one, up to 127
`else
  logic [3:0] loads;    // beats that were summed before this one, up to 15
`endif
  assign held_up = QUIRKS[t13_pkg::HELD_REDUCTION_LOSES_BEATS] && w_valid && target_blocked &&
                   one_word;
`ifdef GNOMON_UNITS
  assign last_is_late = waited_before && load_at + beat_bytes >= bytes &&
                        loads == stages - 7'd1;
`else
  assign last_is_late = waited_before && load_at + beat_bytes >= bytes &&
                        loads == stages - 4'd1;
`endif
  always_ff @(posedge clk) begin
    if (held_up) waited <= 1'b1;
    else if (load || !running) waited <= 1'b0;
    if (!running) waited_before <= 1'b0;
    else if (held_up) waited_before <= 1'b1;
`ifdef GNOMON_UNITS
    if (!running) loads <= 7'd0;
    else if (load && loads != 7'd127) loads <= loads + 7'd1;
`else
    if (!running) loads <= 4'd0;
    else if (load && loads != 4'd15) loads <= loads + 4'd1;
`endif
  end
  assign accumulate = advance && one_word;
  assign accumulate_clear = step && read_at == '0;
  assign accumulate_take = load && one_word;
  assign accumulate_lose = waited;
  assign accumulate_drop = waited || last_is_late;
`ifdef GNOMON_UNITS
  // The beat that a unit shows is summed one stage before it is loaded.
  logic [32*SIMD-1:0] own_result;
  logic [BYTES_BITS-1:0] sum_at, sum_at_held;
  logic sums_own;
  assign own_result = own_results[32*SIMD*own_part+:32*SIMD];
  assign sums_own = advance && valid[6'(stages-7'd2)];
  assign sum_at = running ? sum_at_held : '0;
  always_ff @(posedge clk) sum_at_held <= sums_own ? sum_at + beat_bytes : sum_at;
  always_comb begin
    for (int j = 0; j < 4 * SIMD; j++) own_counted[j] = sum_at + BYTES_BITS'(j) < bytes;
  end
  assign summands = own ? own_result :
                    scales ? shifted_held : op == vcu_pkg::KDOTP ? product_held : operand_a;
`else
  assign summands = scales ? shifted_held : op == vcu_pkg::KDOTP ? product_held : operand_a;
`endif

  // Divisions.
  logic division_started;
  assign divides_now = divides && running && division_started;
  always_ff @(posedge clk) begin
    if (!rst_n || done) division_started <= 1'b0;
    else if (divide_start) division_started <= 1'b1;
  end
  assign divide_start = busy && divides && may_read && !sources_blocked &&
                        !division_started;
  assign divide_remainder = op == vcu_pkg::KVREM || op == vcu_pkg::KSVREMSC ||
                            op == vcu_pkg::KSVREMRF;
  assign divide_elements = COUNT_BITS'(bytes >> 2);
  assign dividends = a_window;
  assign divisors = b_is_vector ? b_window : {SIMD{b_is_spm_scalar ? b_window[31:0] : scalar}};
  assign divide_write_ready = !target_blocked;
  assign divided_last = {divide_write_row, 2'b0} * BYTES_BITS'(SIMD) + BYTES_BITS'(4 * SIMD) >=
                        bytes;
  logic [WORD_BITS-1:0] division_reads, division_writes;  // words from the start
  assign division_reads = WORD_BITS'(divide_read_row * COUNT_BITS'(SIMD));
  assign division_writes = WORD_BITS'(divide_write_row * COUNT_BITS'(SIMD));

  // Bytes are multiplied half a window at a time; the other half is zeros (quirk).
  localparam bit CLEARS_AHEAD = QUIRKS[t13_pkg::BYTE_PRODUCTS_CLEAR_AHEAD];

  // The write register.
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
            w_window <= '0;
            for (int j = 0; j < 2 * SIMD; j++) w_window[8*j+:8] <= product[16*j+:8];
            if (SIMD == 1 && !REPEATS_LOW_HALF)
              w_window[31:16] <= {product[23:16], product[7:0]};
            if (REPEATS_LOW_HALF && load_at[1]) w_window <= '0;
          end
        end
        vcu_pkg::KVRED, vcu_pkg::KDOTP, vcu_pkg::KDOTPPS: w_window <= {SIMD{total}};
`ifdef GNOMON_UNITS
        default: w_window <= own ? (one_word ? {SIMD{total}} : own_result) :
                             scaled ? product : sum_held;
`else
        default: w_window <= scaled ? product : sum_held;
`endif
      endcase
      // Whole words, as many as the length begins; a beat of widened bytes fills half a window.
      for (int j = 0; j < SIMD; j++) begin
        w_enables[j] <= one_word ? j == 0 :
            load_at + BYTES_BITS'(4 * j) < bytes &&
            (!widens || SIMD == 1 || 2 * j < SIMD || CLEARS_AHEAD);
      end
      w_last <= load_at + beat_bytes >= bytes;
      w_word <= one_word ? d_base : d_base + WORD_BITS'(load_at >> 2);
      w_halves <= 2'b11;
      if (SIMD == 1 && widens && !one_word && !REPEATS_LOW_HALF)
        w_halves <= load_at[1] ? 2'b10 : 2'b01;
    end
  end

  // A scalar in a scratchpad is read once, as the instruction may write over it; those of the public
  // core are read with every beat (quirk).
  logic reads_b, division_read, division_write;
  assign reads_b = b_is_vector ||
                   (b_is_spm_scalar && (read_at == '0 ||
                    (QUIRKS[t13_pkg::SCALAR_READ_EVERY_BEAT] && !scaled)));
  assign division_read = divides_now && divide_read;
  assign division_write = divides_now && divide_write;
  vcu_scratchpads #(
      .SIMD(SIMD),
      .COUNT(SPM_COUNT),
      .BYTES(SPM_BYTES),
      .PAD_BITS(PAD_BITS),
      .WORD_BITS(WORD_BITS),
      .SECOND_PORT(SECOND_PORT),
      .WRITE_THROUGH(DIVIDES)
  ) scratchpads (
      .clk,
      .a_read((step && !repeats && a_is_vector) || division_read),
      .a_pad,
      .a_word(a_base + (divides ? division_reads : WORD_BITS'(read_at >> 2))),
      .a_line_of_b(beside && !start),
      .through(division_read),
      .a_window,
      .b_read((step && !repeats && !no_scalar && reads_b) ||
              (division_read && (b_is_vector || (b_is_spm_scalar && divide_read_row == '0)))),
      .b_pad,
      .b_word(!b_is_vector ? b_base :
              b_base + (divides ? division_reads : WORD_BITS'(read_at >> 2))),
      .b_window,
      .w_write(target_blocked ? '0 : division_write ? divide_write_lanes :
               w_valid ? w_enables : '0),
      .w_halves(division_write ? 2'b11 : w_halves),
      .w_pad(d_pad),
      .w_word(division_write ? d_base + division_writes : w_word),
      .w_window(division_write ? quotients : w_window),
      .t_read,
      .t_write,
      .t_pad,
      .t_word,
      .t_write_data,
      .t_read_data
  );
endmodule
