#include "test/unit/interp/sm/SmTestSupport.h"

#include "compiler/interp/TileInterpElement.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"

#include <fstream>
#include <random>
#include <sstream>

using namespace mlir;
using namespace tlc;
using namespace tlc::test;
using namespace tlc::interp;

static std::string withSpaces(std::string text) {
  for (std::string space : {"global", "shared", "fragment", "local"}) {
    std::string key = "$" + space, attr = "#tile.space<" + space + ">";
    for (size_t at; (at = text.find(key)) != std::string::npos;)
      text.replace(at, key.size(), attr);
  }
  return text;
}

SmProgramText::SmProgramText(const std::string &text)
    : context(std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED)) {
  context->loadDialect<tile::TileDialect, sm::SmDialect, arith::ArithDialect,
                       math::MathDialect, scf::SCFDialect,
                       memref::MemRefDialect>();
  ParserConfig config(context.get());
  module = parseSourceString<ModuleOp>(withSpaces(text), config, "program");
  REQUIRE(module);
}

SmProgramText SmProgramText::fromFile(const std::string &name) {
  std::ifstream file(std::string(TLC_SM_INPUTS) + "/" + name + ".mlir");
  std::stringstream text;
  text << file.rdbuf();
  return SmProgramText(text.str());
}

tile::KernelOp SmProgramText::kernel() {
  return *module->getOps<tile::KernelOp>().begin();
}

sm::MBarrierOp SmProgramText::barrier(const std::string &name) {
  for (sm::MBarrierOp op : all<sm::MBarrierOp>())
    if (op.getName() == name)
      return op;
  FAIL("no mbarrier " << name);
  return {};
}

sm::SharedOp SmProgramText::tile(const std::string &name) {
  for (sm::SharedOp op : all<sm::SharedOp>())
    if (op.getName() == name)
      return op;
  FAIL("no shared tile " << name);
  return {};
}

static Value rootOf(Value buffer) {
  auto slot = buffer.getDefiningOp<sm::SlotOp>();
  return slot ? slot.getBuffer() : buffer;
}

tile::CopyOp SmProgramText::copyFrom(const std::string &name) {
  for (tile::CopyOp op : all<tile::CopyOp>())
    if (rootOf(op.getSrc()) == tile(name).getResult())
      return op;
  FAIL("no copy from " << name);
  return {};
}

tile::CopyOp SmProgramText::copyTo(const std::string &name) {
  for (tile::CopyOp op : all<tile::CopyOp>())
    if (rootOf(op.getDst()) == tile(name).getResult())
      return op;
  FAIL("no copy to " << name);
  return {};
}

static constexpr int kState = 128 * 32, kMatrix = 128 * 128;

StateData::StateData(bool vk, std::vector<bool> flags)
    : vk(vk), flags(std::move(flags)) {
  size_t n = this->flags.size();
  std::mt19937 random(7);
  std::uniform_real_distribution<float> unit(-1, 1);
  for (size_t i = 0; i < n * kState; ++i)
    h.push_back(floatToBf16(unit(random)));
  for (size_t i = 0; i < n * kMatrix; ++i)
    m.push_back(floatToBf16(unit(random) / 8));
  for (bool flag : this->flags)
    mask.push_back(flag);
  out.assign(n * kState, -1);
}

std::vector<ArgValue> StateData::args() {
  auto n = static_cast<int64_t>(flags.size());
  int64_t rows = vk ? 32 : 128, columns = vk ? 128 : 32;
  auto tensor = [](void *data, llvm::ArrayRef<int64_t> shape) {
    TensorArg arg;
    arg.data = data;
    arg.shape.assign(shape.begin(), shape.end());
    return arg;
  };
  return {tensor(h.data(), {n, rows, columns}), tensor(m.data(), {n, 128, 128}),
          tensor(mask.data(), {n}), tensor(out.data(), {n, rows, columns})};
}

std::vector<float> StateData::stateOf(int turn) const {
  std::vector<float> state;
  for (int i = 0; i < kState; ++i)
    state.push_back(bf16ToFloat(h[turn * kState + i]));
  return state;
}

std::vector<float> StateData::expected() const {
  std::vector<float> state(kState, 0.0f), result;
  for (size_t turn = 0; turn < flags.size(); ++turn) {
    result.insert(result.end(), state.begin(), state.end());
    std::vector<float> old;
    for (float x : state)
      old.push_back(bf16ToFloat(floatToBf16(x)));
    state = stateOf(turn);
    if (!flags[turn])
      continue;
    auto matrix = [&](int i, int j) {
      return bf16ToFloat(m[turn * kMatrix + i * 128 + j]);
    };
    if (vk) {
      for (int i = 0; i < 32; ++i)
        for (int j = 0; j < 128; ++j)
          for (int k = 0; k < 128; ++k)
            state[i * 128 + j] += old[i * 128 + k] * matrix(j, k);
    } else {
      for (int i = 0; i < 128; ++i)
        for (int k = 0; k < 128; ++k)
          for (int j = 0; j < 32; ++j)
            state[i * 32 + j] += matrix(i, k) * old[k * 32 + j];
    }
  }
  return result;
}

SmOptions tlc::test::scheduled(SmSchedule schedule, uint64_t seed) {
  SmOptions options;
  options.schedule = schedule;
  options.seed = seed;
  return options;
}

std::string tlc::test::texts(const SmResult &result) {
  std::string text;
  for (const SmReport &report : result.reports)
    text += report.text + "\n";
  return text;
}

int tlc::test::count(const SmResult &result, SmProblem kind) {
  int n = 0;
  for (const SmReport &report : result.reports)
    n += report.kind == kind;
  return n;
}
