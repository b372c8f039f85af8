// Products of a warpgroup: one instruction for each 64 rows, each cut of the
// columns and each 32 bytes of K.
#include "compiler/conversion/SMToThreads/Products.h"

#include "compiler/analysis/FragmentLayouts.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;
using analysis::LinearLayout;
using analysis::WgmmaOperand;
using target::MatrixType;

std::optional<MatrixType> sm::matrixType(Type element) {
  if (element.isF16())
    return MatrixType::F16;
  if (element.isBF16())
    return MatrixType::BF16;
  if (element.isF32())
    return MatrixType::TF32;
  if (isa<Float8E4M3FNType>(element))
    return MatrixType::E4M3;
  if (isa<Float8E5M2Type>(element))
    return MatrixType::E5M2;
  if (auto integer = dyn_cast<IntegerType>(element);
      integer && integer.getWidth() == 8)
    return integer.isUnsigned() ? MatrixType::U8 : MatrixType::S8;
  return std::nullopt;
}

FailureOr<Fragment> sm::accumulatorOf(Expander &x, Operation *op, Value c,
                                      const LinearLayout &expected) {
  const Fragment *fragment = x.fragment(c);
  if (!fragment)
    return op->emitError("accumulator is not a fragment of a tile.alloc");
  if (fragment->layout != expected)
    return op->emitError("accumulator has layout ")
           << fragment->layout.toString() << ", the product needs "
           << expected.toString();
  return *fragment;
}

FailureOr<MatrixStart> sm::matrixStart(Expander &x, Operation *op,
                                       const SharedTile &tile,
                                       ValueRange offsets) {
  MatrixStart start;
  Arith a = x.arith(op->getLoc());
  size_t rank = offsets.size();
  Value matrix;
  for (auto [i, old] : llvm::enumerate(offsets)) {
    Value offset = x.lookup(old);
    if (i + 2 < rank) {
      matrix = a.add(a.mul(matrix, tile.layout.shape()[i]), offset);
      continue;
    }
    auto constant = constantOf(offset);
    if (!constant)
      return op->emitError("product of a moving part of a shared tile is not "
                           "supported yet");
    (i + 2 == rank ? start.row : start.column) = *constant;
  }
  start.address = a.add(tile.address, a.mul(matrix, tile.layout.matrixBytes()));
  return start;
}

namespace {
/// An operand in shared memory: descriptors of its blocks.
struct DescriptorOperand {
  WgmmaOperand layout;
  Value descriptor; ///< of the warpgroup's first block
  int64_t startMN, startK;

  /// Distance of block (mn, k) in units of 16 bytes.
  int64_t distance(int64_t mn, int64_t k) const {
    return (layout.blockOffset(startMN + mn, startK + k) -
            layout.blockOffset(startMN, startK)) >>
           4;
  }
};
} // namespace

/// The order of the tile must be that of the product's numbering: of M or N,
/// and of K.
static LogicalResult checkOrder(WgmmaOp op, Value buffer,
                                const analysis::TileOrder &order, bool kColumns,
                                analysis::Order mn, analysis::Order k) {
  if ((kColumns ? order.columns : order.rows) == k &&
      (kColumns ? order.rows : order.columns) == mn)
    return success();
  return op.emitError("the elements of ")
         << tile::getBufferName(buffer)
         << " are not in the order of the product's numbering";
}

/// `group` (null: 0) counts `groups` blocks of `groupSize` along M or N, which
/// instructions take `block` at a time: they must begin where a descriptor can.
/// `kColumns`: K runs along the columns of the tile; M or N is in order `mn`.
static FailureOr<DescriptorOperand>
describe(Expander &x, WgmmaOp op, StringRef name, Value buffer,
         ValueRange offsets, bool kColumns, analysis::Order mn, Value group,
         int64_t groupSize, int64_t groups, int64_t block) {
  auto tile = x.sharedTile(op, buffer);
  if (failed(tile) ||
      failed(checkOrder(op, buffer, tile->layout.order(), kColumns, mn,
                        op.getPairK() ? analysis::Order::Pairs
                                      : analysis::Order::Natural)))
    return failure();
  bool kMajor = kColumns != tile->layout.order().transposed;
  std::string reason;
  auto layout = tile->layout.wgmmaOperand(kMajor, &reason);
  if (!layout)
    return op.emitError("wgmma cannot read ")
           << tile::getBufferName(buffer) << ": " << reason;
  auto start = matrixStart(x, op, *tile, offsets);
  if (failed(start))
    return failure();
  DescriptorOperand result{*layout, {}, start->row, start->column};
  if (!kColumns)
    std::swap(result.startMN, result.startK);
  int64_t unit =
      kMajor ? 8 : std::max<int64_t>(8, 8 * layout->span / layout->elementBits);
  unit = std::max(unit, analysis::period(mn));
  if (result.startMN % unit != 0 ||
      (groups * groupSize > block && block % unit != 0))
    return op.emitError("wgmma that begins inside of a swizzled panel of ")
           << tile::getBufferName(buffer) << " is not supported yet";
  Arith a = x.arith(op.getLoc());
  int64_t first = layout->blockOffset(result.startMN, result.startK);
  Value address = a.add(start->address, first);
  if (group) {
    int64_t step =
        layout->blockOffset(result.startMN + groupSize, result.startK) - first;
    address = a.add(address, a.mul(group, step));
  }
  result.descriptor =
      WgmmaDescOp::create(x.b, Expander::named(op.getLoc(), name), address,
                          static_cast<int64_t>(layout->descriptorBits()));
  return result;
}

namespace {
/// A product cut into instructions.
struct WgmmaPlan {
  const target::WgmmaShape *shape;
  int64_t M, N, K;
  int64_t mGroups, nGroups; ///< warpgroups along M and N
  int64_t columns, n;       ///< of a warpgroup, of an instruction

  int64_t rows() const { return M / (64 * mGroups); }
  int64_t steps() const { return K / shape->k; }
  unsigned bits() const { return target::bitWidth(shape->a); }
};
} // namespace

static FailureOr<WgmmaPlan> planWgmma(WgmmaOp op, int64_t roleWarps) {
  auto aType = matrixType(op.getA().getType().getElementType());
  auto bType = matrixType(op.getB().getType().getElementType());
  Type c = op.getC().getType().getElementType();
  MatrixType cType = c.isInteger(32) ? MatrixType::S32 : MatrixType::F32;
  const target::TargetInfo *info = target::lookupTarget("sm_90a");
  WgmmaPlan plan{};
  if (aType && bType && (c.isF32() || c.isInteger(32)))
    plan.shape = info->findWgmma(*aType, *bType, cType);
  if (!plan.shape)
    return op.emitError("wgmma of these element types is not supported yet");
  plan.M = op.getM();
  plan.N = op.getN();
  plan.K = op.getK();
  plan.mGroups = op.getWarpsM() / 4;
  plan.nGroups = op.getWarpsN();
  if (plan.mGroups < 1 || op.getWarpsM() % 4 != 0 ||
      4 * plan.mGroups * plan.nGroups != roleWarps)
    return op.emitError("warps of the product are not those of its role");
  plan.columns = plan.N / plan.nGroups;
  plan.n = target::TargetInfo::wgmmaN(*plan.shape, plan.columns);
  if (plan.n == 0 || plan.K % plan.shape->k != 0 ||
      plan.M % (64 * plan.mGroups) != 0)
    return op.emitError("no wgmma instruction for this tile");
  return plan;
}

/// Warpgroup g has row blocks g % mGroups and columns g / mGroups; null for 0.
static std::pair<Value, Value> groupIndices(Expander &x, Location loc,
                                            const WgmmaPlan &plan) {
  if (plan.mGroups * plan.nGroups == 1)
    return {};
  Arith a = x.arith(loc);
  Value warp = WarpOp::create(x.b, loc, x.role().firstWarp, x.role().warps);
  Value group = a.div(warp, 4);
  return {plan.mGroups == 1 ? Value() : a.rem(group, plan.mGroups),
          plan.nGroups == 1 ? Value() : a.div(group, plan.mGroups)};
}

/// One instruction after the other; `a` is null if A is in registers.
static void emitInstructions(Expander &x, WgmmaOp op, const WgmmaPlan &plan,
                             Value accumulator, const DescriptorOperand *aDesc,
                             const DescriptorOperand &bDesc, Value scale) {
  Location loc = op.getLoc();
  Arith a = x.arith(loc);
  const Fragment *fragment = x.fragment(op.getA());
  int64_t each = 32 / plan.bits() * 4;
  for (int64_t step = 0; step < plan.steps(); ++step)
    for (int64_t i = 0; i < plan.rows(); ++i) {
      int64_t k = step * plan.shape->k;
      SmallVector<Value> registers;
      Value aBlock;
      if (aDesc)
        aBlock =
            a.add(aDesc->descriptor, aDesc->distance(i * 64 * plan.mGroups, k));
      else
        registers =
            packRegisters(x, loc, *fragment, 4,
                          (i * plan.steps() + step) * each, plan.bits());
      for (int64_t j = 0; j < plan.columns / plan.n; ++j)
        WgmmaInstOp::create(
            x.b, loc, accumulator, i * (plan.columns / 2) + j * (plan.n / 2),
            aBlock, registers,
            a.add(bDesc.descriptor, bDesc.distance(j * plan.n, k)),
            step == 0 ? scale : Value(), plan.n, plan.shape->k,
            target::ptxName(plan.shape->a), target::ptxName(plan.shape->b),
            aDesc && !aDesc->layout.kMajor, !bDesc.layout.kMajor);
    }
}

LogicalResult Expander::expandWgmma(WgmmaOp op) {
  Location loc = op.getLoc();
  auto plan = planWgmma(op, role().warps);
  if (failed(plan))
    return failure();
  analysis::Numbering numbering{op.getQuadM(), op.getQuadN(), op.getPairK()};
  LinearLayout result = analysis::wgmmaAccumulator(
      plan->M, plan->N, plan->mGroups, plan->nGroups, numbering);
  auto fragment = accumulatorOf(*this, op, op.getC(),
                                op.getTransC() ? result.transpose() : result);
  if (failed(fragment))
    return failure();
  auto [rowGroup, columnGroup] = groupIndices(*this, loc, *plan);
  auto bOperand = describe(
      *this, op, "desc_b", op.getB(), op.getBOffsets(), op.getTransB(),
      numbering.quadN ? analysis::Order::Quads : analysis::Order::Natural,
      columnGroup, plan->columns, plan->nGroups, plan->n);
  if (failed(bOperand))
    return failure();
  std::optional<DescriptorOperand> aOperand;
  if (const Fragment *aFragment = this->fragment(op.getA())) {
    LinearLayout expected =
        analysis::operandALayout(plan->M, plan->K, plan->bits(),
                                 {4 * plan->mGroups, plan->nGroups}, numbering);
    if (op.getTransA())
      expected = expected.transpose();
    if (aFragment->layout != expected)
      return op.emitError("A has layout ")
             << aFragment->layout.toString() << ", the product needs "
             << expected.toString();
  } else {
    if (numbering.quadM)
      return op.emitError("rows of a shared operand A have the order of the "
                          "instruction");
    auto operand = describe(*this, op, "desc_a", op.getA(), op.getAOffsets(),
                            !op.getTransA(), analysis::Order::Natural, rowGroup,
                            64, plan->mGroups, 64);
    if (failed(operand))
      return failure();
    aOperand = *operand;
  }
  Value scale;
  if (op.getClear())
    scale = b.createOrFold<arith::XOrIOp>(loc, lookup(op.getClear()),
                                          arith(loc).boolean(true));
  emitInstructions(*this, op, *plan, fragment->array,
                   aOperand ? &*aOperand : nullptr, *bOperand, scale);
  return success();
}

/// A product that has not been waited for adds to the array.
static bool isInFlight(Expander &x, Operation *at, Value array) {
  for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode()) {
    if (isa<WgmmaWaitOp>(op))
      return false;
    if (auto product = dyn_cast<WgmmaOp>(op))
      if (const Fragment *f = x.fragment(product.getC()); f->array == array)
        return true;
  }
  return false;
}

/// Accumulators (and A in registers) of the products behind a fence up to
/// their commit must not change behind it. What is being added to stays
/// untouched.
void Expander::tieBeforeFence(WgmmaFenceOp op) {
  llvm::SmallSetVector<Value, 4> arrays;
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    if (isa<WgmmaCommitOp>(next))
      break;
    next->walk([&](WgmmaOp product) {
      for (Value operand : {Value(product.getC()), Value(product.getA())})
        if (const Fragment *f = fragment(operand))
          arrays.insert(f->array);
    });
  }
  for (Value array : arrays)
    if (!isInFlight(*this, op, array))
      KeepOp::create(b, op.getLoc(), array);
}

/// Behind a wait the accumulators of finished groups may be read, not before.
void Expander::tieAfterWait(WgmmaWaitOp op) {
  auto pending = static_cast<int64_t>(op.getPending());
  llvm::SmallSetVector<Value, 4> done, flying;
  auto collect = [&](Operation *from, auto &into) {
    from->walk([&](WgmmaOp product) {
      for (Value operand : {Value(product.getC()), Value(product.getA())}) {
        const Fragment *f = fragment(operand);
        // Fragments of other regions are not visible here.
        if (f && operand.getParentBlock()->findAncestorOpInBlock(*op))
          into.insert(f->array);
      }
    });
  };
  if (pending == 0) {
    Operation *scope = op->getParentOfType<RoleOp>();
    collect(scope ? scope : old.getOperation(), done);
  } else {
    // Groups committed after this point of the walk.
    int64_t newer = 0;
    for (Operation *p = op->getPrevNode(); p; p = p->getPrevNode()) {
      if (isa<WgmmaCommitOp>(p))
        ++newer;
      if (newer <= pending)
        collect(p, flying);
      else
        collect(p, done);
    }
  }
  for (Value array : done)
    if (!flying.contains(array))
      KeepOp::create(b, op.getLoc(), array);
}
