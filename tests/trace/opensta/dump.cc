// Reads SAIF with OpenSTA's grammar and prints one line per net: path, T0 T1 TX TZ TB TC IG.
#include <cinttypes>
#include <iostream>

#include "power/SaifReaderPvt.hh"
#include "SaifParse.hh"
#include "power/SaifScanner.hh"

namespace sta {

void SaifReader::setTimescale(uint64_t multiplier, std::string &&units)
{
  std::printf("timescale %" PRIu64 " %s\n", multiplier, units.c_str());
}

void SaifReader::setDuration(uint64_t duration)
{
  std::printf("duration %" PRIu64 "\n", duration);
}

void SaifReader::setNetDurations(std::string &&name, const SaifStateDurations &durations)
{
  std::string path;
  for (const std::string &instance : path_)
    path += instance + "/";
  for (char c : path + name)
    if (c != '\\')
      std::putchar(c);
  for (uint64_t value : durations)
    std::printf(" %" PRIu64, value);
  std::putchar('\n');
}

SaifScanner::SaifScanner(std::istream *stream, const std::string &, SaifReader *, Report *) :
  yyFlexLexer(stream)
{
}

void SaifScanner::error(const char *message)
{
  std::fprintf(stderr, "line %d: %s\n", lineno(), message);
  std::exit(1);
}

}  // namespace sta

int main()
{
  sta::SaifReader reader;
  sta::SaifScanner scanner(&std::cin, "input", &reader, reader.report());
  sta::SaifParse parser(&scanner, &reader);
  return parser.parse();
}
