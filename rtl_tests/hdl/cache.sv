// Cache of 32-bit words: the least recently used line of a set is replaced. A miss reads its whole
// line, from its first word on. A write goes through to the memory and allocates nothing: it only
// changes the words of a line that is present, and not the order in which lines were used.
//
// Cycles: a hit is done in the cycle of its request. A miss is done in the cycle in which the last
// word of its line arrives.
module cache #(
    parameter int LINE_BYTES = 16,
    parameter int SETS = 64,
    parameter int WAYS = 2
) (
    input  logic        clk,
    input  logic        rst_n,
    input  logic        flush,      // forget all lines
    input  logic        request,    // a read, until it is done
    input  logic [31:0] address,    // of the read, or of the write
    output logic        done,
    output logic [31:0] data,
    input  logic        write,      // the memory takes a write in this cycle
    input  logic [ 3:0] strobes,
    input  logic [31:0] value,
    output logic        fetch,      // read a word of the memory
    output logic [31:0] fetched,    // its address
    input  logic        arrived,    // the word is there, in this cycle
    input  logic [31:0] word
);
  localparam int WORDS = LINE_BYTES / 4;
  localparam int OFFSET = $clog2(LINE_BYTES);
  localparam int TAG = 32 - OFFSET;
  localparam int AGE = WAYS > 1 ? $clog2(WAYS) : 1;
  localparam int PLACE = SETS * WAYS * WORDS > 1 ? $clog2(SETS * WAYS * WORDS) : 1;

  logic [31:0] words[SETS*WAYS*WORDS];
  logic [SETS*WAYS-1:0] valid;
  logic [SETS*WAYS*TAG-1:0] tags;
  logic [SETS*WAYS*AGE-1:0] ages;  // of a set, each once; 0: used last

  logic [TAG-1:0] line;
  logic [31:0] first;  // way of the set
  assign line  = address[31:OFFSET];
  assign first = (32'(line) & (SETS - 1)) * WAYS;

  logic hit;
  logic [31:0] way, oldest;
  always_comb begin
    hit = 1'b0;
    way = first;
    oldest = first;
    for (int w = 0; w < WAYS; w++) begin
      if (valid[first+w] && tags[(first+w)*TAG+:TAG] == line) begin
        hit = 1'b1;
        way = first + w;
      end
      if (ages[(first+w)*AGE+:AGE] == AGE'(WAYS - 1)) oldest = first + w;
    end
  end

  logic [31:0] count;  // words of the line that have arrived
  logic [31:0] wanted;  // word of the line
  logic last;
  logic [31:0] used;
  logic [PLACE-1:0] wanted_place, filled_place;
  assign wanted = (address >> 2) & (WORDS - 1);
  assign used = hit ? way : oldest;
  assign wanted_place = PLACE'(used * WORDS + wanted);
  assign filled_place = PLACE'(oldest * WORDS + count);
  assign last = arrived && count == WORDS - 1;
  assign fetch = request && !hit;
  assign fetched = {line, {OFFSET{1'b0}}} + 4 * count;
  assign done = request && (hit || last);
  assign data = !hit && wanted == WORDS - 1 ? word : words[wanted_place];

  always_ff @(posedge clk) begin
    if (fetch && arrived) words[filled_place] <= word;
    if (write && hit)
      for (int lane = 0; lane < 4; lane++)
        if (strobes[lane]) words[wanted_place][8*lane+:8] <= value[8*lane+:8];
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      valid <= '0;
      count <= '0;
      tags  <= '0;
      for (int n = 0; n < SETS * WAYS; n++) ages[n*AGE+:AGE] <= AGE'(n % WAYS);
    end else begin
      if (fetch) count <= last ? '0 : count + 32'(arrived);
      if (fetch && last) begin
        valid[oldest] <= 1'b1;
        tags[oldest*TAG+:TAG] <= line;
      end
      if (done)
        for (int w = 0; w < WAYS; w++)
          if (first + w == used) ages[(first+w)*AGE+:AGE] <= '0;
          else if (ages[(first+w)*AGE+:AGE] < ages[used*AGE+:AGE])
            ages[(first+w)*AGE+:AGE] <= ages[(first+w)*AGE+:AGE] + 1'b1;
      if (flush) valid <= '0;
    end
  end
endmodule
