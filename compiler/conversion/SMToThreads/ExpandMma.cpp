// Products of single warps: mma.sync m16n8, operands by ldmatrix (16 bits), by
// words (tf32) or from fragments.
#include "compiler/conversion/SMToThreads/ExpandCopy.h"
#include "compiler/conversion/SMToThreads/Products.h"

#include "compiler/analysis/FragmentLayouts.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;
using analysis::Coords;
using analysis::Digit;
using analysis::LinearLayout;
using analysis::WarpPartition;

SmallVector<Value> sm::packRegisters(Expander &x, Location loc,
                                     const Fragment &fragment, int64_t count,
                                     int64_t first, unsigned bits) {
  OpBuilder &b = x.b;
  Arith a = x.arith(loc);
  int64_t each = 32 / bits;
  Type element = tile::getScalarType(
      cast<MemRefType>(fragment.array.getType()).getElementType());
  SmallVector<Value> registers;
  for (int64_t r = 0; r < count; ++r) {
    SmallVector<Value> parts;
    for (int64_t e = 0; e < each; ++e)
      parts.push_back(tile::LoadOp::create(b, loc, element, fragment.array,
                                           a.i32(first + r * each + e), true));
    registers.push_back(BitPackOp::create(b, loc, b.getI32Type(), parts));
  }
  return registers;
}

namespace {
/// One operand: registers of its block `block` (16 rows of A, 8 or 16 columns
/// of B) at K step `step`.
class Operand {
public:
  Operand(Expander &x, MmaOp op) : x(x), op(op), loc(op.getLoc()) {}

  /// `layout`: the rows whose addresses the lanes give (ldmatrix), or the
  /// elements that they hold (words, fragment); dimensions (M or N, K).
  LogicalResult open(Value buffer, ValueRange offsets, bool swapped,
                     const LinearLayout &matrixRows,
                     const LinearLayout &elements, unsigned bits,
                     int64_t perBlock);
  SmallVector<Value> load(int64_t block, int64_t step, int64_t steps);

private:
  Value addressAt(int64_t reg);

  Expander &x;
  MmaOp op;
  Location loc;
  const Fragment *fragment = nullptr;
  std::optional<Points> points;
  std::optional<SharedAccess> access;
  bool transpose = false, words = false;
  unsigned bits = 16;
  int64_t registers = 4;
};
} // namespace

LogicalResult Operand::open(Value buffer, ValueRange offsets, bool swapped,
                            const LinearLayout &matrixRows,
                            const LinearLayout &elements, unsigned elementBits,
                            int64_t perBlock) {
  bits = elementBits;
  registers = perBlock;
  if ((fragment = x.fragment(buffer))) {
    LinearLayout expected = swapped ? elements.transpose() : elements;
    if (fragment->layout != expected)
      return op.emitError("operand has layout ")
             << fragment->layout.toString() << ", the product needs "
             << expected.toString();
    return success();
  }
  auto tile = x.sharedTile(op, buffer);
  if (failed(tile))
    return failure();
  words = bits == 32;
  if (!words && !tile->layout.order().isNatural())
    return op.emitError("ldmatrix does not read '")
           << tile::getBufferName(buffer)
           << "', whose elements are in another order";
  transpose = swapped;
  LinearLayout layout = words ? elements : matrixRows;
  if (swapped)
    layout = layout.transpose();
  Slice region;
  size_t rank = offsets.size();
  for (auto [i, offset] : llvm::enumerate(offsets)) {
    Value at = x.lookup(offset);
    region.offsets.push_back(constantOf(at) == 0 ? Value() : at);
    region.dims.push_back(static_cast<int>(i) - static_cast<int>(rank - 2));
    if (region.dims.back() < 0)
      region.dims.back() = -1;
  }
  points.emplace(x, loc, layout, 1);
  access.emplace(*points, *tile, region);
  access->prepare();
  return success();
}

/// The loop variables of register `reg`, as constants.
Value Operand::addressAt(int64_t reg) {
  Arith a = x.arith(loc);
  SmallVector<Value> ivs;
  for (const RegDigit &digit : points->digits())
    ivs.push_back(a.i32(reg / digit.reg % digit.count));
  return access->address(ivs);
}

SmallVector<Value> Operand::load(int64_t block, int64_t step, int64_t steps) {
  OpBuilder &b = x.b;
  int64_t at = block * steps + step;
  if (fragment)
    return packRegisters(x, loc, *fragment, registers,
                         at * registers * (32 / bits), bits);
  if (!words) {
    auto load =
        LdMatrixOp::create(b, loc, SmallVector<Type>(registers, b.getI32Type()),
                           addressAt(at), transpose);
    return SmallVector<Value>(load.getRegisters());
  }
  SmallVector<Value> result;
  for (int64_t r = 0; r < registers; ++r)
    result.push_back(LdSharedOp::create(b, loc, b.getI32Type(),
                                        addressAt(at * registers + r)));
  return result;
}

/// Rows of the four matrices of one ldmatrix, dimensions (outer, K): lanes give
/// rows, then K halves (A) or K halves, then the next 8 columns (B).
static LinearLayout matrixRows(int64_t outer, int64_t K, int64_t blockRows,
                               bool isA, WarpPartition warps) {
  SmallVector<Digit> threads;
  if (isA)
    threads = {{16, {1, 0}}, {2, {0, 8}}};
  else
    threads = {{8, {1, 0}}, {2, {0, 8}}, {2, {blockRows == 16 ? 8 : 0, 0}}};
  int64_t part = isA ? 16 : outer / warps.n;
  threads.push_back({warps.m, {isA ? part : 0, 0}});
  threads.push_back({warps.n, {isA ? 0 : part, 0}});
  int64_t step = isA ? 16 * warps.m : blockRows;
  int64_t blocks = isA ? outer / step : part / blockRows;
  SmallVector<Digit> registers = {{K / 16, {0, 16}}, {blocks, {step, 0}}};
  return LinearLayout({outer, K}, registers, threads);
}

/// The same for .trans: the lanes' order of matrices is kept, rows run along K.
static LinearLayout matrixRowsTransposed(int64_t outer, int64_t K,
                                         int64_t blockRows, bool isA,
                                         WarpPartition warps) {
  LinearLayout plain = matrixRows(outer, K, blockRows, isA, warps);
  SmallVector<Digit> threads;
  // Matrix q of A: 8 (q % 2) rows of M, 8 (q / 2) of K; of B the other way.
  int64_t next = isA || blockRows == 16 ? 8 : 0;
  if (isA)
    threads = {{8, {0, 1}}, {2, {8, 0}}, {2, {0, 8}}};
  else
    threads = {{8, {0, 1}}, {2, {0, 8}}, {2, {next, 0}}};
  int64_t part = isA ? 16 : outer / warps.n;
  threads.push_back({warps.m, {isA ? part : 0, 0}});
  threads.push_back({warps.n, {isA ? 0 : part, 0}});
  return LinearLayout({outer, K}, plain.registerDigits(), threads);
}

/// mma.sync always adds: zeros go into the accumulator first, where `clear`
/// asks for them.
static LogicalResult clearAccumulator(Expander &x, MmaOp op,
                                      const Fragment &fragment) {
  OpBuilder &b = x.b;
  Location loc = op.getLoc();
  CopyExpansion expansion(x, op, fragment.layout);
  Slice all;
  all.offsets.assign(2, Value());
  all.dims = {0, 1};
  auto whole = expansion.endpoint(op.getC(), all);
  if (failed(whole))
    return failure();
  Endpoint zero;
  zero.element = whole->element;
  zero.value = arith::ConstantOp::create(b, loc, b.getZeroAttr(whole->element));
  OpBuilder::InsertionGuard guard(b);
  Value clear = x.lookup(op.getClear());
  if (!matchPattern(clear, m_One())) {
    auto branch = scf::IfOp::create(b, loc, clear);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  return expansion.emit(zero, *whole);
}

LogicalResult Expander::expandMma(MmaOp op) {
  Location loc = op.getLoc();
  auto aType = matrixType(op.getA().getType().getElementType());
  auto bType = matrixType(op.getB().getType().getElementType());
  bool isF32 = op.getC().getType().getElementType().isF32();
  if (!aType || aType != bType || !isF32 || target::bitWidth(*aType) < 16)
    return op.emitError("mma.sync of these element types is not supported "
                        "yet");
  unsigned bits = target::bitWidth(*aType);
  int64_t M = op.getC().getType().getDimSize(0);
  int64_t N = op.getC().getType().getDimSize(1);
  int64_t K = op.getASizes()[op.getASizes().size() - (op.getTransA() ? 2 : 1)];
  WarpPartition warps{static_cast<int64_t>(op.getWarpsM()),
                      static_cast<int64_t>(op.getWarpsN())};
  if (warps.m * warps.n != role().warps)
    return op.emitError("warps of the product are not those of its role");
  int64_t instK = bits == 16 ? 16 : 8;
  if (!analysis::isValidPartition(M, N, warps, false) || K % instK != 0)
    return op.emitError("no mma.sync instruction for this tile");
  auto fragment = accumulatorOf(
      *this, op, op.getC(), analysis::mmaAccumulator(M, N, warps.m, warps.n));
  if (failed(fragment))
    return failure();
  int64_t columns = N / warps.n;
  bool pairs = bits == 16 && columns % 16 == 0 && !this->fragment(op.getB());
  int64_t blockRows = pairs ? 16 : 8;
  Operand a(*this, op), bOperand(*this, op);
  auto rows = [&](int64_t outer, bool isA, bool swapped) {
    if (bits == 32)
      return LinearLayout();
    return swapped ? matrixRowsTransposed(outer, K, blockRows, isA, warps)
                   : matrixRows(outer, K, blockRows, isA, warps);
  };
  if (failed(a.open(op.getA(), op.getAOffsets(), op.getTransA(),
                    rows(M, true, op.getTransA()),
                    analysis::operandALayout(M, K, bits, warps), bits, 4)) ||
      failed(
          bOperand.open(op.getB(), op.getBOffsets(), !op.getTransB(),
                        rows(N, false, !op.getTransB()),
                        analysis::operandBLayout(K, N, bits, warps).transpose(),
                        bits, pairs ? 4 : 2)))
    return failure();
  if (op.getClear() && failed(clearAccumulator(*this, op, *fragment)))
    return failure();
  Arith ar = arith(loc);
  int64_t rowBlocks = M / (16 * warps.m), steps = K / instK;
  for (int64_t k = 0; k < steps; ++k) {
    SmallVector<SmallVector<Value>> aRegs;
    for (int64_t i = 0; i < rowBlocks; ++i)
      aRegs.push_back(a.load(i, k, steps));
    for (int64_t j = 0; j < columns / blockRows; ++j) {
      SmallVector<Value> bRegs = bOperand.load(j, k, steps);
      for (size_t half = 0; half < bRegs.size() / 2; ++half)
        for (int64_t i = 0; i < rowBlocks; ++i) {
          int64_t at = i * (columns / 2) + j * (blockRows / 2) + 4 * half;
          MmaSyncOp::create(b, loc, fragment->array, ar.i32(at), aRegs[i],
                            ArrayRef(bRegs).slice(2 * half, 2),
                            target::ptxName(*aType), instK);
        }
    }
  }
  return success();
}
