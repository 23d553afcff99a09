// One integer divider behind one interface, its algorithm a parameter.
//
// start_valid and start_ready give the operands, done_valid and done_ready take the result; the
// next operands may come in the cycle that takes a result. Results are those of RISC-V: x / 0 is
// all ones and leaves x, the smallest number by -1 is itself and leaves 0.
//
// KIND is a row of models/dividers/laws.yaml. The result shows as many cycles after the operands
// first showed as the law says of their magnitudes.
module divider #(
    parameter int WIDTH = 32,
    parameter KIND = "restoring_r2"
) (
    input  logic             clk,
    input  logic             rst_n,
    input  logic             start_valid,
    output logic             start_ready,
    input  logic             is_signed,
    input  logic [WIDTH-1:0] dividend,
    input  logic [WIDTH-1:0] divisor,
    output logic             done_valid,
    input  logic             done_ready,
    output logic [WIDTH-1:0] quotient,
    output logic [WIDTH-1:0] remainder
);
  logic busy, finished, load;
  assign done_valid  = busy && finished;
  assign start_ready = !busy || (done_valid && done_ready);
  assign load        = start_valid && start_ready;

  logic negate_quotient, negate_remainder;
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      busy <= 1'b0;
      negate_quotient <= 1'b0;
      negate_remainder <= 1'b0;
    end else if (load) begin
      busy <= 1'b1;
      // By zero the quotient is all ones for either sign.
      negate_quotient <= is_signed && divisor != 0 && (dividend[WIDTH-1] ^ divisor[WIDTH-1]);
      negate_remainder <= is_signed && dividend[WIDTH-1];
    end else if (done_valid && done_ready) begin
      busy <= 1'b0;
    end
  end

  logic [WIDTH-1:0] a, d, q, r;  // magnitudes
  assign a = is_signed && dividend[WIDTH-1] ? -dividend : dividend;
  assign d = is_signed && divisor[WIDTH-1] ? -divisor : divisor;
  assign quotient  = negate_quotient ? -q : q;
  assign remainder = negate_remainder ? -r : r;

`define ENGINE_PORTS \
      .clk(clk), .rst_n(rst_n), .load(load), .dividend(a), .divisor(d), \
      .finished(finished), .quotient(q), .remainder(r)

  generate
    if (KIND == "restoring_r2") begin : g_engine
      div_restoring #(.WIDTH(WIDTH)) engine (`ENGINE_PORTS);
    end else if (KIND == "unrolled_2") begin : g_engine
      div_restoring #(.WIDTH(WIDTH), .BITS_PER_CYCLE(2)) engine (`ENGINE_PORTS);
    end else if (KIND == "unrolled_4") begin : g_engine
      div_restoring #(.WIDTH(WIDTH), .BITS_PER_CYCLE(4)) engine (`ENGINE_PORTS);
    end else if (KIND == "unrolled_8") begin : g_engine
      div_restoring #(.WIDTH(WIDTH), .BITS_PER_CYCLE(8)) engine (`ENGINE_PORTS);
    end else if (KIND == "combinational") begin : g_engine
      div_combinational #(.WIDTH(WIDTH)) engine (`ENGINE_PORTS);
    end else if (KIND == "nonrestoring_r2") begin : g_engine
      div_nonrestoring #(.WIDTH(WIDTH)) engine (`ENGINE_PORTS);
    end else if (KIND == "restoring_r4") begin : g_engine
      div_restoring_r4 #(.WIDTH(WIDTH)) engine (`ENGINE_PORTS);
    end else if (KIND == "early_clz_r2") begin : g_engine
      div_early #(.WIDTH(WIDTH)) engine (`ENGINE_PORTS);
    end else if (KIND == "early_clz_r4") begin : g_engine
      div_early #(.WIDTH(WIDTH), .BITS_PER_CYCLE(2)) engine (`ENGINE_PORTS);
    end else if (KIND == "klessydra_vl_std") begin : g_engine
      div_skip #(.WIDTH(WIDTH)) engine (`ENGINE_PORTS);
    end else if (KIND == "klessydra_vl_ls") begin : g_engine
      div_skip #(.WIDTH(WIDTH), .MOST_SKIP(7)) engine (`ENGINE_PORTS);
    end else if (KIND == "klessydra_vl_hp") begin : g_engine
      div_skip #(.WIDTH(WIDTH), .SURE_SUBTRACT(1)) engine (`ENGINE_PORTS);
    end else if (KIND == "klessydra_vl_hf") begin : g_engine
      div_skip_hf #(.WIDTH(WIDTH)) engine (`ENGINE_PORTS);
    end else begin : g_engine
      unknown_kind_of_divider engine ();  // stops every tool that elaborates this
    end
  endgenerate
`undef ENGINE_PORTS
endmodule
