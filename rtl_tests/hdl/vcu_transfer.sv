// The transfer engine: words between memory and a scratchpad, one transfer at a time.
//
// A load of W words asks the bus in the W + 1 cycles behind its issue: as in the public core, one
// word past the end is read and dropped. Every answer is there one cycle later and goes straight
// into the scratchpad. A store reads the scratchpad and writes the bus in turns.
module vcu_transfer #(
    parameter int PAD_BITS = 2,
    parameter int WORD_BITS = 10
) (
    input  logic                 clk,
    input  logic                 rst_n,
    input  logic                 start,
    input  logic                 new_store,
    input  logic [         31:0] new_address,
    input  logic [WORD_BITS+2:0] new_bytes,    // not 0
    input  logic [ PAD_BITS-1:0] new_pad,
    input  logic [WORD_BITS-1:0] new_word,
    output logic                 busy,
    output logic                 in_flight,    // busy, but for the cycle of `start`
    // Scratchpad port.
    output logic                 t_read,
    output logic                 t_write,
    output logic [ PAD_BITS-1:0] t_pad,
    output logic [WORD_BITS-1:0] t_word,
    // Bus: every request is granted at once, what is read comes one cycle later.
    output logic                 bus_request,
    output logic                 bus_write,
    output logic [         31:0] bus_address
);
  localparam int COUNT_BITS = WORD_BITS + 2;
  logic running, store, odd;
  logic [COUNT_BITS-1:0] words, done;
  logic [31:0] address;
  logic [PAD_BITS-1:0] pad;
  logic [WORD_BITS-1:0] word;

  always_ff @(posedge clk) begin
    if (!rst_n) running <= 1'b0;
    else if (start && !running) begin
      running <= 1'b1;
      store <= new_store;
      address <= new_address;
      words <= {1'b0, new_bytes[WORD_BITS+2:2]} + COUNT_BITS'(new_bytes[1:0] != 0);
      pad <= new_pad;
      word <= new_word;
      done <= '0;
      odd <= 1'b1;  // the first cycle behind the issue
    end else if (running) begin
      odd <= !odd;
      if (!store || odd) address <= address + 32'd4;
      if (store ? odd : done != 0) word <= word + 1'b1;
      if (!store || odd) done <= done + 1'b1;
      if (done == words && !(store && odd)) running <= 1'b0;
    end
  end

  assign busy = running || start;
  assign in_flight = running;
  assign t_pad = running ? pad : new_pad;
  assign t_word = running ? word : new_word;
  assign t_read = running ? store && !odd && done != words : start && new_store;
  assign t_write = running && !store && done != 0;
  assign bus_request = running && (!store || odd);
  assign bus_write = store;
  assign bus_address = address;
endmodule
