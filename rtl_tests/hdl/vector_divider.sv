// Vector division: LANES dividers side by side that run in lock-step. A step takes one row of
// LANES elements and is as slow as its slowest lane; the others wait for it.
//
// A division is given in one cycle: start_valid and start_ready, with how many elements there are
// (at least one). Each row is read by number, its two operands arrive in the cycle after; results
// are written a row at a time, only lanes that hold elements of the vector. By zero: 0, or as
// RISC-V has it (all ones; the dividend remains) with ZERO_AS_RISCV. A lane with a zero operand
// has nothing to divide; neither has one beyond the end of the vector.
//
// Busy cycles, the one that gives it included: 2 + sum over the rows of a row's cycles. A row:
// 2 where no lane has anything to divide; else 2 + the cycles of the slowest lane (its divider's
// from operands to result, then one to hand over and one to write back).
module vector_divider #(
    parameter int LANES = 4,
    parameter int WIDTH = 32,
    parameter int COUNT_BITS = 16,  // of the number of elements
    parameter bit ZERO_AS_RISCV = 0,
    parameter KIND = "klessydra_vl_std"
) (
    input  logic                   clk,
    input  logic                   rst_n,
    input  logic                   start_valid,
    output logic                   start_ready,
    input  logic                   wants_remainder,
    input  logic [ COUNT_BITS-1:0] elements,
    output logic                   busy,             // from the cycle after the start
    output logic                   read_valid,
    output logic [ COUNT_BITS-1:0] read_row,
    input  logic [LANES*WIDTH-1:0] dividends,        // lane 0 in the low bits
    input  logic [LANES*WIDTH-1:0] divisors,
    input  logic                   write_ready,      // else the row waits to be written
    output logic                   write_valid,
    output logic [ COUNT_BITS-1:0] write_row,
    output logic [      LANES-1:0] write_lanes,
    output logic [LANES*WIDTH-1:0] results
);
  // S_READ: the first row is being read. S_START: operands are here, dividers start. S_DIVIDE:
  // until all show results, which are handed over. S_WRITE: to the memory; the next row is read.
  localparam logic [2:0] S_IDLE = 0, S_READ = 1, S_START = 2, S_DIVIDE = 3, S_WRITE = 4;

  logic [2:0] state;
  logic remainder_wanted;
  logic [COUNT_BITS-1:0] row, left;  // left: elements of this row and those after it
  logic last;
  assign last = left <= COUNT_BITS'(LANES);

  logic [LANES-1:0] held, divides, under_way, shows;
  logic [LANES*WIDTH-1:0] quotients, remainders, at_once;

  genvar lane;
  generate
    for (lane = 0; lane < LANES; lane = lane + 1) begin : g_lane
      logic [WIDTH-1:0] a, d;
      logic ready;
      assign a = dividends[lane*WIDTH+:WIDTH];
      assign d = divisors[lane*WIDTH+:WIDTH];
      assign held[lane] = left > lane;
      assign divides[lane] = held[lane] && a != 0 && d != 0;
      if (ZERO_AS_RISCV) begin : g_by_zero
        assign at_once[lane*WIDTH+:WIDTH] = d != 0 ? '0 : remainder_wanted ? a : '1;
      end else begin : g_by_zero
        assign at_once[lane*WIDTH+:WIDTH] = '0;
      end
      divider #(
          .WIDTH(WIDTH),
          .KIND(KIND)
      ) divides_lane (
          .clk(clk),
          .rst_n(rst_n),
          .start_valid(state == S_START && divides[lane]),
          .start_ready(ready),
          .is_signed(1'b1),
          .dividend(a),
          .divisor(d),
          .done_valid(shows[lane]),
          .done_ready(state == S_DIVIDE && shows == under_way),
          .quotient(quotients[lane*WIDTH+:WIDTH]),
          .remainder(remainders[lane*WIDTH+:WIDTH])
      );
      always_ff @(posedge clk) begin
        if (!rst_n) begin
          under_way[lane] <= 1'b0;
          results[lane*WIDTH+:WIDTH] <= '0;
        end else if (state == S_START) begin
          under_way[lane] <= divides[lane];
          results[lane*WIDTH+:WIDTH] <= at_once[lane*WIDTH+:WIDTH];
        end else if (state == S_DIVIDE && under_way[lane]) begin
          results[lane*WIDTH+:WIDTH] <= remainder_wanted ? remainders[lane*WIDTH+:WIDTH]
                                                         : quotients[lane*WIDTH+:WIDTH];
        end
      end
    end
  endgenerate

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      state <= S_IDLE;
      remainder_wanted <= 1'b0;
      row  <= '0;
      left <= '0;
    end else begin
      case (state)
        S_IDLE:
        if (start_valid && elements != 0) begin
          state <= S_READ;
          remainder_wanted <= wants_remainder;
          row  <= '0;
          left <= elements;
        end
        S_READ: state <= S_START;
        S_START: state <= divides == 0 ? S_WRITE : S_DIVIDE;
        S_DIVIDE: if (shows == under_way) state <= S_WRITE;
        default:
        if (write_ready) begin
          state <= last ? S_IDLE : S_START;
          row   <= row + 1'b1;
          left  <= left - COUNT_BITS'(LANES);
        end
      endcase
    end
  end

  assign start_ready = state == S_IDLE;
  assign busy = state != S_IDLE;
  assign read_valid = state == S_READ || (state == S_WRITE && write_ready && !last);
  assign read_row = state == S_READ ? row : row + 1'b1;
  assign write_valid = state == S_WRITE;
  assign write_row = row;
  assign write_lanes = held;
endmodule
