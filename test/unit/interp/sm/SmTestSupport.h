// Runs finished sm programs on the virtual SM, as they are or changed by a
// mutation, and computes what they should give with plain C++.
#pragma once

#include "compiler/interp/SmMachine.h"
#include "dialects/sm/Sm.h"
#include "test/support/Catch.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <string>
#include <vector>

namespace tlc::test {

/// A module that holds one kernel.
class SmProgramText {
public:
  /// From IR text, in which "$global" ... stand for memory spaces.
  explicit SmProgramText(const std::string &text);
  /// From test/lit/interp/Inputs.
  static SmProgramText fromFile(const std::string &name);

  tile::KernelOp kernel();
  /// Changes the program; the next operations are found by `find`.
  template <typename Op> std::vector<Op> all() {
    std::vector<Op> found;
    module->walk([&](Op op) { found.push_back(op); });
    return found;
  }
  /// The mbarrier or shared tile of this name.
  sm::MBarrierOp barrier(const std::string &name);
  sm::SharedOp tile(const std::string &name);
  /// Operations of a kind on a barrier.
  template <typename Op> std::vector<Op> on(const std::string &name) {
    std::vector<Op> found;
    for (Op op : all<Op>())
      if (op.getBarrier() == barrier(name).getResult())
        found.push_back(op);
    return found;
  }
  /// The copy whose source is a slot of, or the shared tile `name`.
  tile::CopyOp copyFrom(const std::string &name);
  tile::CopyOp copyTo(const std::string &name);

private:
  SmProgramText() = default;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Inputs and outputs of the state recurrence (cases/, correct_h0): for each
/// turn the old state is stored, replaced by h, and where the flag is set the
/// product of m with the old state is added.
struct StateData {
  bool vk; ///< state 32 x 128 and product H m^T; else 128 x 32 and m H
  std::vector<bool> flags;
  std::vector<uint16_t> h, m;
  std::vector<uint8_t> mask;
  std::vector<float> out;

  StateData(bool vk, std::vector<bool> flags);
  std::vector<interp::ArgValue> args();
  /// What `out` should be.
  std::vector<float> expected() const;
  /// The state after turn `i` if no flag is set: h of that turn.
  std::vector<float> stateOf(int turn) const;
};

interp::SmOptions scheduled(interp::SmSchedule schedule, uint64_t seed = 0);

/// The texts of all reports.
std::string texts(const interp::SmResult &result);

/// Reports of a kind.
int count(const interp::SmResult &result, interp::SmProblem kind);

} // namespace tlc::test
