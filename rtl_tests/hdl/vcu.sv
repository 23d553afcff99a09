// The vector unit: accelerators, one transfer engine for all, the checks of an instruction, and the
// functional units, of which each accelerator has its own or all share one set.
//
// The core issues one instruction at a time. It sends no vector instruction to a busy accelerator,
// no transfer while one is in flight or the accelerator it belongs to is busy, and no kbcastld
// while any accelerator is busy.
module vcu #(
    parameter int SIMD = 1,          // words per cycle: 1, 2, 4, 8
    parameter int ACCELERATORS = 1,  // 1: shared by all harts; else one for each hart
    parameter bit MULTITHREADED = 0, // several accelerators share one set of functional units
    parameter int SPM_COUNT = 4,
    parameter int SPM_BYTES = 4096,  // a power of two, at least 16 * SIMD
    parameter logic [31:0] SPM_BASE = 32'h1000_0000,
    parameter DIVIDER = "none",      // of each lane: a KIND of divider, for divisions
    parameter bit DIVIDE_ZERO_RISCV = 0,
    parameter bit SCALED = 0,        // post-scaled products
    parameter int POSTSCALE = 15,    // their shift; -1: MPSCLFAC
    parameter logic [9:0] QUIRKS = '0,  // bits: t13_pkg
    parameter bit SECOND_PORT = 0,   // of a scratchpad, for a scalar beside its vector
    localparam int SIZE_BITS = $clog2(SPM_BYTES) + 1,
    localparam int HART_BITS = ACCELERATORS > 1 ? $clog2(ACCELERATORS) : 1
) (
    input  logic                    clk,
    input  logic                    rst_n,
    // An instruction in its issue cycle, with the settings of its hart.
    input  logic                    issue,
    input  logic                    transfer,     // opcode KMEM, else KDSP
    input  logic [             6:0] funct7,
    input  logic [   HART_BITS-1:0] hart,         // counts with several accelerators only
    input  logic [            31:0] rd_value,
    input  logic [            31:0] rs1_value,
    input  logic [            31:0] rs2_value,
`ifdef GNOMON_UNITS
    input  logic [            31:0] third,        // c of instructions of units
`endif
    input  logic [   SIZE_BITS-1:0] mvsize,
    input  logic [             1:0] mvtype,
    input  logic [             4:0] mpsclfac,
    input  logic [             1:0] mvtype_of_hart0,
    // In the issue cycle: it is refused, and why.
    output logic                    trap,
    output logic [             8:0] cause,
    output logic [ACCELERATORS-1:0] vector_busy,
    output logic                    transfer_busy,
    // Data bus of the transfer engine.
    output logic                    bus_request,
    input  logic                    bus_grant,
    output logic                    bus_write,
    output logic [            31:0] bus_address,
    output logic [            31:0] bus_write_data,
    input  logic                    bus_valid,      // one cycle behind the grant or later
    input  logic [            31:0] bus_read_data
);
  localparam int WORD_BITS = $clog2(SPM_BYTES) - 2;
  localparam int PAD_BITS = SPM_COUNT > 1 ? $clog2(SPM_COUNT) : 1;
`ifdef GNOMON_UNITS
  localparam logic [127:0] OWN = t13_units_pkg::OWN;
  localparam logic [127:0] KNOWN = vcu_pkg::PUBLIC | (SCALED ? vcu_pkg::POSTSCALE : 128'b0) |
                                   (DIVIDER != "none" ? vcu_pkg::DIVIDE : 128'b0) | OWN;
`else
  localparam logic [127:0] KNOWN = vcu_pkg::PUBLIC | (SCALED ? vcu_pkg::POSTSCALE : 128'b0) |
                                   (DIVIDER != "none" ? vcu_pkg::DIVIDE : 128'b0);
`endif
  localparam logic [127:0] DIVIDE = vcu_pkg::DIVIDE;
  localparam logic [127:0] RD_WORD = vcu_pkg::RD_WORD;

  logic start_vector, start_transfer;
  logic [PAD_BITS-1:0] rd_pad, rs1_pad, rs2_pad;
  logic [WORD_BITS-1:0] rd_word, rs1_word, rs2_word;
  vcu_check #(
      .SPM_COUNT(SPM_COUNT),
      .SPM_BYTES(SPM_BYTES),
      .SPM_BASE(SPM_BASE),
      .PAD_BITS(PAD_BITS),
      .WORD_BITS(WORD_BITS),
      .KNOWN(KNOWN),
      .QUIRKS(QUIRKS)
  ) check (
      .issue,
      .transfer,
      .funct7,
      .rd_value,
      .rs1_value,
      .rs2_value,
      .mvsize,
      .mvtype,
      .start_vector,
      .start_transfer,
      .trap,
      .cause,
      .rd_pad,
      .rs1_pad,
      .rs2_pad,
      .rd_word,
      .rs1_word,
      .rs2_word
  );

  // A transfer belongs to its hart's accelerator; kbcastld writes into all of them.
  logic everywhere, is_store, is_everywhere, in_flight, t_read, t_write;
  logic [HART_BITS-1:0] owner, held_owner;
  logic [PAD_BITS-1:0] t_pad;
  logic [WORD_BITS-1:0] t_word;
  logic [31:0] t_write_data;
  logic [32*ACCELERATORS-1:0] t_read_data;
  assign is_store = funct7 == vcu_pkg::KMEMSTR;
  assign is_everywhere = funct7 == vcu_pkg::KBCASTLD;
  always_ff @(posedge clk) begin
    if (start_transfer && !in_flight) begin
      held_owner <= ACCELERATORS > 1 ? hart : '0;
      everywhere <= is_everywhere;
    end
  end
  assign owner = in_flight ? held_owner : ACCELERATORS > 1 ? hart : '0;
  vcu_transfer #(
      .PAD_BITS(PAD_BITS),
      .WORD_BITS(WORD_BITS),
      .PARTIAL_WORD_REPEATS(QUIRKS[t13_pkg::KMEMLD_PARTIAL_WORD_REPEATS])
  ) engine (
      .clk,
      .rst_n,
      .start(start_transfer),
      .new_store(is_store),
      .new_address(is_store ? rd_value : rs1_value),
      .new_bytes(rs2_value[SIZE_BITS-1:0]),
      .new_pad(is_store ? rs1_pad : rd_pad),
      .new_word(is_store ? rs1_word : rd_word),
      .busy(transfer_busy),
      .in_flight,
      .t_read,
      .t_write,
      .t_pad,
      .t_word,
      .t_write_data,
      .bus_request,
      .bus_grant,
      .bus_write,
      .bus_address,
      .bus_valid,
      .bus_read_data
  );
  assign bus_write_data = t_read_data[32*held_owner+:32];

  // The first beat of a product takes the element width of hart 0 (quirk): with words there and
  // bytes here the instruction never ends, unless the first beat is all of it.
  logic widens, stuck;
  assign widens = RD_WORD[funct7] || funct7 == vcu_pkg::KVMUL || funct7 == vcu_pkg::KSVMULSC ||
                  funct7 == vcu_pkg::KSVMULRF;
  assign stuck = QUIRKS[t13_pkg::FIRST_BEAT_WIDTH_OF_HART0] && ACCELERATORS == 1 && widens &&
                 mvtype == 2'd0 && mvtype_of_hart0 != 2'd0 && mvsize > SIZE_BITS'(2 * SIMD);

  // Functional units: what each accelerator asks of each, and who is heard.
  localparam int WINDOW = 32 * SIMD;
  localparam int COUNT_BITS = WORD_BITS + 1;
  localparam int ADD = 3 + 2 * WINDOW;
  localparam int COMPARE = 2 + WINDOW + 4 * SIMD;
  localparam int MULTIPLY = 9 + 2 * WINDOW;
  localparam int SHIFT = 11 + WINDOW;
  localparam int SUM = 7 + WINDOW;
  localparam int DIVISION = 3 + COUNT_BITS + 2 * WINDOW;
  localparam int DIVIDED = 2 + 2 * COUNT_BITS + SIMD + WINDOW;
  localparam int RESULTS = 5 * WINDOW + 4 * SIMD + 32 + DIVIDED;
  localparam int SETS = MULTITHREADED ? 1 : ACCELERATORS;
  logic [ADD*ACCELERATORS-1:0] adds;
  logic [COMPARE*ACCELERATORS-1:0] compares;
  logic [MULTIPLY*ACCELERATORS-1:0] multiplies;
  logic [SHIFT*ACCELERATORS-1:0] shifts;
  logic [SUM*ACCELERATORS-1:0] sums;
  logic [DIVISION*ACCELERATORS-1:0] divisions;
  logic [RESULTS*SETS-1:0] results;

`ifdef GNOMON_UNITS
  localparam int PARTS = t13_units_pkg::PARTS;  // own ones, behind the six
  localparam int UNITS = 6 + PARTS;
  localparam int OWN_BUS = 42 + 4 * SIMD + 2 * WINDOW;
  logic [OWN_BUS*ACCELERATORS-1:0] owns;
  logic [WINDOW*PARTS*SETS-1:0] own_results;
  logic [5+PARTS:0] own_needs;
  t13_units_timing timing (
      .code(funct7),
      .stages(),
      .part(),
      .needs(own_needs)
  );
`else
  localparam int UNITS = 6;  // adder, comparator, multiplier, shifter, accumulator, divider
`endif
  logic [ACCELERATORS-1:0] running, may_read;
  logic [UNITS*HART_BITS-1:0] users;
  generate
    if (MULTITHREADED) begin : g_arbiter
      logic [UNITS-1:0] needs;
      always_comb begin
        needs = '0;
        case (funct7)
          vcu_pkg::KVMUL, vcu_pkg::KSVMULSC, vcu_pkg::KSVMULRF,
          vcu_pkg::KVMULPS, vcu_pkg::KSVMULPSSC, vcu_pkg::KSVMULPSRF: needs = 6'b000100;
          vcu_pkg::KVRED: needs = 6'b010000;
          vcu_pkg::KDOTP: needs = 6'b010100;
          vcu_pkg::KDOTPPS: needs = 6'b011100;
          vcu_pkg::KSRAV, vcu_pkg::KSRLV: needs = 6'b001000;
          vcu_pkg::KRELU: needs = 6'b000010;
          vcu_pkg::KVSLT, vcu_pkg::KSVSLT: needs = 6'b000011;
          vcu_pkg::KBCAST: needs = 6'b000000;
`ifdef GNOMON_UNITS
          default: needs = OWN[funct7] ? own_needs : DIVIDE[funct7] ? 'b100000 : 'b000001;
`else
          default: needs = DIVIDE[funct7] ? 6'b100000 : 6'b000001;
`endif
        endcase
      end
      vcu_arbiter #(
          .SIDES(ACCELERATORS),
          .SIDE_BITS(HART_BITS),
          .UNITS(UNITS)
      ) arbiter (
          .clk,
          .rst_n,
          .asks(issue && !transfer && KNOWN[funct7]),
          .runs(start_vector),
          .side(hart),
          .needs,
          .running,
          .may_read,
          .users
      );
    end else begin : g_own
      assign may_read = '1;
      assign users = '0;
    end
  endgenerate

`ifdef GNOMON_UNITS
  genvar p;
`endif
  genvar i;
  generate
    for (i = 0; i < SETS; i++) begin : g_units
      logic [ADD-1:0] add;
      logic [COMPARE-1:0] compare;
      logic [MULTIPLY-1:0] multiply;
      logic [SHIFT-1:0] shift;
      logic [SUM-1:0] accumulate;
      logic [DIVISION-1:0] divide;
      if (MULTITHREADED) begin : g_chosen
        assign add = adds[ADD*users[0+:HART_BITS]+:ADD];
        assign compare = compares[COMPARE*users[HART_BITS+:HART_BITS]+:COMPARE];
        assign multiply = multiplies[MULTIPLY*users[2*HART_BITS+:HART_BITS]+:MULTIPLY];
        assign shift = shifts[SHIFT*users[3*HART_BITS+:HART_BITS]+:SHIFT];
        assign accumulate = sums[SUM*users[4*HART_BITS+:HART_BITS]+:SUM];
        assign divide = divisions[DIVISION*users[5*HART_BITS+:HART_BITS]+:DIVISION];
      end else begin : g_mine
        assign add = adds[ADD*i+:ADD];
        assign compare = compares[COMPARE*i+:COMPARE];
        assign multiply = multiplies[MULTIPLY*i+:MULTIPLY];
        assign shift = shifts[SHIFT*i+:SHIFT];
        assign accumulate = sums[SUM*i+:SUM];
        assign divide = divisions[DIVISION*i+:DIVISION];
      end
      logic [WINDOW-1:0] sum, positive, is_less, product, shifted;
      logic [4*SIMD-1:0] less;
      logic [31:0] total;
      logic [DIVIDED-1:0] divided;
`ifdef GNOMON_UNITS
      for (p = 0; p < PARTS; p++) begin : g_own
        logic [OWN_BUS-1:0] own;
        if (MULTITHREADED) begin : g_chosen
          assign own = owns[OWN_BUS*users[(6+p)*HART_BITS+:HART_BITS]+:OWN_BUS];
        end else begin : g_mine
          assign own = owns[OWN_BUS*i+:OWN_BUS];
        end
        t13_units_lanes #(
            .SIMD(SIMD),
            .PART(p)
        ) lanes (
            .clk,
            .advance(own[OWN_BUS-1]),
            .code(own[OWN_BUS-2-:7]),
            .width(own[OWN_BUS-9-:2]),
            .c(own[OWN_BUS-11-:32]),
            .counted(own[2*WINDOW+:4*SIMD]),
            .a(own[WINDOW+:WINDOW]),
            .b(own[0+:WINDOW]),
            .result(own_results[WINDOW*(PARTS*i+p)+:WINDOW])
        );
      end
`endif
      vcu_units #(
          .SIMD(SIMD),
          .COUNT_BITS(COUNT_BITS),
          .DIVIDER(DIVIDER),
          .DIVIDE_ZERO_RISCV(DIVIDE_ZERO_RISCV),
          .SCALED(SCALED)
      ) units (
          .clk,
          .rst_n,
          .add_width(add[ADD-1-:2]),
          .add_subtract(add[ADD-3]),
          .add_a(add[WINDOW+:WINDOW]),
          .add_b(add[0+:WINDOW]),
          .sum,
          .less,
          .compare_width(compare[COMPARE-1-:2]),
          .compare_a(compare[4*SIMD+:WINDOW]),
          .compare_less(compare[0+:4*SIMD]),
          .positive,
          .is_less,
          .multiply(multiply[MULTIPLY-1]),
          .multiply_width(multiply[MULTIPLY-2-:2]),
          .multiply_scaled(multiply[MULTIPLY-4]),
          .multiply_scale(multiply[MULTIPLY-5-:5]),
          .multiply_a(multiply[WINDOW+:WINDOW]),
          .multiply_b(multiply[0+:WINDOW]),
          .product,
          .shift(shift[SHIFT-1]),
          .shift_width(shift[SHIFT-2-:2]),
          .shift_arithmetic(shift[SHIFT-4]),
          .shift_products(shift[SHIFT-5]),
          .shift_masked(shift[SHIFT-6]),
          .shift_amount(shift[SHIFT-7-:5]),
          .shift_a(shift[0+:WINDOW]),
          .shifted,
          .accumulate(accumulate[SUM-1]),
          .accumulate_width(accumulate[SUM-2-:2]),
          .accumulate_clear(accumulate[SUM-4]),
          .accumulate_take(accumulate[SUM-5]),
          .accumulate_drop(accumulate[SUM-6]),
          .accumulate_lose(accumulate[SUM-7]),
          .summands(accumulate[0+:WINDOW]),
          .total,
          .divide_start(divide[DIVISION-1]),
          .divide_remainder(divide[DIVISION-2]),
          .divide_write_ready(divide[DIVISION-3]),
          .divide_elements(divide[2*WINDOW+:COUNT_BITS]),
          .dividends(divide[WINDOW+:WINDOW]),
          .divisors(divide[0+:WINDOW]),
          .divide_read(divided[DIVIDED-1]),
          .divide_write(divided[DIVIDED-2]),
          .divide_read_row(divided[WINDOW+SIMD+COUNT_BITS+:COUNT_BITS]),
          .divide_write_row(divided[WINDOW+SIMD+:COUNT_BITS]),
          .divide_write_lanes(divided[WINDOW+:SIMD]),
          .quotients(divided[0+:WINDOW])
      );
      assign results[RESULTS*i+:RESULTS] = {
        divided, total, less, sum, positive, is_less, product, shifted
      };
    end
  endgenerate

  generate
    for (i = 0; i < ACCELERATORS; i++) begin : g_accelerator
      logic mine, touched;
      assign mine = ACCELERATORS == 1 || hart == HART_BITS'(i);
      assign touched = owner == HART_BITS'(i) || (in_flight && everywhere);
      logic [RESULTS-1:0] result;
      assign result = results[RESULTS*(MULTITHREADED?0 : i)+:RESULTS];
      logic [DIVIDED-1:0] divided;
      logic [31:0] total;
      logic [4*SIMD-1:0] less, less_held;
      logic [WINDOW-1:0] sum, positive, is_less, product, shifted;
      assign {divided, total, less, sum, positive, is_less, product, shifted} = result;

      logic [1:0] width;
      logic subtract, multiply, multiply_scaled, shift, shift_arithmetic, shift_products;
      logic shift_masked, accumulate, clear, take, drop, lose;
      logic divide_start, divide_remainder, divide_write_ready;
      logic [4:0] multiply_scale, shift_amount;
      logic [WINDOW-1:0] operand_a, operand_b, shift_a, summands, dividends, divisors;
      logic [COUNT_BITS-1:0] divide_elements;
      assign adds[ADD*i+:ADD] = {width, subtract, operand_a, operand_b};
      assign compares[COMPARE*i+:COMPARE] = {width, operand_a, less_held};
      assign multiplies[MULTIPLY*i+:MULTIPLY] = {
        multiply, width, multiply_scaled, multiply_scale, operand_a, operand_b
      };
      assign shifts[SHIFT*i+:SHIFT] = {
        shift, width, shift_arithmetic, shift_products, shift_masked, shift_amount, shift_a
      };
`ifdef GNOMON_UNITS
      logic own, own_advance;
      logic [6:0] own_code;
      logic [31:0] own_third;
      logic [4*SIMD-1:0] own_counted;
      assign sums[SUM*i+:SUM] = {
        accumulate, own ? 2'd2 : width, clear, take, drop, lose, summands
      };
      assign owns[OWN_BUS*i+:OWN_BUS] = {
        own_advance, own_code, width, own_third, own_counted, operand_a, operand_b
      };
`else
      assign sums[SUM*i+:SUM] = {accumulate, width, clear, take, drop, lose, summands};
`endif
      assign divisions[DIVISION*i+:DIVISION] = {
        divide_start, divide_remainder, divide_write_ready, divide_elements, dividends, divisors
      };

      vcu_accelerator #(
          .SIMD(SIMD),
          .SPM_COUNT(SPM_COUNT),
          .SPM_BYTES(SPM_BYTES),
          .PAD_BITS(PAD_BITS),
          .WORD_BITS(WORD_BITS),
          .QUIRKS(QUIRKS),
          .SECOND_PORT(SECOND_PORT),
          .DIVIDES(DIVIDER != "none"),
          .POSTSCALE(POSTSCALE),
          .MASKED(!(MULTITHREADED && i != 0 && QUIRKS[t13_pkg::MULTITHREADED_LANE_MASK]))
      ) accelerator (
          .clk,
          .rst_n,
          .start(start_vector && mine),
          .new_op(funct7),
          .new_width(mvtype),
          .new_bytes(mvsize),
          .new_scale(mpsclfac),
          .new_scalar(funct7 == vcu_pkg::KBCAST ? rs1_value : rs2_value),
`ifdef GNOMON_UNITS
          .new_third(third),
          .own,
          .own_advance,
          .own_code,
          .own_third,
          .own_counted,
          .own_results(own_results[WINDOW*PARTS*(MULTITHREADED?0 : i)+:WINDOW*PARTS]),
`endif
          .new_a_pad(rs1_pad),
          .new_b_pad(rs2_pad),
          .new_d_pad(rd_pad),
          .new_a_word(rs1_word),
          .new_b_word(rs2_word),
          .new_d_word(rd_word),
          .stuck,
          .may_read(may_read[i]),
          .running(running[i]),
          .busy(vector_busy[i]),
          .t_busy(in_flight && touched),
          .t_read(t_read && touched),
          .t_write(t_write && touched),
          .t_pad,
          .t_word,
          .t_write_data,
          .t_read_data(t_read_data[32*i+:32]),
          .width,
          .subtract,
          .operand_a,
          .operand_b,
          .less_held,
          .multiply,
          .multiply_scaled,
          .multiply_scale,
          .shift,
          .shift_arithmetic,
          .shift_products,
          .shift_masked,
          .shift_amount,
          .shift_a,
          .accumulate,
          .summands,
          .accumulate_clear(clear),
          .accumulate_take(take),
          .accumulate_drop(drop),
          .accumulate_lose(lose),
          .divide_start,
          .divide_remainder,
          .divide_elements,
          .dividends,
          .divisors,
          .divide_write_ready,
          .sum,
          .less,
          .positive,
          .is_less,
          .product,
          .shifted,
          .total,
          .divide_read(divided[DIVIDED-1]),
          .divide_read_row(divided[WINDOW+SIMD+COUNT_BITS+:COUNT_BITS]),
          .divide_write(divided[DIVIDED-2]),
          .divide_write_row(divided[WINDOW+SIMD+:COUNT_BITS]),
          .divide_write_lanes(divided[WINDOW+:SIMD]),
          .quotients(divided[0+:WINDOW])
      );
    end
  endgenerate
endmodule
