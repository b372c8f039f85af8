// Inputs and bookkeeping.
#include "kernels/correct_h0/Problem.h"

#include <cmath>

namespace tlc::kernels {

const char *nameOf(Mask mask) {
  switch (mask) {
  case Mask::On:
    return "on";
  case Mask::Off:
    return "off";
  case Mask::Mixed:
    return "mixed";
  }
  return "";
}

std::optional<Mask> parseMask(std::string_view name) {
  for (const Mask mask : {Mask::On, Mask::Off, Mask::Mixed})
    if (name == nameOf(mask))
      return mask;
  return std::nullopt;
}

Variant variantOf(const StateProblem &problem) {
  const bool wide = problem.dtype == DType::Float32;
  std::string name = "correct_h0_h" + std::to_string(problem.heads);
  name += problem.stateVFirst ? "_vk" : "_kv";
  name += problem.reverse ? "_bwd" : "_fwd";
  name += wide ? "_fp32" : "_bf16";
  name += problem.rawH0 ? "_raw" : "_zero";
  const bool narrowState = problem.stateDtype == DType::BFloat16;
  const bool wideMap = problem.mapDtype == DType::Int64;
  name += narrowState ? "_bf16state" : "";
  name += wideMap ? "_map64" : "";
  const auto flag = [](bool value) { return value ? "True" : "False"; };
  return {name,
          {"H=" + std::to_string(problem.heads),
           std::string("state_v_first=") + flag(problem.stateVFirst),
           std::string("reverse=") + flag(problem.reverse),
           std::string("use_raw_h0=") + flag(problem.rawH0),
           std::string("dtype=") + (wide ? "float32" : "bfloat16"),
           std::string("state_dtype=") + (narrowState ? "bfloat16" : "float32"),
           std::string("map_dtype=") + (wideMap ? "int64" : "int32")}};
}

std::vector<StateProblem> allVariants(std::int64_t heads) {
  std::vector<StateProblem> problems;
  problems.reserve(24);
  for (int bits = 0; bits < 16; ++bits)
    problems.push_back(
        {.lengths = {},
         .heads = heads,
         .stateVFirst = (bits & 1) != 0,
         .reverse = (bits & 2) != 0,
         .rawH0 = (bits & 4) != 0,
         .dtype = (bits & 8) != 0 ? DType::Float32 : DType::BFloat16});
  // As callers mix them: a bf16 state goes with the forward pass, maps of 64
  // bits with both.
  for (int bits = 0; bits < 8; ++bits) {
    const bool reverse = (bits & 2) != 0;
    problems.push_back(
        {.lengths = {},
         .heads = heads,
         .stateVFirst = (bits & 1) != 0,
         .reverse = reverse,
         .rawH0 = (bits & 4) != 0,
         .dtype = reverse ? DType::Float32 : DType::BFloat16,
         .stateDtype = reverse ? DType::Float32 : DType::BFloat16,
         .mapDtype = DType::Int64});
  }
  return problems;
}

std::vector<StateProblem> mainPaths(const std::vector<std::int64_t> &lengths,
                                    std::int64_t heads) {
  std::vector<StateProblem> problems;
  problems.reserve(4);
  for (int bits = 0; bits < 4; ++bits)
    problems.push_back(
        {.lengths = lengths,
         .heads = heads,
         .stateVFirst = (bits & 1) != 0,
         .reverse = (bits & 2) != 0,
         .dtype = (bits & 2) != 0 ? DType::Float32 : DType::BFloat16});
  return problems;
}

std::string pathName(const StateProblem &problem) {
  return std::string(problem.stateVFirst ? "vk" : "kv") +
         (problem.reverse ? " bwd" : " fwd");
}

rt::HostTensor makeMask(const StateProblem &problem, Mask mask) {
  rt::HostTensor tensor(DType::Bool, {problem.segments(), problem.heads});
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    const bool mixed = ((i / problem.heads) * 3 + i % problem.heads) % 5 < 2;
    tensor.set(i, mask == Mask::On || (mask == Mask::Mixed && mixed) ? 1 : 0);
  }
  return tensor;
}

StateInputs makeInputs(const StateProblem &problem, Mask mask,
                       std::uint64_t seed) {
  const Dims state{problem.segments(), problem.heads, kStateSize, kStateSize};
  StateInputs inputs;
  inputs.ht = rt::HostTensor(problem.dtype, state);
  inputs.mt = rt::HostTensor(problem.dtype, state);
  inputs.fallbackMask = makeMask(problem, mask);
  inputs.seqMap = rt::HostTensor(problem.mapDtype, {problem.sequences() + 1});
  inputs.rawH0 =
      rt::HostTensor(problem.stateDtype, {problem.sequences(), problem.heads,
                                          kStateSize, kStateSize});
  rt::fillRandom(inputs.ht, seed);
  rt::fillRandom(inputs.mt, seed + 1);
  rt::fillRandom(inputs.rawH0, seed + 2);
  // Products of norm below 1 keep the state bounded over many segments.
  const double scale = 0.7 / std::sqrt(static_cast<double>(kStateSize));
  for (std::int64_t i = 0; i < inputs.mt.elements(); ++i)
    inputs.mt.set(i, inputs.mt.get(i) * scale);
  std::int64_t sum = 0;
  for (std::int64_t s = 0; s < problem.sequences(); ++s) {
    sum += problem.lengths[s];
    inputs.seqMap.set(s + 1, static_cast<double>(sum));
  }
  return inputs;
}

std::vector<Operand> makeOperands(const StateProblem &problem,
                                  const StateInputs &inputs) {
  std::vector<Operand> operands{{"ht", inputs.ht},
                                {"mt", inputs.mt},
                                {"fallback_mask", inputs.fallbackMask},
                                {"seq_map", inputs.seqMap}};
  if (problem.rawH0)
    operands.push_back({"raw_h0", inputs.rawH0});
  operands.push_back(
      {"cp_h0", rt::HostTensor(problem.stateDtype, inputs.ht.shape()), true});
  return operands;
}

/// A flipped rounding of one factor shows as a unit in its last place times a
/// few products; a stale or torn element is off by about one.
Tolerance toleranceOf(const StateProblem &problem) {
  const bool wide = problem.dtype == DType::Float32;
  // A state of bf16 may be rounded to the other neighbour: one in 2^8.
  const bool narrowState = problem.stateDtype == DType::BFloat16;
  return {.absolute = wide ? 0.012 : 0.03,
          .relative = narrowState ? 8e-3 : 2e-3,
          .norm = 2e-3};
}

double trafficOf(const StateProblem &problem, const rt::HostTensor &mask) {
  const double tile = kStateSize * kStateSize;
  const double element = bytes(problem.dtype);
  double sum = tile * bytes(problem.stateDtype) *
               static_cast<double>(problem.segments()) *
               static_cast<double>(problem.heads);
  std::int64_t first = 0;
  for (const std::int64_t length : problem.lengths) {
    for (std::int64_t step = 0; step + 1 < length; ++step) {
      const std::int64_t segment =
          problem.reverse ? first + length - 1 - step : first + step;
      for (std::int64_t head = 0; head < problem.heads; ++head)
        sum += tile * element *
               (mask.get(segment * problem.heads + head) != 0 ? 2 : 1);
    }
    first += length;
  }
  return sum;
}

} // namespace tlc::kernels
