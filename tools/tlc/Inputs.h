// The inputs of a kernel on the CPU: the options --arg, --set, --schedule and
// --seed of `tlc run` and `tlc check`, and arguments as the machines take them.
#pragma once

#include "compiler/interp/SmMachine.h"
#include "tools/tlc/RunArguments.h"

#include "llvm/Support/CommandLine.h"

namespace tlc::cli {

/// Reads --arg and --set. False after saying on stderr what is wrong.
bool readInputs(RunRequest &request);

/// Reads assignments, each name once; `flag` stands in messages.
bool readAssignments(const char *flag, const llvm::cl::list<std::string> &given,
                     std::map<std::string, std::string> &result);

/// --schedule, if it is given, and --seed.
std::optional<interp::SmSchedule> givenSchedule();
std::uint64_t givenSeed();

/// Arguments for a machine; tensors point into `list`.
std::vector<interp::ArgValue> machineArguments(std::vector<RunArgument> &list);

} // namespace tlc::cli
