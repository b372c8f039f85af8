// Copies and fills made by threads.
#include "compiler/conversion/SMToThreads/ExpandCopy.h"

#include "compiler/analysis/FragmentLayouts.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;
using analysis::Coords;
using analysis::LinearLayout;

Slice sm::makeSlice(Expander &x, ValueRange offsets, ArrayRef<int64_t> sizes) {
  Slice region;
  int next = 0;
  for (auto [offset, size] : llvm::zip(offsets, sizes)) {
    Value at = x.lookup(offset);
    region.offsets.push_back(constantOf(at) == 0 ? Value() : at);
    region.dims.push_back(size == 1 ? -1 : next++);
  }
  return region;
}

SmallVector<int64_t> sm::domainOf(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> shape;
  llvm::copy_if(sizes, std::back_inserter(shape),
                [](int64_t s) { return s != 1; });
  if (shape.empty())
    shape.push_back(1);
  return shape;
}

Value sm::convertElement(Arith &a, Value v, Type from, Type to) {
  OpBuilder &b = a.builder();
  Location loc = a.location();
  Type target = tile::getScalarType(to);
  if (v.getType() == target)
    return v;
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  auto fromFloat = dyn_cast<FloatType>(v.getType());
  auto toFloat = dyn_cast<FloatType>(target);
  if (fromFloat && toFloat) {
    if (fromFloat.getWidth() == toFloat.getWidth()) {
      v = arith::ExtFOp::create(b, loc, b.getF32Type(), v);
      return arith::TruncFOp::create(b, loc, target, v);
    }
    if (fromFloat.getWidth() < toFloat.getWidth())
      return arith::ExtFOp::create(b, loc, target, v);
    return arith::TruncFOp::create(b, loc, target, v);
  }
  if (fromFloat)
    return to.isUnsignedInteger()
               ? arith::FPToUIOp::create(b, loc, target, v).getResult()
               : arith::FPToSIOp::create(b, loc, target, v).getResult();
  if (toFloat)
    return isUnsigned ? arith::UIToFPOp::create(b, loc, target, v).getResult()
                      : arith::SIToFPOp::create(b, loc, target, v).getResult();
  if (v.getType().getIntOrFloatBitWidth() > target.getIntOrFloatBitWidth()) {
    if (target.isInteger(1)) {
      Value zero =
          arith::ConstantOp::create(b, loc, b.getZeroAttr(v.getType()));
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, v, zero);
    }
    return arith::TruncIOp::create(b, loc, target, v);
  }
  return isUnsigned ? arith::ExtUIOp::create(b, loc, target, v).getResult()
                    : arith::ExtSIOp::create(b, loc, target, v).getResult();
}

/// The layout of a copy: its own, that of a fragment it covers as a whole, or
/// vectors spread over the role.
FailureOr<LinearLayout> sm::layoutOfCopy(Expander &x, Operation *op,
                                         tile::FragmentLayoutAttr attr,
                                         ArrayRef<Value> buffers,
                                         ArrayRef<int64_t> domain) {
  if (attr)
    return x.parseLayout(op, attr);
  unsigned bits = 8;
  for (Value buffer : buffers) {
    auto type = cast<MemRefType>(buffer.getType());
    bits = std::max(bits, type.getElementTypeBitWidth());
    if (const Fragment *fragment = x.fragment(buffer)) {
      LinearLayout layout = fragment->layout;
      for (unsigned d = layout.rank(); d-- > 0 && layout.rank() > 1;)
        if (layout.shape()[d] == 1)
          layout = layout.sliceDim(d);
      if (llvm::equal(layout.shape(), domain))
        return layout;
    }
    if (tile::isInSpace(type, tile::Space::Local))
      return LinearLayout::replicated(domain, x.role().threads);
  }
  return analysis::blockedLayout(domain, bits, x.role().threads, 16);
}

LogicalResult Expander::expandCopy(tile::CopyOp op) {
  tile::CopyInst inst = op.getInst().value_or(tile::CopyInst::Vector);
  if (inst != tile::CopyInst::Vector && inst != tile::CopyInst::CpAsync)
    return op.emitError("only copies made by threads reach the thread program");
  SmallVector<int64_t> domain = domainOf(op.getSrcSizes());
  auto layout = layoutOfCopy(*this, op, op.getLayoutAttr(),
                             {op.getSrc(), op.getDst()}, domain);
  if (failed(layout))
    return failure();
  if (!llvm::equal(layout->shape(), domain) || !layout->isAdditive())
    return op.emitError("layout does not describe the region of the copy");
  Slice from = makeSlice(*this, op.getSrcOffsets(), op.getSrcSizes());
  Slice to = makeSlice(*this, op.getDstOffsets(), op.getDstSizes());
  bool load = tile::isInSpace(op.getDst(), tile::Space::Fragment);
  if (load != tile::isInSpace(op.getSrc(), tile::Space::Fragment)) {
    auto memory =
        CopyExpansion(*this, op, *layout)
            .endpoint(load ? op.getSrc() : op.getDst(), load ? from : to);
    if (failed(memory))
      return failure();
    if (memory->kind != Endpoint::Array)
      layout = vectorsFirst(*layout, *memory);
  }
  CopyExpansion expansion(*this, op, *layout);
  expansion.inGroups = inst == tile::CopyInst::CpAsync;
  auto src = expansion.endpoint(op.getSrc(), from);
  if (failed(src))
    return failure();
  auto dst = expansion.endpoint(op.getDst(), to);
  if (failed(dst))
    return failure();
  return expansion.emit(*src, *dst);
}

LogicalResult Expander::expandFill(tile::FillOp op) {
  SmallVector<int64_t> domain = domainOf(op.getSizes());
  auto layout =
      layoutOfCopy(*this, op, op.getLayoutAttr(), {op.getDst()}, domain);
  if (failed(layout))
    return failure();
  if (!llvm::equal(layout->shape(), domain) || !layout->isAdditive())
    return op.emitError("layout does not describe the region of the fill");
  CopyExpansion expansion(*this, op, *layout);
  auto dst = expansion.endpoint(
      op.getDst(), makeSlice(*this, op.getOffsets(), op.getSizes()));
  if (failed(dst))
    return failure();
  Endpoint src;
  src.kind = Endpoint::Constant;
  src.value = lookup(op.getValue());
  src.element = dst->element;
  return expansion.emit(src, *dst);
}
