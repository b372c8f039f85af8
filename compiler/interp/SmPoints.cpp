// Which points of a tile the lanes of a warp visit.
#include "compiler/analysis/FragmentLayouts.h"
#include "compiler/interp/SmRegion.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;
using analysis::Coords;
using analysis::LinearLayout;
using tile::Space;

static LinearLayout withoutUnitDims(LinearLayout layout) {
  for (unsigned d = layout.rank(); d-- > 0 && layout.rank() > 1;)
    if (layout.shape()[d] == 1)
      layout = layout.sliceDim(d);
  return layout;
}

WarpPoints tlc::interp::visitPoints(const LinearLayout &layout,
                                    int64_t firstThread) {
  WarpPoints points;
  points.rank = layout.rank();
  points.registers = layout.numRegisters();
  points.coords.assign(points.registers * 32 * points.rank, 0);
  points.inside.assign(points.registers, 0);
  points.primary = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    int64_t thread = firstThread + lane;
    if (thread >= layout.numThreads())
      continue;
    points.primary |= uint32_t(layout.isPrimary(thread)) << lane;
    for (int64_t reg = 0; reg < points.registers; ++reg) {
      Coords at = layout.coords(reg, thread);
      bool inside = true;
      for (auto [d, c] : llvm::enumerate(at)) {
        inside &= c < layout.shape()[d];
        points.coords[(reg * 32 + lane) * points.rank + d] = c;
      }
      points.inside[reg] |= uint32_t(inside) << lane;
    }
  }
  return points;
}

/// Which points of `domain` the lanes of a warp visit in an operation: by its
/// own layout, that of a fragment it covers as a whole, or spread over the
/// threads of the role.
const WarpPoints &SmRun::pointsOf(Warp &warp, const SmNode &node,
                                  tile::FragmentLayoutAttr attr,
                                  ArrayRef<Value> buffers,
                                  ArrayRef<int64_t> domain) {
  auto [it, isNew] = pointCache.try_emplace({node.op, warp.index});
  if (!isNew)
    return it->second;
  int64_t threads = 32 * warp.roleWarps;
  std::optional<LinearLayout> layout;
  unsigned bits = 8;
  if (attr)
    layout = LinearLayout::parse(attr.getText());
  for (Value v : buffers) {
    const SmBuffer &buffer = program.buffer(v);
    bits = std::max(bits, 8 * sizeOf(buffer.elem));
    if (layout)
      continue;
    if (buffer.space == Space::Local)
      layout = LinearLayout::replicated(domain, threads);
    if (buffer.space == Space::Fragment &&
        program.registers[buffer.place].hasLayout) {
      LinearLayout own =
          withoutUnitDims(program.registers[buffer.place].layout);
      if (llvm::equal(own.shape(), domain))
        layout = own;
    }
  }
  if (!layout)
    layout = analysis::blockedLayout(domain, bits, threads,
                                     isa<tile::ParallelOp>(node.op) ? 4 : 16);
  if (!llvm::equal(layout->shape(), domain)) {
    problem(SmProblem::Fault, node.op,
            "layout does not describe the points of this operation");
    layout = analysis::blockedLayout(domain, bits, threads, 4);
  }
  it->second = visitPoints(*layout, 32 * (warp.index - warp.firstWarp));
  return it->second;
}
