// The functional units: adder, comparator, multiplier and shifter in every lane, one accumulator
// for all of them, one divider per lane. They belong to one accelerator or, with multithreaded
// sharing, to whichever was granted them: each input comes with its unit, chosen outside.
module vcu_units #(
    parameter int SIMD = 1,
    parameter int COUNT_BITS = 13,   // of the number of elements
    parameter DIVIDER = "none",      // a KIND of divider
    parameter bit DIVIDE_ZERO_RISCV = 0,
    parameter bit SCALED = 0         // post-scaled products
) (
    input  logic                  clk,
    input  logic                  rst_n,
    // Adder.
    input  logic [           1:0] add_width,
    input  logic                  add_subtract,
    input  logic [   32*SIMD-1:0] add_a,
    input  logic [   32*SIMD-1:0] add_b,
    output logic [   32*SIMD-1:0] sum,
    output logic [    4*SIMD-1:0] less,
    // Comparator.
    input  logic [           1:0] compare_width,
    input  logic [   32*SIMD-1:0] compare_a,
    input  logic [    4*SIMD-1:0] compare_less,
    output logic [   32*SIMD-1:0] positive,
    output logic [   32*SIMD-1:0] is_less,
    // Multiplier.
    input  logic                  multiply,
    input  logic [           1:0] multiply_width,
    input  logic                  multiply_scaled,
    input  logic [           4:0] multiply_scale,
    input  logic [   32*SIMD-1:0] multiply_a,
    input  logic [   32*SIMD-1:0] multiply_b,
    output logic [   32*SIMD-1:0] product,
    // Shifter.
    input  logic                  shift,
    input  logic [           1:0] shift_width,
    input  logic                  shift_arithmetic,
    input  logic                  shift_products,
    input  logic                  shift_masked,
    input  logic [           4:0] shift_amount,
    input  logic [   32*SIMD-1:0] shift_a,
    output logic [   32*SIMD-1:0] shifted,
    // Accumulator.
    input  logic                  accumulate,
    input  logic [           1:0] accumulate_width,
    input  logic [   32*SIMD-1:0] summands,
    input  logic                  accumulate_clear,
    input  logic                  accumulate_take,
    input  logic                  accumulate_drop,
    input  logic                  accumulate_lose,
    output logic [          31:0] total,
    // Dividers.
    input  logic                  divide_start,
    input  logic                  divide_remainder,
    input  logic [COUNT_BITS-1:0] divide_elements,
    input  logic [   32*SIMD-1:0] dividends,
    input  logic [   32*SIMD-1:0] divisors,
    input  logic                  divide_write_ready,
    output logic                  divide_read,
    output logic [COUNT_BITS-1:0] divide_read_row,
    output logic                  divide_write,
    output logic [COUNT_BITS-1:0] divide_write_row,
    output logic [      SIMD-1:0] divide_write_lanes,
    output logic [   32*SIMD-1:0] quotients
);
  genvar i;
  generate
    for (i = 0; i < SIMD; i++) begin : g_lane
      logic [ 3:0] lane_less;
      logic [31:0] lane_sum, lane_product, lane_shifted, lane_positive, lane_is_less, lane_scaled;
      vcu_adder adder (
          .width(add_width),
          .subtract(add_subtract),
          .a(add_a[32*i+:32]),
          .b(add_b[32*i+:32]),
          .sum(lane_sum),
          .less(lane_less)
      );
      vcu_comparator comparator (
          .width(compare_width),
          .a(compare_a[32*i+:32]),
          .less(compare_less[4*i+:4]),
          .positive(lane_positive),
          .is_less(lane_is_less)
      );
      vcu_multiplier multiplier (
          .clk,
          .advance(multiply),
          .width(multiply_width),
          .a(multiply_a[32*i+:32]),
          .b(multiply_b[32*i+:32]),
          .product(lane_product)
      );
      if (SCALED) begin : g_scaled
        vcu_scaled_multiplier scaled_multiplier (
            .clk,
            .advance(multiply),
            .scale(multiply_scale),
            .a(multiply_a[32*i+:32]),
            .b(multiply_b[32*i+:32]),
            .product(lane_scaled)
        );
      end else begin : g_plain
        assign lane_scaled = lane_product;
      end
      vcu_shifter shifter (
          .clk,
          .advance(shift),
          .width(shift_width),
          .arithmetic(shift_arithmetic),
          .products(shift_products),
          .masked(shift_masked),
          .amount(shift_amount),
          .a(shift_a[32*i+:32]),
          .shifted(lane_shifted)
      );
      always_comb begin
        sum[32*i+:32] = lane_sum;
        less[4*i+:4] = lane_less;
        positive[32*i+:32] = lane_positive;
        is_less[32*i+:32] = lane_is_less;
        product[32*i+:32] = multiply_scaled ? lane_scaled : lane_product;
        shifted[32*i+:32] = lane_shifted;
      end
    end
  endgenerate

  vcu_accumulator #(
      .SIMD(SIMD)
  ) accumulator (
      .clk,
      .advance(accumulate),
      .width(accumulate_width),
      .lanes(summands),
      .clear(accumulate_clear),
      .take(accumulate_take),
      .drop(accumulate_drop),
      .lose(accumulate_lose),
      .total
  );

  generate
    if (DIVIDER != "none") begin : g_dividers
      vector_divider #(
          .LANES(SIMD),
          .WIDTH(32),
          .COUNT_BITS(COUNT_BITS),
          .ZERO_AS_RISCV(DIVIDE_ZERO_RISCV),
          .KIND(DIVIDER)
      ) dividers (
          .clk,
          .rst_n,
          .start_valid(divide_start),
          .start_ready(),
          .wants_remainder(divide_remainder),
          .elements(divide_elements),
          .busy(),
          .read_valid(divide_read),
          .read_row(divide_read_row),
          .dividends,
          .divisors,
          .write_ready(divide_write_ready),
          .write_valid(divide_write),
          .write_row(divide_write_row),
          .write_lanes(divide_write_lanes),
          .results(quotients)
      );
    end else begin : g_no_dividers
      assign {divide_read, divide_read_row, divide_write, divide_write_row} = '0;
      assign {divide_write_lanes, quotients} = '0;
    end
  endgenerate
endmodule
