// The proxy fences between the ordinary reads of a slot and its release, found
// in any sm program by what the verifier says without them, and what may stand
// in their place. So a defect follows the program wherever instruction
// selection and schedule put the fence.
#pragma once

#include "dialects/sm/Sm.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tlc::test {

/// What stands in place of the fence. None of them orders the reads before the
/// refill through the async proxy (sync.md 2.4).
enum class Substitute { Nothing, BarSync, Membar };
/// "none", "bar.sync", "membar".
llvm::StringRef spelling(Substitute substitute);
std::optional<Substitute> parseSubstitute(llvm::StringRef name);

struct ReleaseFences {
  /// In program order; each by itself leaves a release unordered if dropped, or
  /// all of them together do.
  std::vector<sm::FenceProxyAsyncOp> fences;
  /// The rings whose releases they order, with the number of slots.
  std::map<std::string, std::int64_t> rings;
};

/// Fences of a correct program that all threads of a role execute. Empty where
/// no slot is read through the generic proxy before its release. The program is
/// the same afterwards.
ReleaseFences findReleaseFences(tile::KernelOp kernel);

/// Puts `substitute` in place of each of the fences, which are gone then.
void replaceFences(tile::KernelOp kernel, const ReleaseFences &found,
                   Substitute substitute);

} // namespace tlc::test
