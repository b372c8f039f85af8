// Compiles the forms of correct_h0 whose releases war_race compares: as the
// compiler derives them, and with other things in place of the proxy fences.
#include "test/exec/war_race/Make.h"

#include "kernels/harness/Parallel.h"
#include "tlc/Error.h"

#include <cstdio>
#include <filesystem>
#include <string_view>

using namespace tlc;
using namespace tlc::test;

static int usage(int code) {
  std::fprintf(code == 0 ? stdout : stderr,
               "usage: war_race_variants --compiled DIR [--source FILE.tl]\n"
               "Compiles what war_race launches. Needs NVRTC, no GPU.\n");
  return code;
}

static int makeAll(const std::string &source, const std::string &folder) {
  std::filesystem::create_directories(folder);
  std::vector<RaceVariant> variants = listVariants();
  kernels::forEachInParallel(variants.size(), [&](std::size_t i) {
    makeVariant(source, folder, variants[i]);
  });
  int made = 0, missing = 0;
  for (const RaceVariant &variant : variants) {
    made += variant.file.empty() ? 0 : 1;
    // Each form that has to exist.
    missing += variant.file.empty() && !variant.isDefect() ? 1 : 0;
    if (variant.file.empty() && variant.heads == allShapes()[0].heads)
      std::printf("%s, %s, %s: %s\n", variant.path.c_str(),
                  variant.structure.c_str(), variant.release.c_str(),
                  variant.problem.c_str());
  }
  writeIndex(folder, variants);
  std::printf("%d of %zu forms compiled\n", made, variants.size());
  return missing == 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  std::string source = TLC_KERNEL_SOURCE, folder;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--help" || flag == "-h")
      return usage(0);
    if ((flag != "--compiled" && flag != "--source") || i + 1 == argc)
      return usage(2);
    (flag == "--compiled" ? folder : source) = argv[++i];
  }
  if (folder.empty())
    return usage(2);
  try {
    return makeAll(source, folder);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
