// Rules of tile programs that ODS cannot say, one helper a rule.
#include "dialects/tile/Workspaces.h"

using namespace mlir;
using namespace tlc::tile;

/// A region names one offset and one positive size for each dimension.
static LogicalResult verifyRegion(Operation *op, StringRef what, Value buffer,
                                  size_t offsets, ArrayRef<int64_t> sizes) {
  auto type = cast<MemRefType>(buffer.getType());
  size_t rank = type.getRank();
  if (offsets != rank || sizes.size() != rank)
    return op->emitOpError()
           << what << " has rank " << rank << ", but " << offsets
           << " offsets and " << sizes.size() << " sizes are given";
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (size <= 0)
      return op->emitOpError()
             << what << " has size " << size << " in dimension " << i
             << ", sizes are positive";
    int64_t dim = type.getDimSize(i);
    if (getSpace(type) != Space::Global && size > dim)
      return op->emitOpError()
             << what << " has size " << size << " in dimension " << i
             << " of a buffer with " << dim;
  }
  return success();
}

static SmallVector<int64_t> nonUnit(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> result;
  llvm::copy_if(sizes, std::back_inserter(result),
                [](int64_t s) { return s != 1; });
  return result;
}

/// Element access: as many indices as dimensions, the scalar type of the
/// element.
static LogicalResult verifyElement(Operation *op, MemRefType type,
                                   size_t indices, Type scalar) {
  if (indices != static_cast<size_t>(type.getRank()))
    return op->emitOpError() << "buffer has rank " << type.getRank() << ", but "
                             << indices << " indices are given";
  if (scalar != getScalarType(type.getElementType()))
    return op->emitOpError()
           << "value of type " << scalar << " does not match element type "
           << type.getElementType();
  return success();
}

StringRef KernelOp::getArgName(unsigned i) {
  ArrayAttr names = i < getNumParams() ? getParamNames() : getSymbolNames();
  unsigned index = i < getNumParams() ? i : i - getNumParams();
  if (index >= names.size())
    return "arg";
  return cast<StringAttr>(names[index]).getValue();
}

/// `tile.workspaces`, where it is there, counts tensors at the end of the
/// parameters.
static LogicalResult verifyWorkspaces(KernelOp kernel) {
  Attribute attribute = kernel->getAttr(kWorkspacesAttr);
  if (!attribute)
    return success();
  auto count = dyn_cast<IntegerAttr>(attribute);
  if (!count || !count.getType().isInteger(64) || count.getInt() < 1 ||
      count.getInt() > kernel.getNumParams())
    return kernel.emitOpError() << kWorkspacesAttr
                                << " must be an i64 of 1 to the number of "
                                   "parameters";
  for (unsigned i = getNumPassed(kernel); i < kernel.getNumParams(); ++i)
    if (!isa<MemRefType>(kernel.getParam(i).getType()))
      return kernel.emitOpError() << "workspace " << i << " is no tensor";
  return success();
}

/// `tile.outputs`, where it is there, lists tensor parameters, each once.
static LogicalResult verifyOutputs(KernelOp kernel) {
  Attribute attribute = kernel->getAttr("tile.outputs");
  if (!attribute)
    return success();
  auto outputs = dyn_cast<DenseI64ArrayAttr>(attribute);
  if (!outputs)
    return kernel.emitOpError("tile.outputs must be an array of i64");
  SmallVector<int64_t> seen;
  for (int64_t i : outputs.asArrayRef()) {
    if (i < 0 || i >= getNumPassed(kernel) ||
        !isa<MemRefType>(kernel.getParam(i).getType()))
      return kernel.emitOpError()
             << "output " << i << " is no tensor parameter";
    if (llvm::is_contained(seen, i))
      return kernel.emitOpError() << "output " << i << " is listed twice";
    seen.push_back(i);
  }
  return success();
}

LogicalResult KernelOp::verify() {
  unsigned params = getNumParams(), symbols = getSymbolNames().size();
  if (getBody().getNumArguments() != params + symbols)
    return emitOpError() << "has " << getBody().getNumArguments()
                         << " block arguments for " << params
                         << " parameters and " << symbols << " sizes";
  if (getParamShapes().size() != params)
    return emitOpError() << "has " << getParamShapes().size() << " shapes for "
                         << params << " parameters";
  for (unsigned i = 0; i < params; ++i) {
    auto mapAttr = dyn_cast<AffineMapAttr>(getParamShapes()[i]);
    if (!mapAttr)
      return emitOpError() << "shape " << i << " is not an affine map";
    AffineMap map = mapAttr.getValue();
    auto memref = dyn_cast<MemRefType>(getParam(i).getType());
    if (memref && !isInSpace(memref, Space::Global))
      return emitOpError() << "parameter " << i << " is not a global buffer";
    int64_t rank = memref ? memref.getRank() : 0;
    if (map.getNumResults() != rank || map.getNumDims() != 0 ||
        map.getNumSymbols() != symbols)
      return emitOpError() << "shape of parameter " << i << " must map the "
                           << symbols << " sizes to " << rank << " dimensions";
  }
  for (unsigned i = 0; i < symbols; ++i)
    if (!getSymbolValue(i).getType().isInteger(32))
      return emitOpError() << "size " << i << " must be i32";
  if (failed(verifyWorkspaces(*this)))
    return failure();
  return verifyOutputs(*this);
}

LogicalResult LaunchOp::verify() {
  if (getGrid().empty() || getGrid().size() > 3)
    return emitOpError("needs 1 to 3 grid extents");
  if (getThreads().size() != 3)
    return emitOpError("needs 3 thread extents");
  for (int64_t t : getThreads())
    if (t <= 0)
      return emitOpError() << "thread extent " << t << " is not positive";
  if (getBody().getNumArguments() != getGrid().size())
    return emitOpError("needs one block index for each grid extent");
  for (BlockArgument arg : getBody().getArguments())
    if (!arg.getType().isInteger(32))
      return emitOpError("block indices are i32");
  return success();
}

LogicalResult AllocOp::verify() {
  MemRefType type = getResult().getType();
  Space space = getSpace(type);
  if (space == Space::Global)
    return emitOpError("cannot allocate a global buffer");
  if (!type.hasStaticShape())
    return emitOpError("needs a static shape");
  if (getSwizzle() && space != Space::Shared)
    return emitOpError("only a shared buffer has a swizzle");
  if (getLayout() && space != Space::Fragment)
    return emitOpError("only a fragment has a layout");
  return success();
}

LogicalResult CopyOp::verify() {
  if (failed(verifyRegion(*this, "source", getSrc(), getSrcOffsets().size(),
                          getSrcSizes())) ||
      failed(verifyRegion(*this, "destination", getDst(),
                          getDstOffsets().size(), getDstSizes())))
    return failure();
  if (nonUnit(getSrcSizes()) != nonUnit(getDstSizes()))
    return emitOpError() << "source sizes [" << getSrcSizes()
                         << "] and destination sizes [" << getDstSizes()
                         << "] do not pair up";
  return success();
}

LogicalResult FillOp::verify() {
  if (failed(verifyRegion(*this, "destination", getDst(), getOffsets().size(),
                          getSizes())))
    return failure();
  if (getValue().getType() !=
      getScalarType(getDst().getType().getElementType()))
    return emitOpError() << "value of type " << getValue().getType()
                         << " does not match element type "
                         << getDst().getType().getElementType();
  return success();
}

LogicalResult AccessPtrOp::verify() {
  return verifyRegion(*this, "region", getBuffer(), getOffsets().size(),
                      getSizes());
}

/// The last two sizes are the matrix, the ones before are 1.
static LogicalResult verifyMatrix(GemmOp op, StringRef what,
                                  ArrayRef<int64_t> sizes) {
  if (sizes.size() < 2)
    return op.emitOpError() << what << " needs at least 2 dimensions";
  for (int64_t s : sizes.drop_back(2))
    if (s != 1)
      return op.emitOpError()
             << "leading dimensions of " << what << " have size 1, got " << s;
  return success();
}

LogicalResult GemmOp::verify() {
  if (failed(verifyRegion(*this, "A", getA(), getAOffsets().size(),
                          getASizes())) ||
      failed(verifyRegion(*this, "B", getB(), getBOffsets().size(),
                          getBSizes())) ||
      failed(verifyMatrix(*this, "A", getASizes())) ||
      failed(verifyMatrix(*this, "B", getBSizes())))
    return failure();
  if (isInSpace(getA(), Space::Global) || isInSpace(getB(), Space::Global))
    return emitOpError("operands are shared tiles or fragments");
  if (getC().getType().getRank() != 2)
    return emitOpError("C has 2 dimensions");
  auto last2 = [](ArrayRef<int64_t> s, bool swap) {
    int64_t r = s[s.size() - 2], c = s[s.size() - 1];
    return swap ? std::pair(c, r) : std::pair(r, c);
  };
  auto [m, ka] = last2(getASizes(), getTransA());
  auto [kb, n] = last2(getBSizes(), getTransB());
  if (m != getM() || n != getN() || ka != kb)
    return emitOpError() << "computes " << getM() << "x" << getN()
                         << " from op(A) " << m << "x" << ka << " and op(B) "
                         << kb << "x" << n;
  return success();
}

LogicalResult ParallelOp::verify() {
  if (getExtents().empty())
    return emitOpError("needs at least one extent");
  for (int64_t e : getExtents())
    if (e < 0)
      return emitOpError() << "extent " << e << " is negative";
  if (getBody().getNumArguments() != getExtents().size())
    return emitOpError("needs one loop variable for each extent");
  for (BlockArgument arg : getBody().getArguments())
    if (!arg.getType().isInteger(32))
      return emitOpError("loop variables are i32");
  return success();
}

LogicalResult PipelinedOp::verify() {
  if (getNumStagesAttr().getInt() < 0)
    return emitOpError("number of stages is negative");
  if (getBody().getNumArguments() != 1 ||
      !getBody().getArgument(0).getType().isInteger(32))
    return emitOpError("needs one i32 loop variable");
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyElement(*this, getBuffer().getType(), getIndices().size(),
                       getResult().getType());
}

LogicalResult StoreOp::verify() {
  return verifyElement(*this, getBuffer().getType(), getIndices().size(),
                       getValue().getType());
}

/// What atom supports (PTX ISA, atom); max and min of floats do not exist.
static bool isAtomicType(AtomicKind kind, Type element) {
  bool integer = element.isInteger(32) || element.isInteger(64);
  bool addable =
      element.isF16() || element.isBF16() || element.isF32() || element.isF64();
  switch (kind) {
  case AtomicKind::Max:
  case AtomicKind::Min:
  case AtomicKind::Or:
    return integer;
  case AtomicKind::Add:
  case AtomicKind::Load:
  case AtomicKind::Store:
    return integer || addable;
  }
  return false;
}

LogicalResult AtomicOp::verify() {
  MemRefType type = getBuffer().getType();
  if (!isInSpace(type, Space::Global) && !isInSpace(type, Space::Shared))
    return emitOpError("accesses a global or shared element");
  if (!isAtomicType(getKind(), type.getElementType()))
    return emitOpError() << stringifyAtomicKind(getKind())
                         << " of elements of type " << type.getElementType()
                         << " does not exist";
  if (bool(getValue()) == (getKind() == AtomicKind::Load))
    return emitOpError(getValue() ? "load takes no value" : "needs a value");
  if (getKind() == AtomicKind::Load && !getResult())
    return emitOpError("load has a result");
  if (getKind() == AtomicKind::Store && getResult())
    return emitOpError("store has no result");
  MemoryOrder order = getOrder();
  bool acquires = order == MemoryOrder::Acquire || order == MemoryOrder::AcqRel;
  bool releases = order == MemoryOrder::Release || order == MemoryOrder::AcqRel;
  if ((getKind() == AtomicKind::Load && releases) ||
      (getKind() == AtomicKind::Store && acquires))
    return emitOpError() << stringifyAtomicKind(getKind()) << " cannot be "
                         << stringifyMemoryOrder(order);
  for (Value v : {getValue(), getResult()})
    if (v &&
        failed(verifyElement(*this, type, getIndices().size(), v.getType())))
      return failure();
  return success();
}
