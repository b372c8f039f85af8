// From --arg, --set and --out to the tensors and numbers of a run.
#pragma once

#include "compiler/support/Diagnostics.h"
#include "runtime/core/Binding.h"
#include "runtime/core/HostTensor.h"
#include "runtime/core/LaunchMetadata.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tlc::cli {

/// The assignments of the command line, by parameter name.
struct RunRequest {
  std::map<std::string, std::string> args; ///< "random", "@x.npy", "3.5"
  std::map<std::string, std::string> sets; ///< sizes and scalars
  std::map<std::string, std::string> outs; ///< ".npy" paths
};

/// One parameter with its value.
struct RunArgument {
  const rt::ParamInfo *param = nullptr;
  std::optional<rt::HostTensor> tensor;
  std::optional<std::int64_t> integer;
  std::optional<double> real;

  bool isOutput() const {
    return tensor && (param->access == rt::Access::Write ||
                      param->access == rt::Access::ReadWrite);
  }
  /// As the runtime takes it; points into `tensor`.
  Argument argument();
};

struct RunArguments {
  std::vector<RunArgument> list;
  std::vector<std::int64_t> symbols; ///< in the order of the metadata
};

/// Makes the arguments of a kernel:
///   random[:SEED]  N(0, 1), small integers, 0 or 1 (default, seed 0; each
///                  parameter draws its own numbers)
///   zeros          also the default of tensors that are only written
///   ones, iota     1, 1, 1 ...; 0, 1, 2 ... in row-major order
///   @FILE          an .npy file; its shape determines sizes
/// Reports what does not fit and gives nothing.
std::optional<RunArguments> makeArguments(const rt::LaunchMetadata &metadata,
                                          const RunRequest &request,
                                          DiagnosticEngine &diags);

} // namespace tlc::cli
