// tlc check: proves the order of what a kernel becomes, then runs it on the
// virtual SM over trip counts, flags and schedules.
#include "tools/tlc/Inputs.h"
#include "tools/tlc/Options.h"
#include "tools/tlc/Progress.h"

#include "compiler/interp/SmCheck.h"
#include "compiler/target/TargetInfo.h"
#include "compiler/verify/Verify.h"
#include "tlc/Kernel.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <set>

namespace cl = llvm::cl;

namespace tlc::cli {

using interp::SmResult;
using interp::SmSchedule;
using interp::SmStatus;

#define TLC_CHECK cl::sub(checkCommand()), cl::cat(category())

static cl::opt<double>
    budget("budget", cl::init(60),
           cl::desc("seconds after which no run is begun; 0: no limit (60)"),
           cl::value_desc("seconds"), TLC_CHECK);
static cl::opt<std::int64_t>
    turnsFlag("turns", cl::desc("only this trip count, as a report names it"),
              cl::value_desc("n"), TLC_CHECK);
static cl::opt<std::string>
    flagsFlag("flags", cl::desc("only this pattern, as a report names it"),
              cl::value_desc("0110..."), TLC_CHECK);

#undef TLC_CHECK

/// Turns up to which all patterns of flags are tried.
static constexpr std::int64_t kAllFlags = 6;
/// Turns of a kernel that run nothing, at most: 1 for `count - 1` turns.
static constexpr std::int64_t kMaxLead = 4;

namespace {
/// The check of one kernel.
class Checker {
public:
  Checker(Compilation &compilation, tile::KernelOp kernel,
          std::optional<RunArguments> fixed, Progress &progress)
      : compilation(compilation), kernel(kernel), fixed(std::move(fixed)),
        progress(progress), make(interp::makeCheckInputs(kernel)) {}

  /// Input: something was reported.
  Status run();

private:
  bool verify();
  bool runVirtual();
  bool runFixed();
  bool runChosen();
  bool runAll();
  bool probe();
  interp::SmInputs inputs(std::int64_t turns, std::uint64_t flags);
  SmResult runOnce(std::vector<interp::ArgValue> args, SmSchedule schedule);
  bool conclude(const SmResult &result, const std::string &inputs);
  std::string reached() const;
  std::string counted(std::int64_t done, std::int64_t planned) const;

  Compilation &compilation;
  tile::KernelOp kernel;
  std::optional<RunArguments> fixed; ///< from --set and --arg
  Progress &progress;
  interp::SmInputMaker make;
  /// Inputs for `lead + n` turns make the loops run n times.
  std::int64_t lead = 0, maxTurns = 0;
  std::size_t tripCounts = 0; ///< different ones among 0 to maxTurns
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};
} // namespace

static double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// A line of the result: what was asked, and the answer.
static llvm::raw_ostream &line(llvm::StringRef name) {
  return llvm::outs() << llvm::left_justify(name, 13);
}

static std::string inputText(std::int64_t turns, std::uint64_t flags) {
  std::string text = "\n  inputs   " + std::to_string(turns) + " turns";
  if (turns > 0)
    text += ", flags ";
  for (std::int64_t i = 0; i < std::min<std::int64_t>(turns, 64); ++i)
    text += flags >> i & 1 ? '1' : '0';
  return text;
}

/// Whether the command line names single runs, as reports do.
static bool isChosen() {
  return turnsFlag.getNumOccurrences() || flagsFlag.getNumOccurrences() ||
         givenSchedule();
}

bool Checker::verify() {
  progress.step("verifying");
  // What is not proved is said, not only what is wrong.
  compilation.keepRemarks = true;
  verify::VerifyReport report = verify::verifySm(
      kernel, *target::lookupTarget(compilation.options().arch));
  for (const verify::Unproved &unproved : report.notProved)
    mlir::emitRemark(unproved.loc) << "not proved: " << unproved.why;
  compilation.keepRemarks = false;
  line("verifier");
  if (report.errors)
    llvm::outs() << report.errors << (report.errors == 1 ? " error" : " errors")
                 << "\n";
  else if (!report.notProved.empty())
    llvm::outs() << "no error; not proved in " << report.notProved.size()
                 << (report.notProved.size() == 1 ? " place" : " places")
                 << ", left to the virtual SM\n";
  else
    llvm::outs() << "proved\n";
  return report.errors == 0;
}

SmResult Checker::runOnce(std::vector<interp::ArgValue> args,
                          SmSchedule schedule) {
  interp::SmOptions options;
  options.schedule = schedule;
  options.seed = givenSeed();
  options.tagsOnly = true;
  options.maxBlocks = 1;
  return interp::runSm(kernel, args, options);
}

/// Prints the reports of a run. False if there are any.
bool Checker::conclude(const SmResult &result, const std::string &inputs) {
  if (result.status == SmStatus::Clean)
    return true;
  line("virtual SM") << (result.status == SmStatus::Invalid
                             ? "cannot run this\n"
                             : "");
  if (result.status == SmStatus::Invalid)
    return false;
  llvm::outs() << result.reports.size()
               << (result.reports.size() == 1 ? " report\n" : " reports\n");
  for (const interp::SmReport &report : result.reports)
    llvm::outs() << "\n" << report.text << inputs << "\n";
  return false;
}

/// Flags of `turns` turns, repeated so that loops that leave out the first
/// elements (a walk from the end) see every pattern too.
interp::SmInputs Checker::inputs(std::int64_t turns, std::uint64_t flags) {
  if (turns > 0 && turns + lead < 64) {
    std::uint64_t mask = (std::uint64_t(1) << turns) - 1;
    flags = (flags & mask) | (flags & mask) << turns;
  }
  return make(turns == 0 ? 0 : turns + lead, flags);
}

/// Runs each trip count once to learn what the inputs reach.
bool Checker::probe() {
  progress.step("finding the trip counts");
  maxTurns = interp::turnsToCheck(kernel);
  std::set<std::uint64_t> copies, steps;
  std::uint64_t first = 0;
  bool found = false;
  for (std::int64_t turns = 0; turns <= maxTurns + lead; ++turns) {
    interp::SmInputs made = make(turns, 0);
    SmResult result = runOnce(made.args, SmSchedule::Canonical);
    std::int64_t shown = std::max<std::int64_t>(turns - lead, 0);
    if (!isChosen() && !conclude(result, inputText(shown, 0)))
      return false;
    if (turns == 0)
      first = result.stats.copies;
    found |= result.stats.copies > first;
    if (!found && turns > 0)
      lead = std::min(turns, kMaxLead);
    copies.insert(result.stats.copies);
    steps.insert(result.stats.steps);
  }
  // Nothing is copied by bulk, or the trip count is a constant.
  if (!found)
    lead = 0;
  tripCounts = found ? copies.size() : steps.size();
  return true;
}

std::string Checker::reached() const {
  if (tripCounts <= 1)
    return "the one trip count that the loops have";
  if (tripCounts > static_cast<std::size_t>(maxTurns))
    return "trip counts 0 to " + std::to_string(maxTurns);
  return std::to_string(tripCounts) + " trip counts";
}

std::string Checker::counted(std::int64_t done, std::int64_t planned) const {
  std::string text = std::to_string(done);
  if (done < planned)
    text += " of " + std::to_string(planned);
  llvm::raw_string_ostream(text)
      << (planned == 1 ? " run" : " runs")
      << llvm::format(" in %.1f s", secondsSince(begin));
  return text;
}

bool Checker::runAll() {
  progress.step("running on the virtual SM");
  interp::SmCheckOptions options;
  options.seconds =
      budget > 0 ? std::max(budget - secondsSince(begin), 0.001) : 0;
  options.seed = givenSeed();
  options.inputs = [this](std::int64_t turns, std::uint64_t flags) {
    return inputs(turns, flags);
  };
  options.progress = [this](std::int64_t done, std::int64_t total) {
    progress.advance(done, total);
  };
  interp::SmCheckResult result = interp::checkKernel(kernel, options);
  SmResult found;
  found.status = result.status;
  found.reports = result.reports;
  if (!conclude(found, ""))
    return false;
  line("virtual SM") << "no report, " << counted(result.runs, result.planned)
                     << "\n";
  line("") << reached() << "\n";
  if (result.hasFlags)
    line("") << "every pattern of flags up to " << std::min(kAllFlags, maxTurns)
             << " turns" << (maxTurns > kAllFlags ? ", samples above" : "")
             << "\n";
  line("") << "schedules canonical, adversarial-early, adversarial-late, "
              "seeded"
           << (result.searchedTurns < 0
                   ? "\n"
                   : "; every schedule of up to " +
                         std::to_string(result.searchedTurns) + " turns\n");
  if (result.runs < result.planned)
    line("") << "the time was over; --budget SECONDS gives more\n";
  return true;
}

/// What --schedule, --turns and --flags name, as a report does.
bool Checker::runChosen() {
  SmSchedule schedule = givenSchedule().value_or(SmSchedule::Canonical);
  std::uint64_t pattern = 0;
  for (auto [i, c] : llvm::enumerate(flagsFlag))
    pattern |= std::uint64_t(c == '1') << i;
  std::int64_t from = 0, to = maxTurns, done = 0;
  if (turnsFlag.getNumOccurrences())
    from = to = turnsFlag;
  std::vector<std::uint64_t> patterns = {
      0, ~std::uint64_t(0), 0x5555555555555555, 0xaaaaaaaaaaaaaaaa};
  if (flagsFlag.getNumOccurrences())
    patterns = {pattern};
  else if (!interp::hasFlagTensors(kernel))
    patterns = {0};
  progress.step("running on the virtual SM");
  std::int64_t planned = (to - from + 1) * patterns.size();
  for (std::int64_t turns = from; turns <= to; ++turns)
    for (std::uint64_t flags : patterns) {
      if (budget > 0 && secondsSince(begin) > budget)
        break;
      progress.advance(done, planned);
      interp::SmInputs made = inputs(turns, flags);
      if (!conclude(runOnce(made.args, schedule), inputText(turns, flags)))
        return false;
      ++done;
    }
  line("virtual SM") << "no report, " << counted(done, planned) << "\n";
  line("") << "schedule " << interp::spelling(schedule) << ", "
           << (from == to ? std::to_string(from) + " turns" : reached())
           << "\n";
  return true;
}

/// Inputs that --set and --arg give.
bool Checker::runFixed() {
  std::vector<SmSchedule> schedules = {
      SmSchedule::Canonical, SmSchedule::AdversarialEarly,
      SmSchedule::AdversarialLate, SmSchedule::Seeded};
  if (auto schedule = givenSchedule())
    schedules = {*schedule};
  progress.step("running on the virtual SM");
  std::int64_t done = 0;
  for (SmSchedule schedule : schedules) {
    if (budget > 0 && secondsSince(begin) > budget)
      break;
    progress.advance(done, schedules.size());
    std::vector<RunArgument> list = fixed->list;
    if (!conclude(runOnce(machineArguments(list), schedule),
                  "\n  inputs   as given"))
      return false;
    ++done;
  }
  line("virtual SM") << "no report, " << counted(done, schedules.size())
                     << "\n";
  line("") << "the given inputs, first block\n";
  return true;
}

bool Checker::runVirtual() {
  if (fixed)
    return runFixed();
  if (!probe())
    return false;
  return isChosen() ? runChosen() : runAll();
}

Status Checker::run() {
  llvm::outs() << kernel.getSymName() << "\n";
  bool proved = verify();
  begin = std::chrono::steady_clock::now();
  bool clean = runVirtual();
  return proved && clean ? Status::Ok : Status::Input;
}

/// What became of one kernel's machine code.
static std::string machineText(const MachineCode &code) {
  if (code.findings)
    return std::to_string(code.findings) +
           (code.findings == 1 ? " release does" : " releases do") +
           " not wait for the reads of the slot";
  if (code.releases)
    return std::to_string(code.releases) +
           (code.releases == 1 ? " release waits" : " releases wait") +
           " for the reads of the slot";
  if (!code.notChecked.empty())
    return "not checked: " + code.notChecked.front();
  return "nothing to check: no slot that is handed back is read by ordinary "
         "loads";
}

/// Compiles to machine code and prints what its check says of each kernel. A
/// machine without NVRTC is told that this was left out.
static Status checkMachine(Compilation &compilation) {
  if (llvm::Expected<nvrtc::Version> found = nvrtc::version(); !found) {
    llvm::consumeError(found.takeError());
    line("machine code") << "skipped: NVRTC was not found\n";
    return Status::Ok;
  }
  Status status = compilation.compile(Level::Cubin);
  bool several = compilation.kernels().size() > 1;
  for (const CompiledKernel &kernel : compilation.kernels()) {
    if (kernel.cubin.empty())
      continue;
    line("machine code") << (several ? kernel.name + ": " : "")
                         << machineText(kernel.machineCode) << "\n";
    if (kernel.machineCode.findings && status == Status::Ok)
      status = Status::Input;
  }
  return status;
}

/// Arguments by --set and --arg for each kernel of the file, or nothing; they
/// are made at the tile level.
static bool
fixInputs(Compilation &compilation, const RunRequest &request,
          std::vector<std::optional<RunArguments>> &all,
          std::vector<std::unique_ptr<rt::LaunchMetadata>> &metadata) {
  for (auto kernel : compilation.module().getOps<tile::KernelOp>()) {
    all.emplace_back();
    if (request.args.empty() && request.sets.empty())
      continue;
    metadata.push_back(std::make_unique<rt::LaunchMetadata>(rt::parseMetadata(
        Compilation::describe(kernel, compilation.options().arch),
        "metadata")));
    all.back() =
        makeArguments(*metadata.back(), request, compilation.diagnostics());
    if (!all.back())
      return false;
  }
  return true;
}

static Status check(Compilation &compilation, const RunRequest &request) {
  Progress progress;
  compilation.onStep = [&](llvm::StringRef step) { progress.step(step.str()); };
  Status status = compilation.elaborate();
  if (status != Status::Ok)
    return status;
  std::vector<std::optional<RunArguments>> fixed;
  std::vector<std::unique_ptr<rt::LaunchMetadata>> metadata;
  if (!fixInputs(compilation, request, fixed, metadata))
    return Status::Input;
  status = compilation.print(Level::SM, llvm::nulls());
  if (status != Status::Ok)
    return status;
  std::size_t i = 0;
  for (auto kernel : compilation.module().getOps<tile::KernelOp>())
    if (Checker(compilation, kernel, std::move(fixed[i++]), progress).run() !=
        Status::Ok)
      status = Status::Input;
  // The expansion to threads is compared with what was just checked.
  if (status == Status::Ok)
    status = compilation.compile(Level::Cuda);
  if (status == Status::Ok)
    line("expansion") << "keeps the order\n";
  Status machine = checkMachine(compilation);
  if (status == Status::Ok)
    status = machine;
  compilation.onStep = nullptr;
  return status;
}

static bool readCheckOptions(RunRequest &request) {
  if (!readInputs(request))
    return false;
  llvm::StringRef flags = flagsFlag;
  if (flags.find_first_not_of("01") != llvm::StringRef::npos ||
      flags.size() > 64) {
    usageError("--flags is up to 64 digits 0 or 1, got '" + flags + "'");
    return false;
  }
  if (turnsFlag.getNumOccurrences() && (turnsFlag < 0 || turnsFlag > 1000)) {
    usageError("--turns is between 0 and 1000");
    return false;
  }
  bool fixed = !request.args.empty() || !request.sets.empty();
  if (fixed && (turnsFlag.getNumOccurrences() || !flags.empty())) {
    usageError("--turns and --flags choose inputs, and so do --set and --arg");
    return false;
  }
  return true;
}

int runCheck() {
  CompileOptions options;
  RunRequest request;
  if (!readCompileOptions(options) || !readCheckOptions(request))
    return kUsage;
  options.verifySM = false;
  Compilation compilation(std::move(options));
  Status status = compilation.readFile(inputFile());
  if (status == Status::Ok) {
    try {
      status = check(compilation, request);
    } catch (const Error &error) {
      compilation.diagnostics().report(Diag::InvalidArgument) << error.what();
      status = Status::Input;
    }
  }
  llvm::outs().flush();
  return finish(compilation, status);
}

} // namespace tlc::cli
