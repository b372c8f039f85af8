// Command-line reading for the host programs.
#include "kernels/harness/Options.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tlc::kernels {

static void printUsage(const std::string &program, std::FILE *to) {
  std::fprintf(
      to,
      "usage: %s_host [options]\n"
      "Checks kernels/%s against its reference.\n"
      "  --compiled DIR        compiled variants (default: compiled here)\n"
      "  --tlc PATH            the compiler, for variants not in DIR\n"
      "  --source FILE.tl      another text of the kernel\n"
      "  --define NAME=VALUE   a factory parameter for every variant compiled\n"
      "  --device NAME         gpu (default); on the CPU, with --tlc: interp "
      "(what\n"
      "                        the source means), virtual (what an SM "
      "executes)\n"
      "  --compile-only        fill DIR with --tlc and stop\n"
      "  --quick               fewer shapes and launches\n"
      "  --only TEXT           checks whose name has TEXT in it\n"
      "  --launches N          repeated launches of a soak (default: 200)\n"
      "  --no-time             check only\n"
      "  --json FILE           write the results there too\n",
      program.c_str(), program.c_str());
}

[[noreturn]] static void badUsage(const std::string &program,
                                  const std::string &message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  printUsage(program, stderr);
  std::exit(2);
}

static void setDevice(Options &options, const std::string &program,
                      std::string_view device) {
  if (device != "gpu" && device != "interp" && device != "virtual")
    badUsage(program, "--device is gpu, interp or virtual");
  options.device = device;
}

Options parseOptions(int argc, char **argv, const std::string &program,
                     const std::string &source) {
  Options options;
  options.source = source;
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    auto value = [&]() -> const char * {
      if (i + 1 == argc)
        badUsage(program, std::string(flag) + " needs a value");
      return argv[++i];
    };
    if (flag == "--help" || flag == "-h") {
      printUsage(program, stdout);
      std::exit(0);
    } else if (flag == "--compiled") {
      options.compiled = value();
    } else if (flag == "--tlc") {
      options.tlc = value();
    } else if (flag == "--source") {
      options.source = value();
    } else if (flag == "--define") {
      options.defines.emplace_back(value());
    } else if (flag == "--json") {
      options.json = value();
    } else if (flag == "--only") {
      options.only = value();
    } else if (flag == "--launches") {
      options.launches = std::atoi(value());
    } else if (flag == "--device") {
      setDevice(options, program, value());
    } else if (flag == "--compile-only") {
      options.compileOnly = true;
    } else if (flag == "--quick") {
      options.quick = true;
    } else if (flag == "--no-time") {
      options.time = false;
    } else {
      badUsage(program, "unknown option '" + std::string(flag) + "'");
    }
  }
  if (options.launches < 1)
    badUsage(program, "--launches needs a positive number");
  if (options.compiled.empty())
    options.compiled = program + "_compiled";
  return options;
}

} // namespace tlc::kernels
