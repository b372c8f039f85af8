#include "test/exec/war_race/Race.h"

#include "kernels/harness/Compare.h"

#include <algorithm>
#include <optional>

namespace tlc::test {

using kernels::StateProblem;

bool RaceOptions::selects(const std::string &form,
                          const std::string &release) const {
  return (structure.empty() || structure == form) &&
         (releases.empty() ||
          std::ranges::find(releases, release) != releases.end());
}

NextGeneration generationOf(const Forms &forms, const StateProblem &problem,
                            const std::string &structure) {
  std::int64_t depth = 0;
  for (const RaceVariant &variant : forms.list())
    if (variant.path == kernels::pathName(problem) &&
        variant.structure == structure && variant.rings.contains("h_shared"))
      depth = variant.rings.at("h_shared");
  const std::int64_t segment =
      problem.heads * kernels::kStateSize * kernels::kStateSize;
  return NextGeneration::of(problem.segments(), segment, depth,
                            problem.reverse);
}

namespace {
/// Outputs larger than this are left to the kernel's own host program.
constexpr std::int64_t kCheckedWords = std::int64_t{4} << 20;

/// What runs between the launches of a derived form: a kernel that changes 16
/// MB, and another path of the same kernel.
class Neighbours {
public:
  Neighbours(const Kernel *other, const RaceInputs &inputs)
      : changed(kWords * sizeof(std::uint32_t)),
        output(inputs.words() * sizeof(std::uint32_t)) {
    changed.fill(0);
    if (other)
      plan = other->prepareArguments(inputs.arguments(*other, output.data()));
    if (plan)
      plan->launch();
    rt::synchronizeDevice();
  }

  void enqueue(rt::cu::Stream stream, int launch) const {
    if (launch % 4 == 3 && plan)
      plan->launch(stream);
    else if (launch % 2 == 1)
      stir(stream, changed.data(), kWords);
  }

private:
  static constexpr std::int64_t kWords = std::int64_t{4} << 20;
  rt::DeviceBuffer changed, output;
  std::optional<Plan> plan;
};

/// One path at one shape, with its flags set in `inputs`.
struct Place {
  const RaceOptions &options;
  Forms &forms;
  Lane (&lanes)[2];
  const RaceInputs &inputs;
  StateProblem problem;
  std::string path, shape, mask;

  Cell cell(const std::string &structure, const std::string &release) const {
    return {structure, release, path, shape, mask, false, {}};
  }
  const Kernel *find(const std::string &structure,
                     const std::string &release) const {
    return forms.find(path, problem.heads, structure, release);
  }
};
} // namespace

/// Batches one after the other on one stream.
static RaceCounts launchBackToBack(const Place &place, const Kernel &kernel,
                                   const void *right,
                                   const NextGeneration &generation) {
  Lane &lane = place.lanes[0];
  lane.capture(kernel, place.inputs, right, generation);
  for (std::int64_t done = 0; done < place.options.defectLaunches;
       done += kBatch)
    lane.start();
  return lane.take();
}

/// Batches on two streams at once with other kernels between the launches.
static RaceCounts launchAmongOthers(const Place &place, const Kernel &kernel,
                                    const std::string &structure,
                                    const void *right,
                                    const NextGeneration &generation) {
  const std::string otherPath =
      (place.problem.stateVFirst ? "kv" : "vk") + place.path.substr(2);
  const Kernel *other =
      place.forms.find(otherPath, place.problem.heads, structure, "proxy");
  const Neighbours neighbours[] = {{other, place.inputs},
                                   {other, place.inputs}};
  for (int i = 0; i < 2; ++i)
    place.lanes[i].capture(kernel, place.inputs, right, generation,
                           [&, i](rt::cu::Stream stream, int launch) {
                             neighbours[i].enqueue(stream, launch);
                           });
  const auto cells =
      static_cast<std::int64_t>(allShapes().size() * std::size(kMasks));
  const std::int64_t wanted = (place.options.exactLaunches + cells - 1) / cells;
  for (std::int64_t done = 0; done < wanted; done += kTwoBatches)
    for (const Lane &lane : place.lanes)
      lane.start();
  RaceCounts counts = place.lanes[0].take();
  counts += place.lanes[1].take();
  return counts;
}

/// Whether what the launches are compared with is right itself.
static void checkRight(const Place &place, const std::string &structure,
                       const rt::DeviceBuffer &right, kernels::Report &report) {
  if (place.inputs.words() > kCheckedWords)
    return;
  const kernels::Difference difference = kernels::compare(
      fetch(right, place.inputs),
      kernels::stateReference(place.problem, place.inputs.host()),
      kernels::toleranceOf(place.problem));
  report.check(structure + " " + place.path + " " + place.shape + " mask " +
                   place.mask,
               difference.passed, difference.text());
}

static void runStructure(const Place &place, const std::string &structure,
                         Evidence &evidence, kernels::Report &report) {
  const Kernel *fenced = place.find(structure, "proxy");
  if (!fenced)
    return;
  const rt::DeviceBuffer right = runOnce(*fenced, place.inputs);
  checkRight(place, structure, right, report);
  const NextGeneration generation =
      generationOf(place.forms, place.problem, structure);
  for (const char *release : kDefects) {
    const Kernel *kernel = place.find(structure, release);
    if (!kernel || !place.options.selects(structure, release))
      continue;
    Cell cell = place.cell(structure, release);
    cell.isDefect = true;
    cell.counts = launchBackToBack(place, *kernel, right.data(), generation);
    evidence.add(cell);
  }
  for (const char *release : kDerived) {
    const Kernel *kernel = place.find(structure, release);
    if (!kernel || !place.options.selects(structure, release))
      continue;
    Cell cell = place.cell(structure, release);
    cell.counts =
        launchAmongOthers(place, *kernel, structure, right.data(), generation);
    evidence.add(cell);
  }
}

void collectEvidence(const RaceOptions &options, Forms &forms,
                     Evidence &evidence, kernels::Report &report) {
  const std::int64_t most = kernels::kStateSize * kernels::kStateSize * 16 * 32;
  Lane lanes[2]{Lane(most), Lane(most)};
  for (const RaceVariant &variant : forms.list())
    if (variant.file.empty() && options.selectsPath(variant.path) &&
        options.selects(variant.structure, variant.release))
      evidence.note(variant.structure + " " + variant.release + ", " +
                    variant.path + ": " + variant.problem);
  for (const Shape &shape : allShapes()) {
    // kv and vk read the same tensors.
    std::map<bool, std::unique_ptr<RaceInputs>> inputs;
    for (const std::string &path : allPaths()) {
      if (!options.selectsPath(path))
        continue;
      const StateProblem problem = problemOf(path, shape);
      std::unique_ptr<RaceInputs> &shared = inputs[problem.reverse];
      if (!shared)
        shared = std::make_unique<RaceInputs>(problem);
      for (const kernels::Mask mask : kMasks) {
        shared->setMask(mask);
        const Place place{options, forms, lanes,      *shared,
                          problem, path,  shape.name, kernels::nameOf(mask)};
        for (const char *structure : kStructures)
          runStructure(place, structure, evidence, report);
      }
    }
  }
}

} // namespace tlc::test
