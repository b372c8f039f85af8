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

/// `group` counts blocks of `groupSize` along M or N; null: one group.
static FailureOr<DescriptorOperand> describe(Expander &x, WgmmaOp op,
                                             StringRef name, Value buffer,
                                             ValueRange offsets, bool kMajor,
                                             Value group, int64_t groupSize) {
  auto tile = x.sharedTile(op, buffer);
  if (failed(tile))
    return failure();
  std::string reason;
  auto layout = tile->layout.wgmmaOperand(kMajor, &reason);
  if (!layout)
    return op.emitError("wgmma cannot read ")
           << tile::getBufferName(buffer) << ": " << reason;
  auto start = matrixStart(x, op, *tile, offsets);
  if (failed(start))
    return failure();
  DescriptorOperand result{*layout, {}, start->row, start->column};
  if (!kMajor)
    std::swap(result.startMN, result.startK);
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

LogicalResult Expander::expandWgmma(WgmmaOp op) {
  Location loc = op.getLoc();
  Arith a = arith(loc);
  Type aElement = op.getA().getType().getElementType();
  Type bElement = op.getB().getType().getElementType();
  Type cElement = op.getC().getType().getElementType();
  auto aType = matrixType(aElement), bType = matrixType(bElement);
  MatrixType cType = cElement.isF16()         ? MatrixType::F16
                     : cElement.isInteger(32) ? MatrixType::S32
                                              : MatrixType::F32;
  const target::TargetInfo *info = target::lookupTarget("sm_90a");
  const target::WgmmaShape *shape =
      aType && bType ? info->findWgmma(*aType, *bType, cType) : nullptr;
  if (!shape || cType == MatrixType::F16)
    return op.emitError("wgmma of these element types is not supported yet");
  int64_t M = op.getC().getType().getDimSize(0);
  int64_t N = op.getC().getType().getDimSize(1);
  int64_t K = op.getASizes()[op.getASizes().size() - (op.getTransA() ? 2 : 1)];
  int64_t mGroups = op.getWarpsM() / 4, nGroups = op.getWarpsN();
  if (mGroups < 1 || op.getWarpsM() % 4 != 0 ||
      static_cast<int64_t>(op.getWarpsM()) * nGroups != role().warps)
    return op.emitError("warps of the product are not those of its role");
  auto fragment = accumulatorOf(
      *this, op, op.getC(), analysis::wgmmaAccumulator(M, N, mGroups, nGroups));
  if (failed(fragment))
    return failure();
  int64_t columns = N / nGroups,
          n = target::TargetInfo::wgmmaN(*shape, columns);
  if (n == 0 || K % shape->k != 0)
    return op.emitError("no wgmma instruction for this tile");
  // Warpgroup g has row blocks g % mGroups and columns g / mGroups.
  Value rowGroup, columnGroup;
  if (mGroups * nGroups > 1) {
    Value warp = WarpOp::create(b, loc, role().firstWarp, role().warps);
    Value group = a.div(warp, 4);
    rowGroup = a.rem(group, mGroups);
    columnGroup = a.div(group, mGroups);
    if (mGroups == 1)
      rowGroup = {};
    if (nGroups == 1)
      columnGroup = {};
  }
  auto bOperand = describe(*this, op, "desc_b", op.getB(), op.getBOffsets(),
                           op.getTransB(), columnGroup, columns);
  if (failed(bOperand))
    return failure();
  std::optional<DescriptorOperand> aOperand;
  const Fragment *aFragment = this->fragment(op.getA());
  if (aFragment) {
    auto expected = analysis::operandALayout(
        M, K, target::bitWidth(*aType),
        {static_cast<int64_t>(op.getWarpsM()), nGroups});
    if (aFragment->layout != expected)
      return op.emitError("A has layout ")
             << aFragment->layout.toString() << ", the product needs "
             << expected.toString();
  } else {
    auto operand = describe(*this, op, "desc_a", op.getA(), op.getAOffsets(),
                            !op.getTransA(), rowGroup, 64);
    if (failed(operand))
      return failure();
    aOperand = *operand;
  }
  Value scale;
  if (op.getClear())
    scale = b.createOrFold<arith::XOrIOp>(loc, lookup(op.getClear()),
                                          a.boolean(true));
  int64_t rows = M / (64 * mGroups), perInst = n / 2;
  int64_t elements = 32 / target::bitWidth(*aType) * 4;
  for (int64_t k = 0; k < K; k += shape->k)
    for (int64_t i = 0; i < rows; ++i) {
      SmallVector<Value> registers;
      Value aDesc;
      if (aFragment)
        registers =
            packRegisters(*this, loc, *aFragment, 4,
                          (i * (K / shape->k) + k / shape->k) * elements,
                          target::bitWidth(*aType));
      else
        aDesc = a.add(aOperand->descriptor,
                      aOperand->distance(i * 64 * mGroups, k));
      for (int64_t j = 0; j < columns / n; ++j) {
        Value bDesc = a.add(bOperand->descriptor, bOperand->distance(j * n, k));
        WgmmaInstOp::create(b, loc, fragment->array,
                            i * (columns / 2) + j * perInst, aDesc, registers,
                            bDesc, k == 0 ? scale : Value(), n, shape->k,
                            target::ptxName(*aType), target::ptxName(*bType),
                            !aFragment && op.getTransA(), !op.getTransB());
      }
    }
  return success();
}

/// Accumulators (and A in registers) of the products behind a fence up to
/// their commit must not change behind it.
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
