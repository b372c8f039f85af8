// The problems of correct_h0 as its host program and its benchmark pose them:
// variants, inputs, tolerances.
#pragma once

#include "kernels/correct_h0/reference.h"
#include "kernels/harness/Compare.h"
#include "kernels/harness/Variants.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tlc::kernels {

/// Which fallback flags are set.
enum class Mask { On, Off, Mixed };
const char *nameOf(Mask mask);
std::optional<Mask> parseMask(std::string_view name);

/// The compiled form that solves `problem`.
Variant variantOf(const StateProblem &problem);

/// Layouts, directions, initial states and types of ht and mt, 16 problems
/// without lengths; then 8 with the other types of states and maps.
std::vector<StateProblem> allVariants(std::int64_t heads);
/// The four paths as they are used: forward in bf16, backward in float32, from
/// zero; kv fwd, vk fwd, kv bwd, vk bwd.
std::vector<StateProblem> mainPaths(const std::vector<std::int64_t> &lengths,
                                    std::int64_t heads);
/// "kv fwd".
std::string pathName(const StateProblem &problem);

/// Random inputs; the norms of mt keep the state bounded.
StateInputs makeInputs(const StateProblem &problem, Mask mask,
                       std::uint64_t seed);
/// Only the flags.
rt::HostTensor makeMask(const StateProblem &problem, Mask mask);
/// The inputs and cp_h0, by parameter name; cp_h0 comes last.
std::vector<Operand> makeOperands(const StateProblem &problem,
                                  const StateInputs &inputs);
Tolerance toleranceOf(const StateProblem &problem);

/// Bytes that must cross the memory bus: each input that is needed once, each
/// output once. The last segment of a sequence needs no input, a flag that is
/// off needs no mt.
double trafficOf(const StateProblem &problem, const rt::HostTensor &mask);

} // namespace tlc::kernels
