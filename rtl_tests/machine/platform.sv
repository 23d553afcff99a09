// What stands around the machine in a simulation: both memories, the program protocol, and records
// of what it does. It reads and writes files of the folder it is started in:
//   instruction.hex, data.hex  in:  words that are not zero, by word address, for $readmemh
//   issues.bin   out: cycle, hart, pc, word of every instruction that enters execute
//   bus.bin      out: cycle, byte enables (0 = read), address, data of every request for data
//   units.bin    out: with units, for every instruction of one: cycles of its start and its end,
//                hart (+ 256 if the result has undefined bits), word, a, b, third operand, result
//   memory.bin   out: address and value of the words that are not zero at the exit
// all of words of 32 bits in the order of the machine that simulates. Plusargs: last=CYCLE,
// superscalar=, count_all= (modes other than the parameter file's), waits=SEED (grants and answers
// come late, at random; 0 = every request is granted at once and answered in the next cycle),
// dwaits=N (every request for data is granted in its cycle N, counted from 0).
//
// Cycle 0 is the first cycle with a request for an instruction.
module t13_platform (
    input logic clk,
    input logic rst_n
);
  import t13_machine_pkg::*;
  localparam int HART_BITS = $clog2(HARTS);
  localparam int I_WORDS = INSTRUCTION_BYTES / 4;
  localparam int D_WORDS = DATA_BYTES / 4;
  localparam int I_BITS = $clog2(I_WORDS);
  localparam int D_BITS = $clog2(D_WORDS);
  localparam logic [31:0] EXIT = 32'h1a10_fff0;
  localparam logic [31:0] CYCLE = 32'h1a10_fff8;

  logic superscalar, count_all;
  logic instr_req, instr_gnt, instr_rvalid, data_req, data_gnt, data_we, data_rvalid, data_err;
  logic issue;
  logic [HART_BITS-1:0] issue_hart;
  logic [3:0] data_be;
  logic [31:0] instr_addr, instr_rdata, data_addr, data_wdata, data_rdata, issue_pc, issue_word;
  t13 #(
      .HARTS(HARTS),
      .SIMD(SIMD),
      .SHARING(SHARING),
      .SPM_COUNT(SPM_COUNT),
      .SPM_BYTES(SPM_BYTES),
      .SPM_BASE(SPM_BASE),
      .SCALED(SCALED),
      .POSTSCALE(POSTSCALE),
      .LANE_DIVIDER(LANE_DIVIDER),
      .DIVIDE_ZERO_RISCV(DIVIDE_ZERO_RISCV),
      .DIVIDER(DIVIDER),
      .RESET_PC(RESET_PC),
      .CORE_QUIRKS(CORE_QUIRKS),
      .VCU_QUIRKS(VCU_QUIRKS)
  ) machine (
      .clk,
      .rst_n,
      .superscalar,
      .count_all,
      .instr_req,
      .instr_gnt,
      .instr_addr,
      .instr_rvalid,
      .instr_rdata,
      .data_req,
      .data_gnt,
      .data_we,
      .data_be,
      .data_addr,
      .data_wdata,
      .data_rvalid,
      .data_rdata,
      .data_err,
      .issue,
      .issue_hart,
      .issue_pc,
      .issue_word
  );

  logic [31:0] instructions[0:I_WORDS-1];
  logic [31:0] data[0:D_WORDS-1];
`ifdef GNOMON_UNITS
  logic [31:0] unit_start, undefined;
`ifdef VERILATOR
  initial undefined = '0;  // it has no undefined bits
`else
  assign undefined = 32'(^machine.core.execute.unit_result === 1'bx);
`endif
  integer units_file;
  initial units_file = $fopen("units.bin", "wb");
`endif
  integer issues_file, bus_file, memory_file, last, mode, waits, data_waits;
  logic [31:0] cycle;
  initial begin
    for (int i = 0; i < I_WORDS; i++) instructions[i] = '0;
    for (int i = 0; i < D_WORDS; i++) data[i] = '0;
    $readmemh("instruction.hex", instructions);
    $readmemh("data.hex", data);
    issues_file = $fopen("issues.bin", "wb");
    bus_file = $fopen("bus.bin", "wb");
    if (!$value$plusargs("last=%d", last)) last = 1_000_000;
    if (!$value$plusargs("waits=%d", waits)) waits = 0;
    if (!$value$plusargs("dwaits=%d", data_waits)) data_waits = 0;
    superscalar = SUPERSCALAR;
    if ($value$plusargs("superscalar=%d", mode)) superscalar = mode[0];
    count_all = COUNT_ALL;
    if ($value$plusargs("count_all=%d", mode)) count_all = mode[0];
    cycle = 0;
  end

  // Wait states: a shift register with feedback deals them out.
  logic [31:0] dice;
  initial dice = '1;
  always_ff @(posedge clk) begin
    if (!rst_n) dice <= 32'(waits) ^ 32'h5a5a_5a5a;
    else dice <= {dice[30:0], dice[31] ^ dice[21] ^ dice[1] ^ dice[0]};
  end
  logic late_instruction, late_data;
  assign late_instruction = waits != 0 && dice[3];
  assign late_data = waits != 0 && dice[17];
  assign instr_gnt = instr_req && !(waits != 0 && dice[9]);
  logic [31:0] waited;
  always_ff @(posedge clk) waited <= !rst_n || !data_req || data_gnt ? '0 : waited + 1;
  assign data_gnt = data_req && !(waits != 0 && dice[25]) && waited >= 32'(data_waits);

  // Where an address is. The software-interrupt registers hide the memory below from writes.
  logic [31:0] i_offset, d_offset;
  logic in_instructions, in_data, hidden;
  assign i_offset = data_addr - INSTRUCTION_BASE;
  assign d_offset = data_addr - DATA_BASE;
  assign in_instructions = i_offset < INSTRUCTION_BYTES;
  assign in_data = d_offset < DATA_BYTES;
  assign hidden = data_addr[31:8] == 24'h0000ff;
  assign data_err = data_req && data_addr[31:16] == 16'hdead;

  logic [31:0] old, next, fetch_offset;
  assign old = in_data ? data[d_offset[2+:D_BITS]] :
               in_instructions ? instructions[i_offset[2+:I_BITS]] :
               {data_addr[31:2], 2'b00} == CYCLE ? cycle : '0;
  assign next = {data_be[3] ? data_wdata[31:24] : old[31:24],
                 data_be[2] ? data_wdata[23:16] : old[23:16],
                 data_be[1] ? data_wdata[15:8] : old[15:8],
                 data_be[0] ? data_wdata[7:0] : old[7:0]};
  assign fetch_offset = instr_addr - INSTRUCTION_BASE;

  logic i_asked, d_asked;
  logic [31:0] i_answer, d_answer;
  assign instr_rvalid = i_asked && !late_instruction;
  assign data_rvalid = d_asked && !late_data;
  assign instr_rdata = i_answer;
  assign data_rdata = d_answer;
  always_ff @(posedge clk) begin
    if (!rst_n) begin
      i_asked <= 1'b0;
      d_asked <= 1'b0;
    end else begin
      if (instr_req && instr_gnt) begin
        i_asked  <= 1'b1;
        i_answer <= instructions[fetch_offset[2+:I_BITS]];
      end else if (instr_rvalid) i_asked <= 1'b0;
      if (data_req && data_gnt && !data_we) begin
        d_asked  <= 1'b1;
        d_answer <= old;
      end else if (data_rvalid) d_asked <= 1'b0;
      if (data_req && data_gnt && data_we && !hidden) begin
        if (in_data) data[d_offset[2+:D_BITS]] <= next;
        else if (in_instructions) instructions[i_offset[2+:I_BITS]] <= next;
      end
    end
  end

  task automatic row(input integer file, input logic [31:0] a, input logic [31:0] b,
                     input logic [31:0] c, input logic [31:0] d);
    $fwrite(file, "%u%u%u%u", a, b, c, d);
  endtask

  task automatic write_memory;
    memory_file = $fopen("memory.bin", "wb");
    for (int i = 0; i < I_WORDS; i++)
      if (instructions[i] != 0) $fwrite(memory_file, "%u%u", INSTRUCTION_BASE + 4 * i, instructions[i]);
    for (int i = 0; i < D_WORDS; i++)
      if (data[i] != 0) $fwrite(memory_file, "%u%u", DATA_BASE + 4 * i, data[i]);
    $fclose(memory_file);
  endtask

  // The cycle that ends here.
  always @(posedge clk) begin
    if (rst_n) begin
      cycle <= cycle + 1;
      if (issue) row(issues_file, cycle, 32'(issue_hart), issue_pc, issue_word);
`ifdef GNOMON_UNITS
      if (machine.core.execute.unit && !machine.core.execute.interrupted) begin
        if (issue) unit_start = cycle;
        if (machine.core.execute.valid && machine.core.execute.advances) begin
          row(units_file, unit_start, cycle, 32'(issue_hart) | undefined << 8, issue_word);
          row(units_file, machine.core.execute.rs1, machine.core.execute.rs2,
              machine.core.execute.units.c, machine.core.execute.unit_result);
        end
      end
`endif
      if (data_req && data_gnt)
        row(bus_file, cycle, data_we ? 32'(data_be) : '0, data_addr, data_we ? data_wdata : '0);
      if (data_req && data_gnt && data_we && {data_addr[31:2], 2'b00} == EXIT) begin
        write_memory;
        $finish;
      end else if (cycle == last) $finish;
    end
  end
endmodule
