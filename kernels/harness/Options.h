// The command line that every kernel's host program has.
#pragma once

#include <string>
#include <vector>

namespace tlc::kernels {

struct Options {
  std::string source;   ///< the .tl file
  std::string compiled; ///< folder of <variant>.cubin and <variant>.json
  std::string tlc;      ///< the compiler, for variants not in `compiled`
  std::vector<std::string> defines; ///< factory parameters for every variant
  std::string only; ///< part of the names of the checks to run; empty: all
  std::string json; ///< where the results go as JSON; empty: nowhere
  std::string device = "gpu"; ///< or "interp" or "virtual", both on the CPU
  bool compileOnly = false;   ///< fill `compiled` and stop; needs no device
  bool quick = false;         ///< fewer shapes and launches
  bool time = true;
  int launches = 200; ///< repeated launches where a program soaks

  bool onCpu() const { return device != "gpu"; }
  bool selects(const std::string &what) const {
    return what.find(only) != std::string::npos;
  }
};

/// Reads `argv`. Prints usage and ends the program with exit code 0 for --help
/// and 2 for a mistake. `program` names the kernel, `source` is the default
/// path of its .tl file.
Options parseOptions(int argc, char **argv, const std::string &program,
                     const std::string &source);

} // namespace tlc::kernels
