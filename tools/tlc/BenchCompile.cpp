// tlc bench --compile: a kernel compiled in this process, found on disk, found
// in memory; and where the time of a compilation goes.
#include "tools/tlc/Bench.h"

#include "compiler/driver/Compiler.h"
#include "kernels/harness/Statistics.h"
#include "kernels/harness/Table.h"
#include "kernels/harness/WholeFile.h"
#include "runtime/jit/CompiledSource.h"
#include "runtime/jit/LargeStack.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>

namespace tlc::kernels {
extern const std::string_view kCorrectH0Source, kGemmSource;
} // namespace tlc::kernels

namespace tlc::cli {

using kernels::Json;
using kernels::Summary;
using Clock = std::chrono::steady_clock;

namespace {
/// A cache folder of our own, so that nothing is found that was there before.
class CacheFolder {
public:
  CacheFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "tlc-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error(ErrorCode::Io, "cannot make the folder '" + name + "'");
    path = name;
    setenv("TLC_CACHE_DIR", path.c_str(), 1);
    unsetenv("TLC_CACHE");
  }
  CacheFolder(const CacheFolder &) = delete;
  CacheFolder &operator=(const CacheFolder &) = delete;
  ~CacheFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  /// Writes a kernel file there.
  std::string write(const std::string &name, std::string_view text) const {
    std::string file = (path / name).string();
    kernels::writeWholeFile(file, text);
    return file;
  }

private:
  std::filesystem::path path;
};

/// What is compiled.
struct Subject {
  const char *name;
  std::string_view text;
};

/// Milliseconds of each round.
struct Times {
  std::vector<double> cold, disk, memory;
  std::map<std::string, std::vector<double>> steps;
};
} // namespace

// The goals for gemm, in milliseconds.
static constexpr double kColdGoal = 400, kDiskGoal = 5, kMemoryGoal = 0.02;
static constexpr int kHits = 1000;

static double milliseconds(const std::function<void()> &action) {
  const auto begin = Clock::now();
  action();
  const std::chrono::duration<double, std::milli> time = Clock::now() - begin;
  return time.count();
}

static rt::CompileRequest requestFor(const CompileOptions &options,
                                     Source source) {
  rt::CompileRequest request;
  request.source = std::make_shared<const Source>(std::move(source));
  request.options = options;
  return request;
}

/// All that a host program waits for when it asks for the kernel of a file.
static double timeJit(const CompileOptions &options, const std::string &path) {
  return milliseconds(
      [&] { rt::compileCached(requestFor(options, Source::file(path))); });
}

/// Where the time of one compilation goes, by the compiler's own steps.
static void splitCompilation(const rt::CompileRequest &request, Times &times) {
  std::map<std::string, double> spent;
  rt::onLargeStack([&] {
    std::string current;
    auto begin = Clock::now();
    const auto change = [&](const std::string &next) {
      const auto now = Clock::now();
      const std::chrono::duration<double, std::milli> time = now - begin;
      if (!current.empty())
        spent[current] += time.count();
      current = next;
      begin = now;
    };
    Compilation compilation(request.options);
    compilation.onStep = [&](llvm::StringRef step) { change(step.str()); };
    compilation.setSource(request.source->text, request.source->name);
    (void)compilation.compile();
    change("");
  });
  for (const auto &[step, time] : spent)
    times.steps[step].push_back(time);
}

static Times measure(const CompileOptions &options, const CacheFolder &folder,
                     const Subject &subject, int rounds) {
  Times times;
  const std::string name = std::string(subject.name) + ".tl";
  std::string path;
  for (int round = 0; round < rounds; ++round) {
    // A text of its own, so that nothing anywhere has seen it.
    const std::string fresh =
        std::string(subject.text) + "\n# round " + std::to_string(round) + "\n";
    path = folder.write(name, fresh);
    rt::clearMemoryCache();
    times.cold.push_back(timeJit(options, path));
    rt::clearMemoryCache();
    times.disk.push_back(timeJit(options, path));
    splitCompilation(requestFor(options, {fresh + "# split\n", name}), times);
  }
  for (int hit = 0; hit < kHits; ++hit)
    times.memory.push_back(timeJit(options, path));
  return times;
}

/// The median with half of the distance between the quartiles.
static std::string withSpread(const std::vector<double> &values, double scale,
                              int digits) {
  const double half =
      (kernels::quantile(values, 0.75) - kernels::quantile(values, 0.25)) / 2;
  return kernels::fixed(kernels::median(values) * scale, digits) + " +-" +
         kernels::fixed(half * scale, digits);
}

static Json jsonOf(const std::vector<double> &values) {
  return {{"ms", kernels::median(values)},
          {"quartile_25", kernels::quantile(values, 0.25)},
          {"quartile_75", kernels::quantile(values, 0.75)}};
}

kernels::BenchResult benchCompile(const CompileOptions &options,
                                  const kernels::BenchOptions &bench) {
  const CacheFolder folder;
  kernels::BenchResult result;
  result.json = {{"benchmark", "compile"}, {"kernels", Json::array()}};
  kernels::Table table(
      {"in this process", "compiled ms", "from disk ms", "from memory us"});
  std::string steps;
  for (const Subject &subject : {Subject{"gemm", kernels::kGemmSource},
                                 {"correct_h0", kernels::kCorrectH0Source}}) {
    const Times times = measure(options, folder, subject, bench.rounds);
    table.row({subject.name, withSpread(times.cold, 1, 1),
               withSpread(times.disk, 1, 2), withSpread(times.memory, 1e3, 1)});
    Json json{{"kernel", subject.name},
              {"compiled", jsonOf(times.cold)},
              {"from_disk", jsonOf(times.disk)},
              {"from_memory", jsonOf(times.memory)}};
    steps += std::string(subject.name) + ", ms:";
    for (const auto &[step, list] : times.steps) {
      json["steps"][step] = jsonOf(list);
      steps += "  " + step + " " + kernels::fixed(kernels::median(list), 1);
    }
    steps += "\n";
    result.json["kernels"].push_back(std::move(json));
  }
  table.row({"goal for gemm", kernels::fixed(kColdGoal, 0),
             kernels::fixed(kDiskGoal, 0),
             kernels::fixed(kMemoryGoal * 1e3, 0)});
  result.summary = table.text() + steps;
  return result;
}

} // namespace tlc::cli
