// tlc bench: which benchmarks there are, the options, the results as JSON.
#include "tools/tlc/Bench.h"

#include "kernels/correct_h0/Bench.h"
#include "kernels/gemm/Bench.h"
#include "kernels/harness/WholeFile.h"
#include "runtime/core/Driver.h"
#include "tlc/Jit.h"
#include "tools/tlc/BenchCompiler.h"
#include "tools/tlc/Inputs.h"
#include "tools/tlc/Options.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

namespace cl = llvm::cl;

namespace tlc::cli {

#define TLC_BENCH cl::sub(benchCommand()), cl::cat(category())

static cl::list<std::string> names(cl::Positional, cl::desc("[KERNEL | FILE]"),
                                   TLC_BENCH);
static cl::opt<bool> all("all", cl::desc("every kernel that has a benchmark"),
                         TLC_BENCH);
static cl::opt<bool> compileTimes(
    "compile",
    cl::desc("how long kernels take to be compiled, or found; needs no GPU"),
    TLC_BENCH);
static cl::opt<bool>
    launchTimes("launch", cl::desc("what a launch costs the host"), TLC_BENCH);
static cl::opt<bool>
    ablation("ablation",
             cl::desc("each optimisation switched off, one at a time"),
             TLC_BENCH);
static cl::opt<std::string> json("json", cl::desc("write the results there"),
                                 cl::value_desc("file"), TLC_BENCH);
static cl::list<std::string>
    sizes("size", cl::CommaSeparated,
          cl::desc("correct_h0: 32K/32, 40x2; gemm: 4096, 8192x8192x4096"),
          cl::value_desc("size,..."), TLC_BENCH);
static cl::list<std::string>
    paths("path", cl::CommaSeparated,
          cl::desc("correct_h0: kv-fwd, vk-bwd ...; gemm: nn, nt, tn, tt"),
          cl::value_desc("path,..."), TLC_BENCH);
static cl::opt<bool>
    cross("cross", cl::desc("correct_h0: every length with every heads"),
          TLC_BENCH);
static cl::list<std::string>
    masks("mask", cl::CommaSeparated,
          cl::desc("correct_h0: the flags of timed launches: on, off, mixed"),
          cl::value_desc("flags,..."), TLC_BENCH);
static cl::opt<std::string>
    only("only", cl::desc("kernels with this text in their names"),
         cl::value_desc("text"), TLC_BENCH);
static cl::list<std::string>
    peers("peer", cl::desc("a library with kernels to time beside"),
          cl::value_desc("file.so"), TLC_BENCH);
static cl::opt<std::string>
    source("source", cl::desc("a .tl file instead of the built-in kernel"),
           cl::value_desc("file"), TLC_BENCH);
static cl::opt<int> rounds("rounds", cl::init(5),
                           cl::desc("in which kernels take turns (5)"),
                           cl::value_desc("n"), TLC_BENCH);
static cl::opt<int> samples("samples", cl::init(15),
                            cl::desc("of a kernel in a round (15)"),
                            cl::value_desc("n"), TLC_BENCH);
static cl::opt<int> soak("soak", cl::init(320),
                         cl::desc("launches whose bits are compared (320)"),
                         cl::value_desc("n"), TLC_BENCH);
static cl::opt<bool> quick("quick", cl::desc("fewer rounds, samples, launches"),
                           TLC_BENCH);

#undef TLC_BENCH

namespace {
/// A kernel with a benchmark of its own.
struct Registered {
  const char *name;
  const char *what;
  kernels::BenchResult (*run)(const kernels::BenchOptions &,
                              const kernels::BenchTools &);
};
} // namespace

static constexpr Registered kRegistered[] = {
    {"correct_h0",
     "sizes x layouts x directions under every policy; --ablation, --peer",
     kernels::benchCorrectH0},
    {"gemm", "sizes x layouts x types, beside cuBLAS where it is installed",
     kernels::benchGemm},
};

static const Registered *find(llvm::StringRef name) {
  for (const Registered &entry : kRegistered)
    if (name == entry.name)
      return &entry;
  return nullptr;
}

static int list() {
  llvm::outs() << "tlc bench KERNEL times one of\n";
  for (const Registered &entry : kRegistered)
    llvm::outs() << "  " << llvm::left_justify(entry.name, 12) << entry.what
                 << "\n";
  llvm::outs() << "tlc bench --all times all of them, tlc bench FILE.tl a "
                  "kernel of yours,\ntlc bench --compile the compiler, tlc "
                  "bench --launch a launch\n";
  return 0;
}

/// False after a usage error.
static bool readBenchOptions(kernels::BenchOptions &options) {
  if (rounds < 1 || samples < 1 || soak < 0) {
    usageError("--rounds and --samples are at least 1, --soak is not negative");
    return false;
  }
  options.rounds = quick && !rounds.getNumOccurrences() ? 2 : rounds;
  options.samples = quick && !samples.getNumOccurrences() ? 5 : samples;
  options.soak = quick && !soak.getNumOccurrences() ? 16 : soak;
  options.only = only;
  options.sizes = sizes;
  options.paths = paths;
  options.cross = cross;
  options.masks = masks;
  options.ablation = ablation;
  options.peers = peers;
  return true;
}

/// The names on the command line are benchmarks or files, and there is
/// something to do. False after a usage error.
static bool checkNames() {
  const int modes = compileTimes + launchTimes + all;
  if (modes > 1 || (modes == 1 && !names.empty())) {
    usageError("--all, --compile, --launch and names exclude each other");
    return false;
  }
  if (names.size() != 1 && !(sizes.empty() && paths.empty())) {
    usageError("--size and --path are those of one kernel: name one");
    return false;
  }
  for (const std::string &name : names)
    if (!find(name) && !llvm::StringRef(name).ends_with(".tl") &&
        !llvm::StringRef(name).ends_with(".mlir")) {
      usageError("no benchmark '" + name +
                 "'; there are correct_h0 and gemm, and a FILE.tl of yours");
      return false;
    }
  return true;
}

static kernels::Json describeRun(const kernels::BenchOptions &options) {
  kernels::Json json{{"tlc", TLC_VERSION},
                     {"device", nullptr},
                     {"rounds", options.rounds},
                     {"samples", options.samples},
                     {"launches_per_sample", options.launches},
                     {"results", kernels::Json::array()}};
  if (rt::Driver::available())
    json["device"] = rt::Device::get().name();
  return json;
}

namespace {
/// One `tlc bench` after its options were read.
class Bencher {
public:
  Bencher(CompileOptions compile, kernels::BenchOptions bench,
          RunRequest request)
      : compile(std::move(compile)), bench(std::move(bench)),
        request(std::move(request)), tools(benchTools(this->compile)) {}

  /// The exit code. Throws tlc::Error.
  int run();

private:
  void take(kernels::BenchResult result);
  void runAll();

  CompileOptions compile;
  kernels::BenchOptions bench;
  RunRequest request;
  kernels::BenchTools tools;
  kernels::Json document;
  std::string summary;
  int code = 0;
};
} // namespace

void Bencher::take(kernels::BenchResult result) {
  if (!result.stopped.empty()) {
    result.json["stopped"] = result.stopped;
    llvm::errs() << "tlc: stopped: " << result.stopped << "\n";
    code = exitCode(ErrorCode::Device);
  }
  document["results"].push_back(std::move(result.json));
  if (!result.summary.empty())
    summary += "\n" + result.summary;
  if (result.failures > 0 && code == 0)
    code = 1;
}

void Bencher::runAll() {
  if (compileTimes)
    return take(benchCompile(compile, bench));
  if (launchTimes)
    return take(benchLaunch(bench));
  std::vector<std::string> list(names.begin(), names.end());
  if (all)
    for (const Registered &entry : kRegistered)
      list.emplace_back(entry.name);
  for (const std::string &name : list) {
    if (const Registered *entry = find(name))
      take(entry->run(bench, tools));
    else
      take(benchFile(name, compile, request, bench, code));
  }
}

int Bencher::run() {
  if (!source.empty())
    bench.source = Source::file(source).text;
  for (const auto &[name, value] : compile.defines)
    bench.defines[name] = value;
  document = describeRun(bench);
  runAll();
  std::fflush(stdout);
  if (!summary.empty())
    llvm::outs() << "\n== summary\n" << summary;
  if (!json.empty())
    kernels::writeWholeFile(json, document.dump(1) + "\n");
  return code;
}

int runBench() {
  CompileOptions compile;
  kernels::BenchOptions bench;
  RunRequest request;
  if (!readCompileOptions(compile) || !readBenchOptions(bench) ||
      !readInputs(request) || !checkNames())
    return kUsage;
  if (names.empty() && !all && !compileTimes && !launchTimes)
    return list();
  try {
    return Bencher(std::move(compile), std::move(bench), std::move(request))
        .run();
  } catch (const Error &error) {
    std::fflush(stdout);
    llvm::errs() << "tlc: " << error.what() << "\n";
    return exitCode(error.code());
  }
}

} // namespace tlc::cli
