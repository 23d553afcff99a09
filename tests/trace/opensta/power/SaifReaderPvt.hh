// Stands in for OpenSTA's SaifReader: what its parser calls, printed instead of annotated.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "Report.hh"

namespace sta {

class SaifScanner;

enum class SaifState { T0, T1, TX, TZ, TB, TC, IG };

using SaifStateDurations = std::array<uint64_t, 7>;

class SaifReader {
public:
  void setDivider(char) {}
  void setTimescale(uint64_t multiplier, std::string &&units);
  void setDuration(uint64_t duration);
  void instancePush(std::string &&name) { path_.push_back(name); }
  void instancePop() { path_.pop_back(); }
  void setNetDurations(std::string &&name, const SaifStateDurations &durations);
  const char *filename() { return "input"; }
  Report *report() { return &report_; }

private:
  Report report_;
  std::vector<std::string> path_;
};

}  // namespace sta
