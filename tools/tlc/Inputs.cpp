#include "tools/tlc/Inputs.h"

#include "tools/tlc/Options.h"

namespace cl = llvm::cl;

namespace tlc::cli {

#define TLC_INPUTS                                                             \
  cl::sub(runCommand()), cl::sub(checkCommand()), cl::cat(category())

static cl::list<std::string>
    argFlags("arg",
             cl::desc("a tensor: random[:SEED], zeros, ones, iota or @x.npy "
                      "(default: random, zeros if it is only written)"),
             cl::value_desc("name=value"), TLC_INPUTS, cl::sub(benchCommand()));
static cl::list<std::string> setFlags("set",
                                      cl::desc("a dynamic size or a scalar"),
                                      cl::value_desc("name=value"), TLC_INPUTS,
                                      cl::sub(benchCommand()));
using interp::SmSchedule;
static cl::opt<SmSchedule> schedule(
    "schedule", cl::init(SmSchedule::Canonical),
    cl::desc("who acts next on the virtual SM"),
    cl::values(clEnumValN(SmSchedule::Canonical, "canonical",
                          "warps in turn, copies land soon"),
               clEnumValN(SmSchedule::AdversarialEarly, "adversarial-early",
                          "copies land at once, ordinary loads lag"),
               clEnumValN(SmSchedule::AdversarialLate, "adversarial-late",
                          "copies and products as late as they may"),
               clEnumValN(SmSchedule::Seeded, "seeded",
                          "a random choice at each step"),
               clEnumValN(SmSchedule::Exhaustive, "exhaustive",
                          "every order; computes nothing")),
    TLC_INPUTS);
static cl::opt<std::uint64_t> seed("seed", cl::init(1),
                                   cl::desc("of random choices (1)"),
                                   cl::value_desc("n"), TLC_INPUTS);

#undef TLC_INPUTS

std::optional<SmSchedule> givenSchedule() {
  return schedule.getNumOccurrences() ? std::optional<SmSchedule>(schedule)
                                      : std::nullopt;
}
std::uint64_t givenSeed() { return seed; }

bool readAssignments(const char *flag, const cl::list<std::string> &given,
                     std::map<std::string, std::string> &result) {
  for (const std::string &text : given) {
    std::string name, value;
    if (!splitAssignment(flag, text, name, value))
      return false;
    if (value.empty()) {
      usageError(llvm::Twine(flag) + " " + name + "= has no value");
      return false;
    }
    if (!result.emplace(name, value).second) {
      usageError(llvm::Twine(flag) + " " + name + " is given twice");
      return false;
    }
  }
  return true;
}

bool readInputs(RunRequest &request) {
  return readAssignments("--arg", argFlags, request.args) &&
         readAssignments("--set", setFlags, request.sets);
}

std::vector<interp::ArgValue> machineArguments(std::vector<RunArgument> &list) {
  std::vector<interp::ArgValue> values;
  for (RunArgument &argument : list) {
    if (!argument.tensor) {
      if (argument.integer)
        values.emplace_back(*argument.integer);
      else
        values.emplace_back(*argument.real);
      continue;
    }
    interp::TensorArg tensor;
    tensor.data = argument.tensor->bytes().data();
    for (std::int64_t extent : argument.tensor->shape())
      tensor.shape.push_back(extent);
    values.emplace_back(std::move(tensor));
  }
  return values;
}

} // namespace tlc::cli
