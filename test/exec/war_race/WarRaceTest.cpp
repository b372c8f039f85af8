// What of the race test needs no device: the defects are in the programs, the
// virtual SM shows their signature, counts and verdicts are as defined.
#include "compiler/interp/SmCheck.h"
#include "compiler/verify/Verify.h"
#include "test/exec/war_race/Evidence.h"
#include "test/exec/war_race/Make.h"
#include "test/exec/war_race/ReleaseFences.h"
#include "test/support/Catch.h"

#include "mlir/IR/Diagnostics.h"

#include <filesystem>
#include <unistd.h>

using namespace mlir;
using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

static std::unique_ptr<Compilation> lower(const std::string &path,
                                          const std::string &release,
                                          const std::string &structure,
                                          std::string *problem = nullptr) {
  RaceVariant variant;
  variant.path = path;
  variant.heads = 1;
  variant.structure = structure;
  variant.release = release;
  auto compilation = lowerVariant(TLC_KERNEL_SOURCE, variant);
  if (problem)
    *problem = variant.problem;
  return compilation;
}

static tile::KernelOp kernelOf(Compilation &compilation) {
  return *compilation.module().getOps<tile::KernelOp>().begin();
}

static std::string textOf(tile::KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernel->print(stream);
  return text;
}

/// The verifier's word on a program, without its messages.
static bool isProved(tile::KernelOp kernel) {
  ScopedDiagnosticHandler quiet(kernel.getContext(),
                                [](mlir::Diagnostic &) { return success(); });
  return verify::verifySm(kernel, *target::lookupTarget("sm_90a")).isProved();
}

template <typename Op> static int count(tile::KernelOp kernel) {
  int found = 0;
  kernel.walk([&](Op) { ++found; });
  return found;
}

TEST_CASE("war race: finding the fences leaves the program as it is",
          "[war_race]") {
  const std::string structure = GENERATE("derived", "plain");
  for (const std::string &path : allPaths()) {
    INFO(structure << " " << path);
    auto compilation = lower(path, "proxy", structure);
    REQUIRE(compilation);
    tile::KernelOp kernel = kernelOf(*compilation);
    const std::string before = textOf(kernel);
    const ReleaseFences found = findReleaseFences(kernel);
    CHECK(textOf(kernel) == before);
    CHECK(found.fences.empty() == found.rings.empty());
  }
}

TEST_CASE("war race: each defect replaces fences and is rejected",
          "[war_race]") {
  const std::string structure = GENERATE("derived", "plain");
  for (const std::string &path : allPaths()) {
    auto fenced = lower(path, "proxy", structure);
    REQUIRE(fenced);
    const int fences = count<sm::FenceProxyAsyncOp>(kernelOf(*fenced));
    const int barriers = count<sm::BarSyncOp>(kernelOf(*fenced));
    const auto found = findReleaseFences(kernelOf(*fenced));
    const auto gone = static_cast<int>(found.fences.size());
    CHECK(isProved(kernelOf(*fenced)));
    for (const char *release : kDefects) {
      INFO(structure << " " << path << ", " << release);
      std::string problem;
      auto unfenced = lower(path, release, structure, &problem);
      if (gone == 0) {
        CHECK(!unfenced);
        CHECK(problem == "no generic reads before a release: nothing to "
                         "mutate");
        continue;
      }
      REQUIRE(unfenced);
      tile::KernelOp kernel = kernelOf(*unfenced);
      CHECK(count<sm::FenceProxyAsyncOp>(kernel) == fences - gone);
      const std::string is = release;
      CHECK(count<sm::BarSyncOp>(kernel) ==
            barriers + (is == "bar.sync" ? gone : 0));
      CHECK(count<sm::MembarOp>(kernel) == (is == "membar" ? gone : 0));
      CHECK(!isProved(kernel));
    }
  }
}

TEST_CASE("war race: fences that cover for each other are found together",
          "[war_race]") {
  auto compilation = lower("kv fwd", "proxy", "plain");
  REQUIRE(compilation);
  tile::KernelOp kernel = kernelOf(*compilation);
  ReleaseFences single = findReleaseFences(kernel);
  REQUIRE(!single.fences.empty());
  for (sm::FenceProxyAsyncOp fence : single.fences)
    OpBuilder(fence).clone(*fence);
  const std::string before = textOf(kernel);
  const ReleaseFences found = findReleaseFences(kernel);
  CHECK(textOf(kernel) == before);
  CHECK(found.fences.size() == 2 * single.fences.size());
  CHECK(found.rings == single.rings);
  replaceFences(kernel, found, Substitute::Nothing);
  CHECK(!isProved(kernel));
}

/// Runs the path without flags on the virtual SM, bulk copies landing early.
static std::vector<std::uint32_t> runEarly(Compilation &compilation,
                                           kernels::StateInputs &inputs) {
  rt::HostTensor out(DType::Float32, inputs.ht.shape());
  std::vector<ArgValue> args;
  for (rt::HostTensor *tensor :
       {&inputs.ht, &inputs.mt, &inputs.fallbackMask, &inputs.seqMap, &out}) {
    TensorArg arg;
    arg.data = tensor->bytes().data();
    arg.shape.assign(tensor->shape().begin(), tensor->shape().end());
    args.emplace_back(arg);
  }
  SmOptions options;
  options.schedule = SmSchedule::AdversarialEarly;
  SmResult result = runSm(kernelOf(compilation), args, options);
  CHECK(result.status != SmStatus::Invalid);
  return {out.as<std::uint32_t>(), out.as<std::uint32_t>() + out.elements()};
}

/// cp_h0 without flags, from its definition: the h of the turn before.
static std::vector<std::uint32_t>
rightOutput(const kernels::StateInputs &inputs, bool reverse) {
  const std::int64_t segments = inputs.ht.shape()[0];
  const std::int64_t size = inputs.ht.elements() / segments;
  rt::HostTensor out(DType::Float32, inputs.ht.shape());
  for (std::int64_t s = 0; s < segments; ++s) {
    const std::int64_t from = reverse ? s + 1 : s - 1;
    for (std::int64_t i = 0; i < size && from >= 0 && from < segments; ++i)
      out.set(s * size + i, inputs.ht.get(from * size + i));
  }
  return {out.as<std::uint32_t>(), out.as<std::uint32_t>() + out.elements()};
}

TEST_CASE("war race: without the fence the virtual SM shows the signature",
          "[war_race]") {
  constexpr std::int64_t segments = 7;
  const std::string structure = GENERATE("derived", "plain");
  for (const std::string &path : allPaths())
    for (const char *release : {"proxy", "none", "bar.sync", "membar"}) {
      INFO(structure << " " << path << ", " << release);
      const kernels::StateProblem problem = problemOf(path, {"", segments, 1});
      kernels::StateInputs inputs =
          kernels::makeInputs(problem, kernels::Mask::Off, 3);
      auto compilation = lower(path, release, structure);
      if (!compilation)
        continue;
      const auto right = rightOutput(inputs, problem.reverse);
      const auto output = runEarly(*compilation, inputs);
      auto fenced = lower(path, "proxy", structure);
      const ReleaseFences found = findReleaseFences(kernelOf(*fenced));
      const auto ring = found.rings.find("h_shared");
      if (std::string(release) == "proxy" || ring == found.rings.end()) {
        CHECK(output == right);
        continue;
      }
      const NextGeneration generation = NextGeneration::of(
          segments, kernels::kStateSize * kernels::kStateSize, ring->second,
          problem.reverse);
      const WrongElements wrong = countWrong(output, right, generation);
      CHECK(wrong.next == wrong.wrong);
      // Optimisations may put another wait between the read and the release,
      // which delays the refill.
      if (structure == "plain")
        CHECK(wrong.wrong > 0);
    }
}

TEST_CASE("war race: next generation by direction and depth", "[war_race]") {
  // Five segments of two elements.
  const std::vector<std::uint32_t> right = {0,  1,  10, 11, 20,
                                            21, 30, 31, 40, 41};
  auto wrongAt = [&](std::size_t i, std::uint32_t value,
                     const NextGeneration &generation) {
    std::vector<std::uint32_t> output = right;
    output[i] = value;
    const WrongElements count = countWrong(output, right, generation);
    CHECK(count.wrong == 1);
    return count.next == 1;
  };
  const auto forward = NextGeneration::of(5, 2, 2, false);
  CHECK(countWrong(right, right, forward).wrong == 0);
  CHECK(wrongAt(2, 30, forward));
  CHECK(wrongAt(5, 41, forward));
  CHECK(!wrongAt(2, 31, forward)); // another element of that segment
  CHECK(!wrongAt(2, 40, forward)); // three segments further
  CHECK(!wrongAt(6, 10, forward)); // there is no segment 5
  const auto backward = NextGeneration::of(5, 2, 2, true);
  CHECK(wrongAt(7, 11, backward));
  CHECK(!wrongAt(7, 41, backward));
  CHECK(!wrongAt(2, 30, backward));
  const auto three = NextGeneration::of(5, 2, 3, false);
  CHECK(wrongAt(0, 30, three));
  CHECK(!wrongAt(0, 20, three));
  CHECK(!wrongAt(0, 20, NextGeneration::of(5, 2, 0, false)));
  CHECK(!wrongAt(0, 20, NextGeneration::of(5, 2, 5, false)));
}

static Cell cellOf(const std::string &release, bool isDefect,
                   const std::string &mask, const RaceCounts &counts) {
  return {"derived", release, "kv bwd", "4K/4", mask, isDefect, counts};
}

TEST_CASE("war race: only the signature without flags shows the race",
          "[war_race]") {
  Evidence evidence;
  evidence.add(cellOf("none", true, "on", {160, 9, 70, 70}));
  evidence.add(cellOf("none", true, "off", {160, 0, 0, 0}));
  CHECK(!evidence.showsRace());
  evidence.add(cellOf("membar", true, "off", {160, 2, 70, 69}));
  CHECK(!evidence.showsRace());
  CHECK(evidence.passes().empty());
  evidence.add(cellOf("bar.sync", true, "off", {160, 0, 0, 0}));
  CHECK(evidence.passes().size() == 1);
  CHECK(!evidence.showsRace());
  evidence.add(cellOf("proxy", false, "off", {160, 0, 0, 0}));
  CHECK(evidence.derivedExact(160));
  CHECK(!evidence.derivedExact(161));
  // The wrong launches of a derived form show no defect.
  evidence.add(cellOf("delay", false, "off", {160, 1, 5, 5}));
  CHECK(!evidence.showsRace());
  CHECK(!evidence.derivedExact(160));
  Evidence shown;
  shown.add(cellOf("none", true, "off", {160, 2, 70, 70}));
  CHECK(shown.showsRace());
  CHECK(!shown.derivedExact(0));
}

TEST_CASE("war race: a row of the table is a form on a path", "[war_race]") {
  Evidence evidence;
  evidence.add(cellOf("none", true, "off", {160, 2, 70, 70}));
  evidence.add(cellOf("none", true, "on", {160, 0, 0, 0}));
  evidence.add(cellOf("membar", true, "off", {160, 3, 70, 69}));
  CHECK(evidence.table() ==
        "structure release path  4K/4  bad  launches  wrong off  next gen.\n"
        "derived none kv bwd      2|0    2       320         70        all\n"
        "derived membar kv bwd      3    3       160         70         69\n");
}

TEST_CASE("war race: how a soak decides", "[war_race]") {
  auto decide = [](std::uint64_t badReaders, std::uint64_t badProducer,
                   std::uint64_t launches, double readers, double producer) {
    return decideSoak(
        {"proxy", {{launches, badReaders, 0, 0}}, {readers}},
        {"proxy-producer", {{launches, badProducer, 0, 0}}, {producer}}, 1000);
  };
  auto beginsWith = [](const std::string &text, const std::string &begin) {
    return text.rfind(begin, 0) == 0;
  };
  CHECK(beginsWith(decide(0, 0, 1000, 20, 19), "proxy-producer: "));
  CHECK(beginsWith(decide(0, 0, 1000, 20, 21), "proxy: "));
  CHECK(beginsWith(decide(0, 0, 1000, 20, 19.9), "proxy: "));
  CHECK(beginsWith(decide(0, 0, 999, 20, 10), "not decided"));
  CHECK(beginsWith(decide(0, 1, 10, 20, 10), "proxy: "));
  CHECK(beginsWith(decide(1, 0, 10, 20, 30), "proxy-producer: "));
  CHECK(beginsWith(decide(1, 1, 1000, 20, 30), "neither"));
  CHECK(beginsWith(decideSoak({"a", {}, {}}, {"b", {}, {}}, 1), "not decided"));
}

TEST_CASE("war race: the index is read as it was written", "[war_race]") {
  const std::string folder = (std::filesystem::temp_directory_path() /
                              ("tlc-war-race-" + std::to_string(getpid())))
                                 .string();
  std::filesystem::create_directories(folder);
  RaceVariant with, without;
  with.path = "kv fwd";
  with.heads = 4;
  with.structure = "plain";
  with.release = "none";
  with.file = "x.cubin";
  with.rings = {{"h_shared", 3}};
  without.release = "delay";
  without.problem = "because \"it\"\nis so";
  const RaceVariant list[] = {with, without};
  writeIndex(folder, list);
  const std::vector<RaceVariant> back = readIndex(folder);
  REQUIRE(back.size() == 2);
  CHECK(back[0].rings == with.rings);
  CHECK(back[0].isDefect());
  CHECK(back[1].problem == without.problem);
  CHECK(!back[1].isDefect());
  CHECK(findVariant(back, "kv fwd", 4, "plain", "none") == &back[0]);
  CHECK(findVariant(back, "kv fwd", 2, "plain", "none") == nullptr);
  std::filesystem::remove_all(folder);
  CHECK_THROWS_AS(readIndex(folder), Error);
}
