// Layouts of fragments. Products fix the layouts of their operands; those
// spread through copies between fragments and through parallel nests, which
// run a point where the elements it names are. A fragment that nothing reaches
// is distributed for its copies or its largest nest. Then every use is checked.
//
//   %acc: result of a product   -> accumulator layout
//   parallel (i, j) { acc[i, j] ... m[i] }
//                               -> nest like acc, m like acc without columns
#include "compiler/transforms/FragmentInference.h"

#include "compiler/analysis/FragmentLayouts.h"
#include "compiler/support/Remarks.h"
#include "compiler/transforms/UserText.h"

using namespace mlir;
using namespace tlc::analysis;

namespace tlc::tile {

static ArrayRef<int64_t> shapeOf(AllocOp alloc) {
  return alloc.getResult().getType().getShape();
}

static unsigned bitsOf(AllocOp alloc) {
  return storageBits(alloc.getResult().getType().getElementType());
}

//===----------------------------------------------------------------------===//
// What is fixed from the start
//===----------------------------------------------------------------------===//

LogicalResult FragmentInference::require(Value buffer, LinearLayout layout,
                                         Operation *origin, StringRef why) {
  AllocOp alloc = fragmentOf(buffer);
  if (!alloc)
    return origin->emitError() << "a fragment operand is not an allocation";
  if (assign(alloc, layout, origin, why) || *fragments[alloc].layout == layout)
    return success();
  const Fragment &fragment = fragments[alloc];
  InFlightDiagnostic diag =
      origin->emitError()
      << "the fragment '" << alloc.getName() << "' is needed here as " << why
      << ", but elsewhere as " << fragment.why
      << ", whose elements lie in other threads; this is not supported yet, "
         "copy it through a shared tile";
  diag.attachNote(fragment.origin->getLoc()) << "the other use";
  diag.attachNote(alloc.getLoc())
      << "'" << alloc.getName() << "' is declared here";
  return diag;
}

LogicalResult FragmentInference::seedGemm(GemmOp gemm) {
  if (!gemm.getInst() || !gemm.getWarpsM() || !gemm.getWarpsN())
    return gemm.emitError("has no instruction: tile-select-instructions runs "
                          "first");
  WarpPartition partition{int64_t(*gemm.getWarpsM()),
                          int64_t(*gemm.getWarpsN())};
  int64_t M = gemm.getM(), N = gemm.getN(), K = gemm.getK();
  bool wgmma = *gemm.getInst() != GemmInst::MmaSync;
  if (partition.m * partition.n * 32 != threads ||
      !isValidPartition(M, N, partition, wgmma))
    return gemm.emitError() << "T.gemm: " << partition.m << " x " << partition.n
                            << " warps do not split " << M << " x " << N
                            << " among " << threads << " threads";
  Numbering numbering{gemm.getQuadM(), gemm.getQuadN(), gemm.getPairK()};
  LinearLayout result = accumulatorLayout(M, N, partition, numbering);
  if (failed(require(gemm.getC(),
                     gemm.getTransC() ? result.transpose() : result, gemm,
                     "the result of a product")))
    return failure();
  auto operand = [&](Value buffer, bool transposed, StringRef why,
                     function_ref<LinearLayout(unsigned)> layout) {
    AllocOp alloc = fragmentOf(buffer);
    if (!alloc)
      return success();
    LinearLayout needed = layout(bitsOf(alloc));
    return require(buffer, transposed ? needed.transpose() : needed, gemm, why);
  };
  if (failed(operand(gemm.getA(), gemm.getTransA(), "operand A of a product",
                     [&](unsigned bits) {
                       return operandALayout(M, K, bits, partition, numbering);
                     })))
    return failure();
  return operand(
      gemm.getB(), gemm.getTransB(), "operand B of a product",
      [&](unsigned bits) { return operandBLayout(K, N, bits, partition); });
}

/// An element that all threads use: each of them has the whole fragment.
void FragmentInference::seedScalarAccess(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  Value buffer = load ? load.getBuffer() : cast<StoreOp>(op).getBuffer();
  AllocOp alloc = fragmentOf(buffer);
  if (!alloc || op->getParentOfType<ParallelOp>())
    return;
  scalarAccesses.push_back(op);
  assign(alloc, LinearLayout::replicated(shapeOf(alloc), threads), op,
         "elements that every thread uses");
}

LogicalResult FragmentInference::collectNest(ParallelOp op) {
  FailureOr<SmallVector<FragmentAccess>> accesses = collectFragmentAccesses(op);
  if (failed(accesses))
    return failure();
  // A nest without points moves nothing and asks for nothing.
  if (accesses->empty() || llvm::is_contained(op.getExtents(), 0))
    return success();
  Nest nest{op, std::move(*accesses), std::nullopt};
  if (op.getLayout())
    nest.layout = LinearLayout::parse(op.getLayoutAttr().getText());
  nests.push_back(std::move(nest));
  return success();
}

LogicalResult FragmentInference::collect() {
  bool ok = true;
  launch.walk([&](AllocOp alloc) {
    if (!fragmentOf(alloc.getResult()))
      return;
    if (shapeOf(alloc).empty()) {
      alloc.emitError() << "the fragment '" << alloc.getName()
                        << "' has no dimensions, one or more are needed";
      ok = false;
    }
    Fragment &fragment = fragments[alloc];
    if (alloc.getLayout())
      fragment = {getLayout(alloc), alloc, "the layout given by the program"};
  });
  if (!ok)
    return failure();
  launch.walk([&](Operation *op) {
    if (auto gemm = dyn_cast<GemmOp>(op))
      ok &= succeeded(seedGemm(gemm));
    else if (auto nest = dyn_cast<ParallelOp>(op))
      ok &= succeeded(collectNest(nest));
    else if (auto copy = dyn_cast<CopyOp>(op);
             copy && (fragmentOf(copy.getSrc()) || fragmentOf(copy.getDst())))
      copies.push_back(copy);
  });
  launch.walk([&](Operation *op) {
    if (isa<LoadOp, StoreOp>(op))
      seedScalarAccess(op);
  });
  return success(ok);
}

//===----------------------------------------------------------------------===//
// What follows from it
//===----------------------------------------------------------------------===//

bool FragmentInference::assign(AllocOp alloc, const LinearLayout &layout,
                               Operation *origin, StringRef why) {
  Fragment &fragment = fragments[alloc];
  if (fragment.layout)
    return false;
  fragment = {layout, origin, why.str()};
  return true;
}

bool FragmentInference::propagateCopy(CopyOp copy) {
  AllocOp src = fragmentOf(copy.getSrc()), dst = fragmentOf(copy.getDst());
  if (!src || !dst || isKnown(src) == isKnown(dst) ||
      copy.getSrcSizes() != shapeOf(src) || copy.getDstSizes() != shapeOf(dst))
    return false;
  AllocOp known = isKnown(src) ? src : dst, other = isKnown(src) ? dst : src;
  std::optional<LinearLayout> layout =
      overNonUnit(*fragments[known].layout, shapeOf(known));
  if (layout)
    layout = withUnitDims(*layout, shapeOf(other));
  return layout &&
         assign(other, *layout, copy,
                "the partner of '" + known.getName().str() + "' in a copy");
}

/// Chooses who runs the points from a fragment with a known layout: one that
/// names all variables first, and of those one that is written. Waits for one
/// that names all variables and has no layout yet.
bool FragmentInference::layOutNest(Nest &nest) {
  const FragmentAccess *best = nullptr;
  bool waits = false;
  auto rank = [&](const FragmentAccess &access) {
    return 2 * access.namesAllVars(nest.extents()) + access.isWrite;
  };
  for (const FragmentAccess &access : nest.accesses) {
    if (access.isExpression())
      continue;
    if (!isKnown(access.fragment))
      waits |= access.namesAllVars(nest.extents());
    else if (!best || rank(access) > rank(*best))
      best = &access;
  }
  if (!best || (waits && !best->namesAllVars(nest.extents())))
    return false;
  nest.layout =
      layoutOfPoints(*fragments[best->fragment].layout, *best, nest.extents());
  return nest.layout.has_value();
}

bool FragmentInference::propagateNest(Nest &nest) {
  if (!nest.layout)
    return layOutNest(nest);
  bool changed = false;
  for (const FragmentAccess &access : nest.accesses) {
    if (isKnown(access.fragment) || access.isExpression() ||
        access.reached(nest.extents()) != access.shape())
      continue;
    changed |= assign(access.fragment,
                      layoutOfElements(*nest.layout, access, nest.extents()),
                      nest.op, "what this loop needs");
  }
  return changed;
}

bool FragmentInference::propagate() {
  bool changed = false;
  for (CopyOp copy : copies)
    changed |= propagateCopy(copy);
  for (Nest &nest : nests)
    changed |= propagateNest(nest);
  return changed;
}

//===----------------------------------------------------------------------===//
// What is free
//===----------------------------------------------------------------------===//

/// The width that copies to and from memory can use. Nests run point by point:
/// if only they move the fragment, neighbouring threads take neighbours.
int64_t FragmentInference::defaultVectorBytes(AllocOp alloc) {
  constexpr int64_t widest = 16;
  int64_t bytes = widest, element = bitsOf(alloc) / 8;
  bool copied = false;
  for (CopyOp copy : copies) {
    AllocOp src = fragmentOf(copy.getSrc()), dst = fragmentOf(copy.getDst());
    if ((src && dst) || (src != alloc && dst != alloc))
      continue;
    copied = true;
    bytes = std::min(bytes, copyVectorBytes(copy));
  }
  for (Nest &nest : nests)
    for (const FragmentAccess &access : nest.accesses)
      if (!copied && access.fragment == alloc && touchesMemory(nest.op))
        bytes = element;
  return std::max(bytes, element);
}

LinearLayout FragmentInference::defaultLayout(AllocOp alloc) {
  return distribute(shapeOf(alloc), bitsOf(alloc), threads,
                    defaultVectorBytes(alloc));
}

/// A nest over the same rectangle that uses a fragment of `nest` in the same
/// way suits `nest` too, e.g. two nests that scale rows by the same vector.
bool FragmentInference::borrowLayout(Nest &nest) {
  for (Nest &other : nests) {
    if (!other.layout || other.extents() != nest.extents())
      continue;
    for (const FragmentAccess &mine : nest.accesses)
      for (const FragmentAccess &theirs : other.accesses)
        if (mine.fragment == theirs.fragment && mine.vars == theirs.vars &&
            !mine.isExpression()) {
          nest.layout = other.layout;
          return true;
        }
  }
  return false;
}

/// The points of a nest, or the fragment that will decide about them.
bool FragmentInference::assignNestDefault(Nest &nest) {
  if (borrowLayout(nest))
    return true;
  const FragmentAccess *written = nullptr;
  for (const FragmentAccess &access : nest.accesses) {
    // A dimension that each thread must have whole follows from the nest.
    if (isKnown(access.fragment) || access.isExpression() ||
        access.hasPrivateDim())
      continue;
    if (access.namesAllVars(nest.extents()))
      return assign(access.fragment, defaultLayout(access.fragment), access.op,
                    "a distribution for this loop");
    if (access.isWrite && !written)
      written = &access;
  }
  if (written)
    return assign(written->fragment, defaultLayout(written->fragment),
                  written->op, "a distribution for this loop");
  nest.layout = distribute(nest.extents(), 32, threads, 4);
  return true;
}

/// Lays out one more thing when nothing follows any more: the largest nest
/// that has no layout, those that ask for whole rows in a thread first; then
/// single fragments.
bool FragmentInference::assignDefault() {
  Nest *largest = nullptr;
  auto rank = [&](Nest &nest) {
    bool wantsRows = llvm::any_of(nest.accesses, [&](FragmentAccess &access) {
      return access.hasPrivateDim() && !isKnown(access.fragment);
    });
    return std::pair(wantsRows, nest.numPoints());
  };
  for (Nest &nest : nests)
    if (!nest.layout && (!largest || rank(nest) > rank(*largest)))
      largest = &nest;
  if (largest)
    return assignNestDefault(*largest);
  for (auto &[op, fragment] : fragments)
    if (!fragment.layout)
      return assign(cast<AllocOp>(op), defaultLayout(cast<AllocOp>(op)), op,
                    "a distribution for its copies");
  return false;
}

//===----------------------------------------------------------------------===//
// Result
//===----------------------------------------------------------------------===//

void FragmentInference::record() {
  MLIRContext *context = launch.getContext();
  for (auto &[op, fragment] : fragments) {
    auto alloc = cast<AllocOp>(op);
    alloc.setLayoutAttr(layoutAttr(context, *fragment.layout));
    emitDecision(alloc, "layout",
                 "'" + alloc.getName() + "' is laid out as " + fragment.why);
  }
  for (Nest &nest : nests)
    nest.op.setLayoutAttr(layoutAttr(context, *nest.layout));
}

LogicalResult FragmentInference::run() {
  if (failed(collect()))
    return failure();
  do {
    while (propagate())
      ;
  } while (assignDefault());
  if (failed(check()))
    return failure();
  record();
  return success();
}

LogicalResult inferFragmentLayouts(LaunchOp launch) {
  return FragmentInference(launch).run();
}

} // namespace tlc::tile
