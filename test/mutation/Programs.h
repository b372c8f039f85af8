// The correct programs that defects are put into, and what the verifier and
// the virtual SM say of one of them.
#pragma once

#include "compiler/driver/Compiler.h"
#include "compiler/interp/SmCheck.h"
#include "test/support/Catch.h"

#include <array>

namespace tlc::test {

/// No optimisation.
LeverSet noLevers();

/// A kernel of the repository, lowered to sm.
class Program {
public:
  std::string name;

  Program(std::string name, const std::string &file,
          std::map<std::string, std::string> defines, bool specialize = true,
          bool cpAsync = false, LeverSet levers = noLevers());

  /// A copy of the module, to be changed.
  mlir::OwningOpRef<mlir::ModuleOp> copy() const;

private:
  std::unique_ptr<Compilation> compilation;
};

/// Without optimisations: kv, kv-bwd, vk, vk-bwd, kv-block (without roles),
/// kv-cp, vk-cp, gemm-cp (loads by cp.async), gemm, gemm-three (three
/// warpgroups), rounds (a loop around the pipeline), grid (blocks that meet).
/// With all of them: kv-best and so on; kv-words-best on float32; kv-ahead and
/// kv-bwd-ahead on blocks so narrow that h is read one turn early.
const std::vector<Program> &allPrograms();
const Program &programOf(llvm::StringRef name);

tile::KernelOp kernelOf(mlir::ModuleOp module);

constexpr std::array<interp::SmSchedule, 5> kSchedules = {
    interp::SmSchedule::Canonical, interp::SmSchedule::AdversarialEarly,
    interp::SmSchedule::AdversarialLate, interp::SmSchedule::Seeded,
    interp::SmSchedule::Exhaustive};

/// "-" where there is nothing to say.
struct Outcome {
  std::string verifier; ///< "error", "not proved", "-"
  /// The kind of the first report by schedule: "race", "deadlock", ...
  std::array<std::string, 5> machine;

  bool operator==(const Outcome &other) const {
    return verifier == other.verifier && machine == other.machine;
  }
};

/// Verifies the kernel and runs it over trip counts, flags and schedules. Each
/// run must end within a second, a deadlock with its wait-for graph.
Outcome examine(tile::KernelOp kernel);

} // namespace tlc::test
