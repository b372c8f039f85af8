// Runs a kernel given as IR text on host vectors.
#pragma once

#include "compiler/interp/TileInterp.h"
#include "test/support/Catch.h"

#include <string>
#include <vector>

namespace tlc::test {

/// What a run did: success and the errors it reported, one a line.
struct Outcome {
  bool ok = false;
  std::string errors;
};

/// Parses `text`, which holds one `tile.kernel`, and interprets it. In the text
/// "$global", "$shared", "$fragment" and "$local" stand for the memory spaces.
Outcome runKernel(const std::string &text,
                  const std::vector<interp::ArgValue> &args,
                  const interp::InterpOptions &options = {});

template <typename T>
interp::TensorArg tensor(std::vector<T> &data, std::vector<int64_t> shape) {
  interp::TensorArg arg;
  arg.data = data.data();
  arg.shape.assign(shape.begin(), shape.end());
  return arg;
}

/// A kernel with one launch of one block; `body` sees the parameters %A, %B ...
/// whose types are given, in order.
std::string oneBlock(const std::vector<std::string> &types,
                     const std::string &body, int threads = 128);

} // namespace tlc::test
