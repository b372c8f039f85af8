// Shows on a device that correct_h0 races without its proxy fences, and that
// the derived forms do not: README.md.
#include "kernels/harness/Variants.h"
#include "runtime/core/Driver.h"
#include "test/exec/war_race/Race.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

using namespace tlc;
using namespace tlc::test;

static constexpr char kUsage[] =
    "usage: war_race --compiled DIR [options]\n"
    "Launches correct_h0 without its proxy fences, which must race on this\n"
    "device, and as the compiler derives it, which must not.\n"
    "  --compiled DIR      what war_race_variants made\n"
    "  --quick             fewer launches\n"
    "  --only TEXT         paths whose name has TEXT in it (\"kv bwd\")\n"
    "  --structure NAME    derived, or plain (optimisations off) alone\n"
    "  --war-fence LIST    these releases alone: proxy, proxy-producer, "
    "delay;\n"
    "                      in place of the fence: none, bar.sync, membar\n"
    "  --launches N        of a defect, shape and flags (default: 160)\n"
    "  --exact N           of a derived form and path (default: 10000)\n"
    "  --soak N            then N launches a path of both sides of the fence,\n"
    "                      and which one is to be the default\n"
    "  --seconds S         end the soak after S seconds\n"
    "  --json FILE         write the checks there too\n";

static std::vector<std::string> splitList(std::string_view text) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    list.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

[[noreturn]] static void badUsage(const std::string &message) {
  std::fprintf(stderr, "error: %s\n%s", message.c_str(), kUsage);
  std::exit(2);
}

static double numberOf(const std::string &flag, const char *text) {
  char *end = nullptr;
  const double value = std::strtod(text, &end);
  if (*end != 0 || !(value >= 1))
    badUsage(flag + " needs a positive number");
  return value;
}

static RaceOptions parse(int argc, char **argv) {
  RaceOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--help" || flag == "-h") {
      std::printf("%s", kUsage);
      std::exit(0);
    }
    if (flag == "--quick") {
      options.defectLaunches = 48;
      options.exactLaunches = 1000;
      continue;
    }
    if (i + 1 == argc)
      badUsage(flag + " is no option, or needs a value");
    const char *value = argv[++i];
    if (flag == "--compiled")
      options.compiled = value;
    else if (flag == "--only")
      options.only = value;
    else if (flag == "--structure")
      options.structure = value;
    else if (flag == "--war-fence")
      options.releases = splitList(value);
    else if (flag == "--json")
      options.json = value;
    else if (flag == "--launches")
      options.defectLaunches = static_cast<std::int64_t>(numberOf(flag, value));
    else if (flag == "--exact")
      options.exactLaunches = static_cast<std::int64_t>(numberOf(flag, value));
    else if (flag == "--soak")
      options.soak = static_cast<std::uint64_t>(numberOf(flag, value));
    else if (flag == "--seconds")
      options.seconds = numberOf(flag, value);
    else
      badUsage("unknown option '" + flag + "'");
  }
  if (options.compiled.empty())
    badUsage("--compiled is needed");
  return options;
}

/// Whether one of the releases is selected.
static bool runsAny(const RaceOptions &options,
                    std::span<const char *const> releases) {
  for (const char *release : releases)
    for (const char *structure : kStructures)
      if (options.selects(structure, release))
        return true;
  return false;
}

static void judge(const RaceOptions &options, const Evidence &evidence,
                  kernels::Report &report) {
  std::printf("\nbad launches by shape, with flags off|on|mixed; of the wrong "
              "elements with flags\noff, those equal to the slot's next "
              "generation\n%s",
              evidence.table().c_str());
  for (const std::string &line : evidence.notes())
    std::printf("%s\n", line.c_str());
  for (const std::string &line : evidence.passes())
    std::printf("%s\n", line.c_str());
  if (runsAny(options, kDefects))
    report.check("an unfenced release fails in this process",
                 evidence.showsRace(),
                 evidence.showsRace()
                     ? "each wrong element is the slot's next generation"
                     : "none did: this run shows nothing");
  if (!runsAny(options, kDerived))
    return;
  const bool exact = evidence.derivedExact(options.exactLaunches);
  report.check("derived forms", exact,
               exact ? "no launch of " + std::to_string(options.exactLaunches) +
                           " or more a path differs"
                     : "launches differ, or did not happen");
}

int main(int argc, char **argv) {
  const RaceOptions options = parse(argc, argv);
  try {
    std::string why;
    if (!rt::Driver::available(&why))
      throw Error(ErrorCode::Environment, why);
    kernels::Report report("war_race");
    Forms forms(options.compiled);
    Evidence evidence;
    const auto begin = std::chrono::steady_clock::now();
    checkComparison(report);
    collectEvidence(options, forms, evidence, report);
    judge(options, evidence, report);
    if (options.soak != 0)
      soak(options, forms, report);
    const std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin;
    std::printf("%.1f s\n", spent.count());
    return report.finish(options.json);
  } catch (const Error &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return exitCode(error.code());
  }
}
