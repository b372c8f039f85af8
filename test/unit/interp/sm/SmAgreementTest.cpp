// Whole kernels: lowered by the compiler and run on the virtual SM they give,
// bit for bit, what the tile interpreter gives for the source, and nothing to
// report.
#include "compiler/driver/Compiler.h"
#include "compiler/interp/SmMachine.h"
#include "compiler/interp/TileInterpElement.h"
#include "test/support/Catch.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/Support/raw_ostream.h"

#include <random>

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;

namespace {
struct Case {
  const char *file; ///< below the repository
  std::map<std::string, std::string> defines;
  std::map<std::string, int64_t> sizes;
  bool specialize = true;
};

struct Tensors {
  std::vector<std::vector<uint8_t>> bytes;
  std::vector<ArgValue> args;
};

int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> values;
  for (int64_t v : sizes)
    values.push_back(getAffineConstantExpr(v, expr.getContext()));
  expr = simplifyAffineExpr(expr.replaceSymbols(values), 0, values.size());
  return cast<AffineConstantExpr>(expr).getValue();
}

/// Small random numbers; a tensor of a list of offsets ("First") ascends.
Tensors makeTensors(tile::KernelOp kernel,
                    const std::map<std::string, int64_t> &sizes) {
  SmallVector<int64_t> symbols;
  for (unsigned i = 0; i < kernel.getSymbolNames().size(); ++i)
    symbols.push_back(
        sizes.at(kernel.getArgName(kernel.getNumParams() + i).str()));
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  Tensors tensors;
  for (unsigned i = 0; i < kernel.getNumParams(); ++i) {
    auto type = cast<MemRefType>(kernel.getParam(i).getType());
    Elem elem = *elemOf(type.getElementType());
    TensorArg arg;
    int64_t elements = 1;
    for (AffineExpr e : kernel.getParamShape(i).getResults()) {
      arg.shape.push_back(evaluate(e, symbols));
      elements *= arg.shape.back();
    }
    std::vector<uint8_t> bytes(elements * sizeOf(elem) + 1);
    int64_t chunks = sizes.contains("chunks") ? sizes.at("chunks") : 0;
    for (int64_t e = 0; e < elements; ++e) {
      Cell c;
      c.i = 0;
      if (kernel.getArgName(i) == "First")
        c.i = chunks * e / std::max<int64_t>(elements - 1, 1);
      else if (isFloat(elem) && elem != Elem::F64)
        c.f = static_cast<float>(unit(random));
      else if (elem == Elem::F64)
        c.d = unit(random);
      else
        c.i =
            static_cast<int64_t>(random() % 64) - (elem == Elem::Bool ? 0 : 32);
      if (elem == Elem::Bool)
        c.i &= 1;
      encode(elem, &bytes[e * sizeOf(elem)], c);
    }
    tensors.bytes.push_back(std::move(bytes));
    arg.data = tensors.bytes.back().data();
    tensors.args.push_back(arg);
  }
  return tensors;
}

std::string errors(Compilation &compilation) {
  std::string text;
  llvm::raw_string_ostream out(text);
  compilation.diagnostics().print(out);
  return text;
}

tile::KernelOp kernelOf(Compilation &compilation) {
  return *compilation.module().getOps<tile::KernelOp>().begin();
}

void check(const Case &c) {
  CompileOptions options;
  options.defines = c.defines;
  options.warpSpecialize = c.specialize;
  std::string path = std::string(TLC_SOURCE) + "/" + c.file;
  INFO(c.file << (c.specialize ? "" : ", no roles"));
  Compilation source(options), lowered(options);
  REQUIRE(source.readFile(path) == Status::Ok);
  if (source.elaborate() != Status::Ok)
    FAIL(errors(source));
  REQUIRE(lowered.readFile(path) == Status::Ok);
  std::string text;
  llvm::raw_string_ostream out(text);
  if (lowered.print(Level::SM, out) != Status::Ok)
    FAIL(errors(lowered));
  Tensors expected = makeTensors(kernelOf(source), c.sizes);
  REQUIRE(succeeded(interpret(kernelOf(source), expected.args)));
  for (auto schedule : {SmSchedule::Canonical, SmSchedule::AdversarialEarly,
                        SmSchedule::AdversarialLate, SmSchedule::Seeded}) {
    Tensors actual = makeTensors(kernelOf(source), c.sizes);
    SmOptions sm;
    sm.schedule = schedule;
    SmResult result = runSm(kernelOf(lowered), actual.args, sm);
    INFO(spelling(schedule).str());
    for (const SmReport &report : result.reports)
      UNSCOPED_INFO(report.text);
    CHECK(result.status == SmStatus::Clean);
    CHECK(actual.bytes == expected.bytes);
  }
}
} // namespace

TEST_CASE("virtual sm: kernels agree with their sequential meaning", "[sm]") {
  const std::map<std::string, int64_t> walk = {{"chunks", 9}, {"seqs", 2}};
  const Case cases[] = {
      {"test/exec/elementwise.tl", {}, {{"n", 1000}}},
      {"test/exec/scalars.tl", {}, {{"n", 300}}},
      {"test/exec/transpose.tl", {}, {{"m", 72}, {"n", 200}}},
      {"test/exec/gemm_stages.tl", {{"num_stages", "0"}}, {}},
      {"test/exec/gemm_stages.tl", {{"num_stages", "2"}}, {}},
      {"test/exec/gemm_stages.tl", {{"num_stages", "4"}}, {}, false},
      {"test/exec/gemm_stages.tl", {{"num_stages", "4"}, {"K", "64"}}, {}},
      {"test/exec/gemm_stages.tl",
       {{"dtype", "bfloat16"}, {"M", "40"}, {"N", "24"}},
       {}},
      {"test/exec/gemm_stages.tl",
       {{"threads", "256"}, {"BM", "128"}, {"BN", "64"}},
       {}},
      {"test/exec/gemm_stages.tl",
       {{"BM", "16"}, {"BN", "64"}, {"M", "30"}},
       {}},
      {"test/exec/state_walk.tl", {}, walk},
      {"test/exec/state_walk.tl", {{"stages", "1"}}, walk},
      {"test/exec/state_walk.tl", {{"stages", "3"}, {"D", "128"}}, walk},
      {"test/exec/state_walk.tl", {{"D", "32"}}, walk, false},
      {"test/exec/use_then_load.tl", {}, {}},
      {"test/cases/bias_before_loop.tl", {}, {}},
      {"test/cases/gemm_stride_100_bytes.tl", {}, {}},
      {"test/cases/grid_barrier_2d.tl", {}, {}},
      {"test/cases/reduce_odd_widths.tl", {}, {}},
      {"test/cases/sibling_loops_int8.tl", {}, {}},
      {"test/cases/three_users_one_tile.tl", {}, {}},
      {"test/cases/trip_zero_one.tl", {}, {}},
      {"test/cases/trip_zero_one.tl", {}, {}, false},
      {"test/cases/war_use_then_load.tl", {}, {}},
      {"test/cases/ws_state_chain.tl", {}, walk},
  };
  for (const Case &c : cases)
    SECTION(std::string(c.file) + " " + std::to_string(&c - cases)) {
      check(c);
    }
}
