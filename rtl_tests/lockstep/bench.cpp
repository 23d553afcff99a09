// What stands around a core that Verilator has translated: clock, reset, memories, program protocol.
//
// It does in C++ what rtl_tests/klessydra/platform.vhd and controller.py do under GHDL, cycle for
// cycle. The top module is `lockstep_top`, which ties the core's ports and shows each issue:
//   in:  clk_i rst_ni fetch_enable_i, instr_rvalid_i instr_rdata_i, data_rvalid_i data_rdata_i
//   out: instr_req_o instr_addr_o, data_req_o data_we_o data_be_o data_addr_o data_wdata_o,
//        issue_valid_o issue_hart_o issue_pc_o issue_word_o
// Requests are granted by the top module in their own cycle and answered here one cycle later.
//
// Arguments: FOLDER INSTRUCTION_BYTES DATA_BASE DATA_BYTES LAST_CYCLE. Files of the folder:
//   image.txt    in:  "address word" per line, hexadecimal
//   issues.bin   out: per issue cycle, hart, pc, word, 32 bits each
//   bus.bin      out: per request cycle, byte enables (0 = read), address, data written
//   memory.bin   out: both memories, one behind the other, at the exit
// It prints "exit CYCLE" or "limit CYCLE".

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "Vlockstep_top.h"
#include "verilated.h"

namespace {

constexpr std::uint32_t kExit = 0x1A10FFF0, kCycle = 0x1A10FFF8, kSwiPage = 0x0000FF;
constexpr int kResetEdges = 8;
constexpr long kMostWaiting = 1000;  // cycles from the reset to the first request

struct Memory {
  std::uint32_t instruction_bytes, data_base, data_bytes;
  std::vector<std::uint32_t> words;

  // Place of an address among the words of both memories, or -1.
  std::int64_t place(std::uint32_t address) const {
    if (address < instruction_bytes) return address / 4;
    if (address >= data_base && address - data_base < data_bytes)
      return instruction_bytes / 4 + (address - data_base) / 4;
    return -1;
  }
};

std::FILE* open_or_stop(const std::string& path, const char* mode) {
  std::FILE* file = std::fopen(path.c_str(), mode);
  if (file == nullptr) {
    std::fprintf(stderr, "%s: cannot be opened\n", path.c_str());
    std::exit(2);
  }
  return file;
}

void load(Memory& memory, const std::string& path) {
  std::FILE* file = open_or_stop(path, "r");
  unsigned address = 0, word = 0;
  while (std::fscanf(file, "%x %x", &address, &word) == 2) {
    const std::int64_t place = memory.place(address);
    if (place < 0) {
      std::fprintf(stderr, "%s: no memory at %08X\n", path.c_str(), address);
      std::exit(2);
    }
    memory.words[place] = word;
  }
  std::fclose(file);
}

void save(const std::string& path, const std::vector<std::uint32_t>& words) {
  std::FILE* file = open_or_stop(path, "wb");
  const bool whole = std::fwrite(words.data(), 4, words.size(), file) == words.size();
  if (std::fclose(file) != 0 || !whole) {
    std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
    std::exit(2);
  }
}

void row(std::vector<std::uint32_t>& rows, std::uint32_t a, std::uint32_t b, std::uint32_t c,
         std::uint32_t d) {
  rows.push_back(a);
  rows.push_back(b);
  rows.push_back(c);
  rows.push_back(d);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6) {
    std::fprintf(stderr, "usage: %s FOLDER INSTRUCTION_BYTES DATA_BASE DATA_BYTES LAST_CYCLE\n",
                 arguments[0]);
    return 2;
  }
  const std::string folder = arguments[1];
  Memory memory;
  memory.instruction_bytes = std::strtoul(arguments[2], nullptr, 0);
  memory.data_base = std::strtoul(arguments[3], nullptr, 0);
  memory.data_bytes = std::strtoul(arguments[4], nullptr, 0);
  memory.words.resize((memory.instruction_bytes + memory.data_bytes) / 4);
  const long last_cycle = std::strtol(arguments[5], nullptr, 0);
  load(memory, folder + "/image.txt");

  VerilatedContext context;
  Vlockstep_top top(&context);
  std::vector<std::uint32_t> issues, bus;
  const auto edge = [&top](int level) {
    top.clk_i = level;
    top.eval();
  };
  top.rst_ni = 0;
  top.fetch_enable_i = 0;
  top.instr_rvalid_i = 0;
  top.data_rvalid_i = 0;
  top.instr_rdata_i = 0;
  top.data_rdata_i = 0;
  edge(0);
  for (int number = 0; number < kResetEdges / 2; ++number) {
    edge(1);
    edge(0);
  }
  top.rst_ni = 1;
  for (int number = 0; number < kResetEdges / 2; ++number) {
    edge(1);
    edge(0);
  }
  edge(1);
  top.fetch_enable_i = 1;  // after the edge, as the core fetches address 0 else

  long cycle = -1, waited = 0;
  bool over = false;
  while (true) {
    edge(0);  // the middle of the cycle: everything has settled
    if (cycle < 0 && top.instr_req_o) cycle = 0;
    if (over || cycle >= last_cycle) break;
    if (cycle < 0 && ++waited > kMostWaiting) {
      std::fprintf(stderr, "the core makes no request for an instruction\n");
      return 2;
    }
    if (cycle >= 0 && top.issue_valid_o)
      row(issues, cycle, top.issue_hart_o, top.issue_pc_o, top.issue_word_o);
    const bool fetch = top.instr_req_o, access = top.data_req_o;
    std::uint32_t fetched = top.instr_rdata_i, read = 0;
    if (fetch) fetched = memory.words[top.instr_addr_o % memory.instruction_bytes / 4];
    if (access) {
      const std::uint32_t address = top.data_addr_o, data = top.data_wdata_o;
      const std::int64_t place = memory.place(address);
      row(bus, cycle, top.data_we_o ? top.data_be_o : 0, address, top.data_we_o ? data : 0);
      if (top.data_we_o) {
        if (place >= 0 && address >> 8 != kSwiPage) {
          std::uint32_t mask = 0;
          for (int lane = 0; lane < 4; ++lane)
            if (top.data_be_o >> lane & 1) mask |= 0xFFu << (8 * lane);
          memory.words[place] = (memory.words[place] & ~mask) | (data & mask);
        }
        over = over || address >> 2 == kExit >> 2;
      } else if (place >= 0) {
        read = memory.words[place];
      } else if (address >> 2 == kCycle >> 2) {
        read = cycle;
      }
    }
    edge(1);
    top.instr_rvalid_i = fetch;
    top.instr_rdata_i = fetched;
    top.data_rvalid_i = access;
    top.data_rdata_i = read;
    if (cycle >= 0) ++cycle;
  }
  top.final();
  save(folder + "/issues.bin", issues);
  save(folder + "/bus.bin", bus);
  save(folder + "/memory.bin", over ? memory.words : std::vector<std::uint32_t>());
  std::printf("%s %ld\n", over ? "exit" : "limit", cycle);
  return 0;
}
