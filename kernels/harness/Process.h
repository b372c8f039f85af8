// Runs another program and waits for it.
#pragma once

#include <string>
#include <vector>

namespace tlc::kernels {

/// Runs `arguments[0]` with the rest, its output going to ours. Returns its
/// exit code, or 128 + the signal that ended it. Throws tlc::Error
/// (Environment) when it cannot be started.
int runProgram(const std::vector<std::string> &arguments);

} // namespace tlc::kernels
