// tlc run: one kernel on a GPU, or on the CPU: with its sequential meaning or
// on the virtual SM.
#include "tools/tlc/Inputs.h"
#include "tools/tlc/Options.h"
#include "tools/tlc/Progress.h"
#include "tools/tlc/RunResults.h"

#include "compiler/interp/TileInterp.h"
#include "compiler/transforms/UserText.h"
#include "runtime/core/DeviceBuffer.h"
#include "runtime/core/Npy.h"
#include "runtime/core/Stream.h"
#include "runtime/core/Timing.h"
#include "tlc/Kernel.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

namespace cl = llvm::cl;

namespace tlc::cli {

enum class DeviceChoice { Auto, Gpu, Virtual, Interp };

#define TLC_RUN cl::sub(runCommand()), cl::cat(category())

static cl::opt<DeviceChoice> deviceChoice(
    "device", cl::init(DeviceChoice::Auto), cl::desc("where to run"),
    cl::values(clEnumValN(DeviceChoice::Auto, "auto",
                          "a GPU if there is one, else interp (default)"),
               clEnumValN(DeviceChoice::Gpu, "gpu", "a GPU"),
               clEnumValN(DeviceChoice::Virtual, "virtual",
                          "the CPU: what one SM executes, step by step"),
               clEnumValN(DeviceChoice::Interp, "interp",
                          "the CPU: the meaning of the source")),
    TLC_RUN);
static cl::list<std::string> outFlags("out", cl::desc("write a result"),
                                      cl::value_desc("name=@x.npy"), TLC_RUN);
static cl::opt<bool>
    check("check", cl::desc("compare the result with the interpreter's"),
          TLC_RUN);
static cl::opt<unsigned> repeat("repeat", cl::init(1),
                                cl::desc("run so many times"),
                                cl::value_desc("n"), TLC_RUN);
static cl::opt<bool> timed("time", cl::desc("say how long a run takes"),
                           TLC_RUN);

#undef TLC_RUN

static bool readRequest(RunRequest &request) {
  if (!readInputs(request) || !readAssignments("--out", outFlags, request.outs))
    return false;
  for (auto &[name, path] : request.outs) {
    if (path[0] != '@' || path.size() == 1) {
      usageError("--out " + name + ": expected @FILE.npy, got '" + path + "'");
      return false;
    }
    path.erase(0, 1);
  }
  if (repeat == 0) {
    usageError("--repeat is at least 1");
    return false;
  }
  if (check && deviceChoice == DeviceChoice::Interp) {
    usageError("--check compares with the interpreter; with --device interp "
               "there is nothing to compare");
    return false;
  }
  if (deviceChoice == DeviceChoice::Virtual &&
      givenSchedule() == interp::SmSchedule::Exhaustive) {
    usageError("--schedule exhaustive computes no values; tlc check runs it");
    return false;
  }
  return true;
}

namespace {
/// One `tlc run` after its options were read.
class Runner {
public:
  Runner(Compilation &compilation, RunRequest request)
      : compilation(compilation), diags(compilation.diagnostics()),
        request(std::move(request)) {}

  Status run();

private:
  Status prepare();
  Status chooseDevice();
  Status runInterpreter();
  Status runVirtual();
  Status runGpu();
  Status interpret(std::vector<RunArgument> &arguments);
  Status compareResults(const std::vector<rt::HostTensor> &results);
  Status report();
  Status timeOnGpu(Kernel &kernel, std::span<const Argument> arguments);
  Status failed(const Error &error);

  Compilation &compilation;
  DiagnosticEngine &diags;
  RunRequest request;
  Progress progress;
  mlir::OwningOpRef<mlir::ModuleOp> reference; ///< at the tile level
  tile::KernelOp kernel;
  rt::LaunchMetadata metadata;
  RunArguments arguments;
  bool onGpu = false;
  bool reported = false; ///< the virtual SM found something
  std::string deviceText;
};
} // namespace

Status Runner::failed(const Error &error) {
  switch (error.code()) {
  case ErrorCode::Environment:
    diags.report(Diag::NoDevice) << error.what();
    return Status::Environment;
  case ErrorCode::Device:
    diags.report(Diag::DeviceFailure) << error.what();
    return Status::Environment;
  case ErrorCode::Internal:
    diags.report(Diag::InternalError) << error.what();
    return Status::Internal;
  default:
    diags.report(Diag::InvalidArgument) << error.what();
    return Status::Input;
  }
}

/// Brings the file to the tile level and makes the arguments.
Status Runner::prepare() {
  compilation.onStep = [this](llvm::StringRef step) {
    progress.step(step.str());
  };
  if (Status status = compilation.elaborate(); status != Status::Ok)
    return status;
  reference = mlir::cast<mlir::ModuleOp>(compilation.module()->clone());
  std::vector<std::string> names;
  for (auto candidate : reference->getOps<tile::KernelOp>()) {
    names.push_back(candidate.getSymName().str());
    kernel = candidate;
  }
  if (names.size() != 1) {
    diags.report(names.empty() ? Diag::NoKernel : Diag::AmbiguousKernel)
        << llvm::join(names, ", ");
    return Status::Input;
  }
  progress.step("making the arguments");
  metadata = rt::parseMetadata(
      Compilation::describe(kernel, compilation.options().arch), "metadata");
  auto made = makeArguments(metadata, request, diags);
  if (!made)
    return Status::Input;
  arguments = std::move(*made);
  return Status::Ok;
}

Status Runner::chooseDevice() {
  if (deviceChoice >= DeviceChoice::Virtual)
    return Status::Ok;
  std::string why;
  onGpu = rt::Driver::available(&why);
  if (onGpu || (deviceChoice == DeviceChoice::Auto && !check))
    return Status::Ok;
  diags.report(Diag::NoDevice) << why;
  return Status::Environment;
}

Status Runner::interpret(std::vector<RunArgument> &list) {
  std::vector<interp::ArgValue> values = machineArguments(list);
  interp::InterpOptions options;
  options.progress = [this](std::int64_t done, std::int64_t total) {
    progress.advance(done, total);
  };
  progress.step("running on the CPU, block");
  return mlir::succeeded(
             interp::interpret(kernel, values, arguments.symbols, options))
             ? Status::Ok
             : Status::Input;
}

Status Runner::runInterpreter() {
  using Clock = std::chrono::steady_clock;
  deviceText = "the CPU (interpreter)";
  const std::vector<RunArgument> initial = arguments.list;
  double best = 0;
  for (unsigned i = 0; i < repeat; ++i) {
    arguments.list = initial;
    auto begin = Clock::now();
    if (Status status = interpret(arguments.list); status != Status::Ok)
      return status;
    std::chrono::duration<double, std::milli> ms = Clock::now() - begin;
    best = i ? std::min(best, ms.count()) : ms.count();
  }
  if (timed)
    deviceText += (llvm::Twine(", ") + std::to_string(best) + " ms").str();
  return Status::Ok;
}

/// The program of one SM on the virtual SM; what it finds goes to stderr.
Status Runner::runVirtual() {
  if (Status status = compilation.print(Level::SM, llvm::nulls());
      status != Status::Ok)
    return status;
  interp::SmOptions options;
  options.schedule = givenSchedule().value_or(interp::SmSchedule::Canonical);
  options.seed = givenSeed();
  options.progress = [this](std::int64_t done, std::int64_t total) {
    progress.advance(done, total);
  };
  deviceText = ("the virtual SM (" + interp::spelling(options.schedule) +
                llvm::Twine(")"))
                   .str();
  progress.step("running on the virtual SM, block");
  auto lowered = *compilation.module().getOps<tile::KernelOp>().begin();
  std::vector<RunArgument> results = arguments.list;
  interp::SmResult result =
      interp::runSm(lowered, machineArguments(results), options);
  for (const interp::SmReport &found : result.reports)
    llvm::errs() << found.text << "\n\n";
  if (result.status == interp::SmStatus::Invalid)
    return Status::Input;
  if (check) {
    std::vector<rt::HostTensor> outputs;
    for (RunArgument &argument : results)
      outputs.push_back(argument.isOutput() ? *argument.tensor
                                            : rt::HostTensor());
    if (Status status = compareResults(outputs); status != Status::Ok)
      return status;
  }
  arguments.list = std::move(results);
  reported = result.status == interp::SmStatus::Reported;
  return Status::Ok;
}

Status Runner::timeOnGpu(Kernel &loaded, std::span<const Argument> list) {
  Plan plan = loaded.prepareArguments(list);
  rt::TimingResult result =
      rt::timeLaunch([&](rt::cu::Stream stream, int) { plan.launch(stream); });
  llvm::raw_string_ostream(deviceText)
      << llvm::format(", %.2f us (median of %u, fastest %.2f)", result.medianUs,
                      unsigned(result.samplesUs.size()), result.minUs);
  return Status::Ok;
}

Status Runner::runGpu() {
  if (Status status = compilation.compile(); status != Status::Ok)
    return status;
  progress.step("running on the GPU");
  const CompiledKernel &compiled = compilation.kernels().front();
  Kernel loaded = loadFromMemory(compiled.cubin, compiled.metadata);
  deviceText = rt::Device::get().name();
  std::vector<std::optional<rt::DeviceTensor>> device(arguments.list.size());
  std::vector<Argument> list;
  for (size_t i = 0; i < device.size(); ++i) {
    RunArgument &argument = arguments.list[i];
    if (argument.tensor)
      device[i].emplace(*argument.tensor);
    list.push_back(device[i] ? Argument(device[i]->view())
                             : argument.argument());
  }
  for (unsigned i = 0; i < repeat; ++i) {
    for (size_t j = 0; j < device.size() && i > 0; ++j)
      if (arguments.list[j].isOutput())
        device[j]->upload(*arguments.list[j].tensor);
    loaded.launchArguments(nullptr, list);
    rt::synchronizeDevice();
  }
  std::vector<rt::HostTensor> results;
  for (size_t i = 0; i < device.size(); ++i)
    results.push_back(arguments.list[i].isOutput() ? device[i]->download()
                                                   : rt::HostTensor());
  if (timed)
    if (Status status = timeOnGpu(loaded, list); status != Status::Ok)
      return status;
  if (check)
    if (Status status = compareResults(results); status != Status::Ok)
      return status;
  for (size_t i = 0; i < results.size(); ++i)
    if (arguments.list[i].isOutput())
      arguments.list[i].tensor = std::move(results[i]);
  return Status::Ok;
}

/// The tolerance of the coarsest type that intermediate results are rounded
/// to: a sum that falls to the other side of a tie there differs by a whole
/// unit of that type.
static double intermediateTolerance(tile::KernelOp kernel) {
  double result = 0;
  auto rounded = [&](mlir::Type from, mlir::Type to) {
    auto source = mlir::dyn_cast<mlir::FloatType>(from);
    auto target = mlir::dyn_cast<mlir::FloatType>(to);
    if (!source || !target || target.getWidth() >= source.getWidth())
      return;
    if (auto dtype = parseDType(tile::dtypeName(to)))
      result = std::max(result, tolerance(*dtype));
  };
  kernel.walk([&](mlir::Operation *op) {
    if (auto copy = mlir::dyn_cast<tile::CopyOp>(op))
      rounded(copy.getSrc().getType().getElementType(),
              copy.getDst().getType().getElementType());
    else if (mlir::isa<mlir::arith::TruncFOp>(op))
      rounded(op->getOperand(0).getType(), op->getResult(0).getType());
  });
  return result;
}

/// Runs the interpreter on the same inputs and compares every output.
Status Runner::compareResults(const std::vector<rt::HostTensor> &results) {
  std::vector<RunArgument> expected = arguments.list;
  if (Status status = interpret(expected); status != Status::Ok)
    return status;
  Status status = Status::Ok;
  double least = intermediateTolerance(kernel);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!expected[i].isOutput())
      continue;
    const rt::HostTensor &tensor = *expected[i].tensor;
    Comparison c = compare(results[i], tensor, least);
    std::string figures;
    llvm::raw_string_ostream(figures)
        << llvm::format("largest difference %.3g, relative %.3g, allowed %.3g",
                        c.maxAbsolute, c.maxRelative, c.tolerance);
    const std::string &name = expected[i].param->name;
    if (c.equal) {
      llvm::outs() << name << ": agrees with the interpreter (" << figures
                   << ")\n";
      continue;
    }
    status = Status::Input;
    diags.report(Diag::ResultDiffers)
        << "output '" + name + "' differs from the interpreter: element [" +
               coordinates(tensor.shape(), c.worst) + "] is " +
               llvm::formatv("{0}, expected {1}", results[i].get(c.worst),
                             tensor.get(c.worst))
                   .str() +
               " (" + figures + ")";
  }
  return status;
}

Status Runner::report() {
  llvm::outs() << "ran " << metadata.name << " on " << deviceText << "\n";
  for (const RunArgument &argument : arguments.list) {
    if (argument.isOutput())
      printSummary(argument.param->name, *argument.tensor, llvm::outs());
    auto it = request.outs.find(argument.param->name);
    if (it == request.outs.end())
      continue;
    try {
      rt::writeNpy(it->second, *argument.tensor);
    } catch (const Error &error) {
      diags.report(Diag::CannotWriteFile) << it->second << error.what();
      return Status::Input;
    }
  }
  return Status::Ok;
}

Status Runner::run() {
  try {
    Status status = prepare();
    if (status == Status::Ok)
      status = chooseDevice();
    if (status == Status::Ok)
      status = onGpu                                   ? runGpu()
               : deviceChoice == DeviceChoice::Virtual ? runVirtual()
                                                       : runInterpreter();
    if (status == Status::Ok)
      status = report();
    return status == Status::Ok && reported ? Status::Input : status;
  } catch (const Error &error) {
    return failed(error);
  }
}

int runRun() {
  CompileOptions options;
  RunRequest request;
  if (!readCompileOptions(options) || !readRequest(request))
    return kUsage;
  Compilation compilation(std::move(options));
  Status status = compilation.readFile(inputFile());
  if (status == Status::Ok)
    status = Runner(compilation, std::move(request)).run();
  return finish(compilation, status);
}

} // namespace tlc::cli
