// The transfer engine: words between memory and a scratchpad, one transfer at a time.
//
// A load of W words asks the bus W + 1 times from the cycle behind its issue on: as in the public
// core, one word past the end is read and dropped. Answers go straight into the scratchpad. A store
// reads the scratchpad and writes the bus in turns. Each waits where the bus does.
module vcu_transfer #(
    parameter int PAD_BITS = 2,
    parameter int WORD_BITS = 10,
    parameter bit PARTIAL_WORD_REPEATS = 0
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
    output logic [         31:0] t_write_data,
    // Bus.
    output logic                 bus_request,
    input  logic                 bus_grant,
    output logic                 bus_write,
    output logic [         31:0] bus_address,
    input  logic                 bus_valid,
    input  logic [         31:0] bus_read_data
);
  localparam int COUNT_BITS = WORD_BITS + 2;
  logic running, store, odd, asked, granted, arrives, ends;
  logic [COUNT_BITS-1:0] words, done;  // done: requests that were granted
  logic [31:0] address;
  logic [PAD_BITS-1:0] pad;
  logic [WORD_BITS-1:0] word;
  logic [1:0] rest;

  assign granted = bus_request && bus_grant;
  assign arrives = asked && bus_valid;
  assign ends = store ? done == words && !odd : granted && done == words;
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      running <= 1'b0;
      asked   <= 1'b0;
    end else begin
      if (start && !running) running <= 1'b1;
      else if (running && ends) running <= 1'b0;
      if (granted && !bus_write) asked <= 1'b1;
      else if (arrives) asked <= 1'b0;
    end
    if (start && !running) begin
      store <= new_store;
      address <= new_address;
      words <= {1'b0, new_bytes[WORD_BITS+2:2]} + COUNT_BITS'(new_bytes[1:0] != 0);
      rest <= new_bytes[1:0];
      pad <= new_pad;
      word <= new_word;
      done <= '0;
      odd <= 1'b1;  // the first cycle behind the issue
    end else if (running) begin
      if (!(bus_request && !bus_grant)) odd <= !odd;
      if (granted) address <= address + 32'd4;
      if (store ? granted : t_write) word <= word + 1'b1;
      if (granted) done <= done + 1'b1;
    end
  end

  // The bytes of the last word beyond the length repeat those of the word before (quirk).
  generate
    if (PARTIAL_WORD_REPEATS) begin : g_repeats
      logic [31:0] earlier;
      logic [3:0] taken;
      assign taken = done != words || rest == 2'd0 ? 4'hf :
                     rest == 2'd1 ? 4'h1 : rest == 2'd2 ? 4'h3 : 4'h7;
      genvar i;
      for (i = 0; i < 4; i++) begin : g_byte
        assign t_write_data[8*i+:8] = taken[i] ? bus_read_data[8*i+:8] : earlier[8*i+:8];
      end
      always_ff @(posedge clk) if (t_write) earlier <= t_write_data;
    end else begin : g_whole
      assign t_write_data = bus_read_data;
    end
  endgenerate

  // A late answer to the last request keeps it busy.
  assign busy = running || start || (asked && !bus_valid);
  assign in_flight = running;
  assign t_pad = running ? pad : new_pad;
  assign t_word = running ? word : new_word;
  assign t_read = running ? store && !odd && done != words : start && new_store;
  assign t_write = running && !store && arrives;
  assign bus_request = running && (store ? odd : !asked || bus_valid);
  assign bus_write = store;
  assign bus_address = address;
endmodule
