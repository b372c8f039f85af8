// What the benchmarks of `tlc bench` share: their options, the compiler that
// they are given (this library has none), their results.
#pragma once

#include "kernels/harness/Contest.h"
#include "tlc/Kernel.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tlc::kernels {

using Json = nlohmann::ordered_json;

/// One way to compile a benchmark's source.
struct Form {
  std::string name;                                ///< in tables: "proxy"
  std::vector<std::string> options = {};           ///< "--war-fence=delay"
  std::map<std::string, std::string> defines = {}; ///< factory parameters
  /// Known to race: wrong results are counted and are no failure.
  bool racy = false;
  /// Not every version or problem has it: where it does not compile, its row
  /// says so and that is no failure.
  bool optional = false;
};

/// An optimisation that an option switches off.
struct Lever {
  std::string name;   ///< "early-release"
  std::string option; ///< "--disable=early-release"
  std::string help;   ///< what the compiler does without the option
};

struct BenchOptions {
  int rounds = 5;
  int samples = 15;
  int launches = 16; ///< nodes of a graph
  /// Launches a kernel and flag pattern whose bits are compared.
  int soak = 320;
  std::string only;               ///< part of the names of the kernels to run
  std::vector<std::string> sizes; ///< those of the benchmark; empty: its own
  std::vector<std::string> paths; ///< variants of the kernel; empty: its own
  bool cross = false;             ///< every size with every number of heads
  /// correct_h0: flags of the timed launches, one table each; empty: on.
  std::vector<std::string> masks;
  bool ablation = false;
  std::vector<std::string> peers;             ///< shared libraries
  std::map<std::string, std::string> defines; ///< for every form
  std::string source; ///< a .tl file instead of the built-in text

  bool selects(const std::string &name) const {
    return name.find(only) != std::string::npos;
  }
};

/// What `tlc` lends a benchmark.
struct BenchTools {
  /// Compiles `form` of `text`; safe to call from several threads. Throws
  /// tlc::Error.
  std::function<Kernel(const std::string &text, const std::string &fileName,
                       const Form &form)>
      compile;
  /// Optimisations that can be switched off one at a time.
  std::vector<Lever> levers;
  /// A line for a person about what is going on.
  std::function<void(const std::string &text)> progress;
};

struct BenchResult {
  Json json;           ///< everything
  std::string summary; ///< the table that ends the output
  int failures = 0;    ///< wrong results, forms that do not compile
  /// Why the benchmark ended before its end; the rest holds what there was.
  std::string stopped = {};
};

/// A form's kernel, or why there is none.
struct Compiled {
  std::optional<Kernel> kernel;
  std::string problem;
};

/// Compiles all `forms` on all cores; the results are in their order.
std::vector<Compiled> compileAll(const BenchTools &tools,
                                 const std::string &text,
                                 const std::string &fileName,
                                 const std::vector<Form> &forms);

/// The extents of "40x2" or "4096"; empty when the text is anything else.
std::vector<std::int64_t> parseExtents(std::string_view text);

/// Sets of buffers of `bytes` each that together exceed the L2 cache several
/// times: from 2 to 16.
int rotatingSets(double bytes);

/// "kernel": figures a driver or compiler reported, as JSON.
Json resourcesOf(const Kernel &kernel);

/// {"us": .., "least": .., "most": .., "spread_percent": ..}.
Json jsonOf(const Summary &summary);

} // namespace tlc::kernels
