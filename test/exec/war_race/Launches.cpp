#include "test/exec/war_race/Launches.h"

#include "kernels/harness/Variants.h"

namespace tlc::test {

using kernels::StateProblem;

RaceInputs::RaceInputs(const StateProblem &problem)
    : stated(problem),
      inputs(kernels::makeInputs(problem, kernels::Mask::Off, 3)),
      shape(inputs.ht.shape()), size(inputs.ht.elements()), ht(inputs.ht),
      mt(inputs.mt), mask(inputs.fallbackMask), map(inputs.seqMap) {}

void RaceInputs::setMask(kernels::Mask which) {
  inputs.fallbackMask = kernels::makeMask(stated, which);
  mask.upload(inputs.fallbackMask);
}

std::vector<Argument> RaceInputs::arguments(const Kernel &kernel,
                                            void *output) const {
  Tensor out;
  out.data = output;
  out.shape = shape;
  const std::map<std::string, Tensor> known = {{"ht", ht.view()},
                                               {"mt", mt.view()},
                                               {"fallback_mask", mask.view()},
                                               {"seq_map", map.view()},
                                               {"cp_h0", out}};
  std::vector<Argument> list;
  for (const std::string &parameter : kernel.parameters())
    list.emplace_back(known.at(parameter));
  return list;
}

/// Launches that start together.
struct Lane::Graph {
  rt::cu::Graph graph = nullptr;
  rt::cu::GraphExec exec = nullptr;

  Graph() = default;
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
  ~Graph() {
    if (exec)
      rt::Driver::get().graphExecDestroy(exec);
    if (graph)
      rt::Driver::get().graphDestroy(graph);
  }
};

Lane::Lane(std::int64_t words)
    : outputs(words * sizeof(std::uint32_t) * kBatch), compare(kBatch) {
  outputs.fill(0xff);
  // Loading a kernel inside a capture is an error, so each runs once on
  // nothing.
  compare.enqueue(stream.handle(), outputs.data(), outputs.data(), 0, {});
  stir(stream.handle(), outputs.data(), 0);
  take();
}

void Lane::capture(const Kernel &kernel, const RaceInputs &inputs,
                   const void *right, const NextGeneration &generation,
                   const Between &between) {
  graph.reset();
  plans.clear();
  const std::size_t bytes = inputs.words() * sizeof(std::uint32_t);
  for (int i = 0; i < kBatch; ++i)
    plans.push_back(kernel.prepareArguments(inputs.arguments(
        kernel, static_cast<std::byte *>(outputs.data()) + i * bytes)));
  plans[0].launch(stream.handle());
  stream.synchronize();
  const rt::Driver &driver = rt::Driver::get();
  auto made = std::make_shared<Graph>();
  driver.check(
      driver.streamBeginCapture(stream.handle(), rt::cu::kCaptureThreadLocal),
      "capturing launches");
  for (int i = 0; i < kBatch; ++i) {
    plans[i].launch(stream.handle());
    if (between)
      between(stream.handle(), i);
  }
  compare.enqueue(stream.handle(), outputs.data(), right, inputs.words(),
                  generation);
  driver.check(driver.streamEndCapture(stream.handle(), &made->graph),
               "capturing launches");
  driver.check(driver.graphInstantiate(&made->exec, made->graph, 0),
               "instantiating a graph");
  graph = std::move(made);
  // Another size may have left half an output here.
  outputs.fill(0xff);
}

void Lane::start() const {
  const rt::Driver &driver = rt::Driver::get();
  driver.check(driver.graphLaunch(graph->exec, stream.handle()),
               "launching a graph");
}

RaceCounts Lane::take() {
  stream.synchronize();
  return compare.take();
}

const Kernel *Forms::find(const std::string &path, std::int64_t heads,
                          const std::string &structure,
                          const std::string &release) {
  const RaceVariant *variant =
      findVariant(variants, path, heads, structure, release);
  if (!variant || variant->file.empty())
    return nullptr;
  const auto known = loaded.find(variant->file);
  if (known != loaded.end())
    return &known->second;
  return &loaded.emplace(variant->file, load(folder + "/" + variant->file))
              .first->second;
}

rt::DeviceBuffer runOnce(const Kernel &kernel, const RaceInputs &inputs) {
  rt::DeviceBuffer output(inputs.words() * sizeof(std::uint32_t));
  output.fill(0xff);
  kernel.launchArguments(nullptr, inputs.arguments(kernel, output.data()));
  rt::synchronizeDevice();
  return output;
}

rt::HostTensor fetch(const rt::DeviceBuffer &device, const RaceInputs &inputs) {
  rt::HostTensor host(DType::Float32, inputs.host().ht.shape());
  device.download(host.bytes());
  return host;
}

} // namespace tlc::test
