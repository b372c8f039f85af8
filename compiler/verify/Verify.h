// The independent verifier: proves on a finished `sm` program that conflicting
// accesses are ordered, that no role waits for ever, and that resources suffice
// (sync.md 3.7). It rediscovers the protocol from the barriers and shares with
// the derivation only the table of what each hardware action does (the effect
// interface of the dialects).
//
// Two engines: an abstract interpretation of each role, which covers all paths,
// for the order of accesses; and a bounded execution of the barrier skeleton
// over trip counts and guard values for counts, phases and progress.
#ifndef TLC_COMPILER_VERIFY_VERIFY_H
#define TLC_COMPILER_VERIFY_VERIFY_H

#include "compiler/target/TargetInfo.h"
#include "dialects/sm/Sm.h"

#include "mlir/Pass/Pass.h"

#include <string>
#include <vector>

namespace tlc::verify {

/// Something the verifier could not decide.
struct Unproved {
  mlir::Location loc;
  std::string why;
};

/// The outcome of a verification. Proved: no errors and nothing unproved.
struct VerifyReport {
  unsigned errors = 0;
  std::vector<Unproved> notProved;

  bool isProved() const { return errors == 0 && notProved.empty(); }
};

/// Verifies one launch of a finished `sm` program; emits an error diagnostic
/// with notes for each violation.
VerifyReport verifySm(sm::LaunchOp launch, const target::TargetInfo &target);

/// All `sm.launch` ops of a kernel.
VerifyReport verifySm(tile::KernelOp kernel, const target::TargetInfo &target);

/// Writes the ordering actions of an `sm` program (barriers, fences, waits,
/// asynchronous copies and products, and which side of them shared accesses lie
/// on) into the attribute `sm.order` of its launch.
void recordOrder(sm::LaunchOp launch);

/// Compares the actions of a thread program with the recorded ones and removes
/// the record. To be run before anything simplifies the thread program.
VerifyReport verifyExpansion(sm::LaunchOp launch);

#define GEN_PASS_DECL
#include "compiler/verify/Verify.h.inc"

/// Registers `verify-sm`, `record-sm-order` and `verify-thread-order`.
void registerVerifyPasses();

} // namespace tlc::verify

#endif // TLC_COMPILER_VERIFY_VERIFY_H
