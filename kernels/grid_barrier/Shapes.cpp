#include "kernels/grid_barrier/Shapes.h"

#include "kernels/grid_barrier/reference.h"
#include "kernels/harness/Compare.h"
#include "runtime/core/LaunchMetadata.h"
#include "runtime/core/Module.h"

#include <fstream>
#include <iterator>

namespace tlc::kernels {

static constexpr BlockShape kShapes[] = {
    {32, 1, 1}, {32, 2, 1}, {32, 1, 2},   {16, 2, 2}, {1, 32, 1},
    {8, 8, 4},  {33, 3, 1}, {1024, 1, 1}, {1, 1, 64}, {7, 5, 3}};

std::span<const BlockShape> blockShapes() { return kShapes; }

std::string nameOf(const BlockShape &shape) {
  return std::to_string(shape[0]) + "x" + std::to_string(shape[1]) + "x" +
         std::to_string(shape[2]);
}

Variant variantOf(const BlockShape &shape, bool clock) {
  return {"grid_barrier_" + nameOf(shape) + (clock ? "" : "_loop"),
          {"x=" + std::to_string(shape[0]), "y=" + std::to_string(shape[1]),
           "z=" + std::to_string(shape[2]),
           std::string("clock=") + (clock ? "True" : "False")}};
}

namespace {
/// A compiled variant as the runtime sees it, loaded here a second time.
struct Loaded {
  rt::LaunchMetadata metadata;
  std::unique_ptr<rt::Module> module;
  rt::cu::Function function = nullptr;

  Loaded(const Options &options, const Variant &variant) {
    compileVariant(options, variant);
    const std::string base = options.compiled + "/" + variant.name;
    metadata = rt::readMetadata(base + ".json");
    std::ifstream file(base + ".cubin", std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    module = std::make_unique<rt::Module>(bytes, 0, metadata.target);
    function = module->function(info().symbol);
    rt::allowDynamicShared(function, info().sharedBytes, rt::Device::get(),
                           info().symbol);
  }
  const rt::LaunchInfo &info() const { return metadata.launches.at(0); }
};
} // namespace

rt::Residency residencyOfVariant(const Options &options,
                                 const Variant &variant) {
  const Loaded loaded(options, variant);
  return rt::residencyOf(loaded.function, loaded.info(), rt::Device::get());
}

std::string compareResources(const Options &options, const Variant &variant) {
  const Loaded loaded(options, variant);
  KernelResources driver;
  rt::completeResources(loaded.function, driver);
  std::string text;
  const auto compareOne = [&](const char *what,
                              const std::optional<std::int64_t> &ours,
                              const std::optional<std::int64_t> &theirs) {
    // What the compiler was not told is unknown, and not wrong.
    if (ours && theirs && *ours != *theirs)
      text += std::string(what) + " " + std::to_string(*ours) +
              ", the module has " + std::to_string(*theirs) + "; ";
  };
  if (loaded.metadata.resources.empty())
    return "no figures were recorded";
  for (const KernelResources &ours : loaded.metadata.resources)
    if (ours.symbol == loaded.info().symbol) {
      if (!ours.registers)
        text += "registers are unknown; ";
      compareOne("registers", ours.registers, driver.registers);
      compareOne("stack", ours.stackBytes, driver.stackBytes);
      compareOne("static shared memory", ours.staticSharedBytes,
                 driver.staticSharedBytes);
    }
  return text;
}

std::vector<Operand> clearedOperands(std::int64_t blocks, std::int64_t rounds,
                                     std::int64_t late, std::int64_t delay) {
  std::vector<Operand> operands{
      {"Spin", rt::HostTensor(DType::Int32, {blocks})},
      {"A", rt::HostTensor(DType::Int32, {blocks}), true, true},
      {"B", rt::HostTensor(DType::Int32, {blocks}), true, true},
      {"Waste", rt::HostTensor(DType::Int32, {blocks})},
      {"Rounds", rt::HostTensor(DType::Int32, {1})}};
  operands[0].tensor.set(late, static_cast<double>(delay));
  operands[4].tensor.set(0, static_cast<double>(rounds));
  return operands;
}

std::string compareResult(const rt::HostTensor &a, const rt::HostTensor &b,
                          std::int64_t rounds, std::int64_t launches) {
  const BarrierResult reference =
      barrierReference(a.elements(), rounds, launches);
  const Difference inA = compare(a, reference.a, {});
  const Difference inB = compare(b, reference.b, {});
  if (inA.passed && inB.passed)
    return "";
  return inB.passed ? "A: " + inA.text() : "B: " + inB.text();
}

} // namespace tlc::kernels
