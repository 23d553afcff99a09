// Who gets the functional units that the accelerators share, with multithreaded sharing.
//
// For each unit an accelerator holds it, awaits it, or neither. An instruction that finds all its
// units free, and awaited by nobody, takes them for as long as it runs. Else it enters the rings of
// all its units and waits. While a unit is free and a waiting accelerator awaits it, the entry under
// the ring's read pointer is granted it, and the pointer moves on.
//
// An instruction that is refused or has no length asks as well, but does not wait: its entry stays,
// and what is granted to it nobody uses, as in the public core.
module vcu_arbiter #(
    parameter int SIDES = 3,
    parameter int SIDE_BITS = 2,
    parameter int UNITS = 6
) (
    input  logic                       clk,
    input  logic                       rst_n,
    // An instruction in its issue cycle, which needs these units. `runs`: it is not refused.
    input  logic                       asks,
    input  logic                       runs,
    input  logic [      SIDE_BITS-1:0] side,
    input  logic [          UNITS-1:0] needs,
    input  logic [          SIDES-1:0] running,   // from the cycle behind the issue to the end
    output logic [          SIDES-1:0] may_read,  // in this cycle
    output logic [UNITS*SIDE_BITS-1:0] users      // whose each unit is, if anybody's
);
  localparam int RING = SIDES - 1;
  localparam int PLACE_BITS = RING > 1 ? $clog2(RING) : 1;

  logic [SIDES-1:0] waiting, stays;
  logic [UNITS*SIDES-1:0] holds, awaits, granted, new_holds, new_awaits, new_granted;
  logic [UNITS-1:0] busy, awaited, held, moves;
  logic [UNITS*PLACE_BITS-1:0] write_places, read_places;

  // Whether the instruction finds its units free.
  logic free;
  assign free = asks && (needs & (busy | awaited)) == '0;

  genvar u, s;
  generate
    for (s = 0; s < SIDES; s++) begin : g_side
      logic mine, lives;
      logic [UNITS-1:0] still;  // awaited, and not granted now
      assign mine = asks && side == SIDE_BITS'(s);
      assign lives = running[s] || waiting[s] || (mine && runs);
      for (u = 0; u < UNITS; u++) begin : g_unit
        localparam int AT = u * SIDES + s;
        logic takes;
        assign takes = !mine && waiting[s] && granted[AT];
        assign still[u] = awaits[AT] && !granted[AT];
        assign new_holds[AT] = (holds[AT] && lives) || (mine && free && needs[u]) || takes;
        assign new_awaits[AT] = (awaits[AT] && !takes) || (mine && !free && needs[u]);
      end
      assign stays[s] = mine ? !free && runs : waiting[s] && still != '0;
      assign may_read[s] = mine ? free && runs : running[s] && !waiting[s];
    end
    for (u = 0; u < UNITS; u++) begin : g_unit
      logic [SIDES-1:0] wanting;
      logic [SIDE_BITS-1:0] oldest;
      logic [RING*SIDE_BITS-1:0] ring;  // one per unit: a bit of it is written by one process alone
      assign awaited[u] = awaits[SIDES*u+:SIDES] != '0;
      assign held[u] = new_holds[SIDES*u+:SIDES] != '0;
      assign wanting = held[u] ? '0 : new_awaits[SIDES*u+:SIDES] & waiting;
      assign moves[u] = wanting != '0;
      assign oldest = ring[32'(read_places[PLACE_BITS*u+:PLACE_BITS])*SIDE_BITS+:SIDE_BITS];
      for (s = 0; s < SIDES; s++) begin : g_grant
        // Sides give grants in turn, the highest first, and each clears its own before: what only
        // higher ones gave is lost.
        localparam logic [SIDES-1:0] NOT_HIGHER = SIDES'((2 << s) - 1);
        assign new_granted[u*SIDES+s] = oldest == SIDE_BITS'(s) && (wanting & NOT_HIGHER) != '0;
      end
      always_ff @(posedge clk) begin
        if (!rst_n) begin
          write_places[PLACE_BITS*u+:PLACE_BITS] <= '0;
          read_places[PLACE_BITS*u+:PLACE_BITS] <= '0;
          ring <= '0;
        end else begin
          if (asks && !free && needs[u]) begin
            ring[32'(write_places[PLACE_BITS*u+:PLACE_BITS])*SIDE_BITS+:SIDE_BITS] <= side;
            write_places[PLACE_BITS*u+:PLACE_BITS] <=
                write_places[PLACE_BITS*u+:PLACE_BITS] == PLACE_BITS'(RING - 1) ? '0 :
                write_places[PLACE_BITS*u+:PLACE_BITS] + 1'b1;
          end
          if (moves[u]) begin
            read_places[PLACE_BITS*u+:PLACE_BITS] <=
                read_places[PLACE_BITS*u+:PLACE_BITS] == PLACE_BITS'(RING - 1) ? '0 :
                read_places[PLACE_BITS*u+:PLACE_BITS] + 1'b1;
          end
        end
      end

      // The user; of several that hold a unit, which the rules above exclude, the highest.
      logic [SIDE_BITS*(SIDES+1)-1:0] user;
      assign user[SIDE_BITS-1:0] = '0;
      for (s = 0; s < SIDES; s++) begin : g_user
        assign user[SIDE_BITS*(s+1)+:SIDE_BITS] =
            new_holds[u*SIDES+s] ? SIDE_BITS'(s) : user[SIDE_BITS*s+:SIDE_BITS];
      end
      assign users[SIDE_BITS*u+:SIDE_BITS] = user[SIDE_BITS*SIDES+:SIDE_BITS];
    end
  endgenerate

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      waiting <= '0;
      holds <= '0;
      awaits <= '0;
      granted <= '0;
      busy <= '0;
    end else begin
      waiting <= stays;
      holds <= new_holds;
      awaits <= new_awaits;
      granted <= new_granted;
      busy <= held;
    end
  end
endmodule
