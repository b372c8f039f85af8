// V12, the static part: the extents of a product's operands fit together and
// its instructions, and the regions lie inside of their tiles.
#include "compiler/verify/Obligations.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

namespace {

/// Smallest and largest value.
struct Interval {
  int64_t min, max;
};

/// An operand of a product, rows by columns as they are multiplied.
struct Factor {
  Value buffer;
  OperandRange offsets;
  ArrayRef<int64_t> sizes;
  bool transposed;

  int64_t rows() const { return sizes[sizes.size() - (transposed ? 1 : 2)]; }
  int64_t columns() const { return sizes[sizes.size() - (transposed ? 2 : 1)]; }
  std::string text() const {
    return std::to_string(rows()) + " x " + std::to_string(columns());
  }
};

} // namespace

/// Nothing where an input takes part.
static std::optional<Interval> rangeOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return Interval{constant.getSExtValue(), constant.getSExtValue()};
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop || arg.getArgNumber() != 0)
      return std::nullopt;
    auto lower = rangeOf(loop.getLowerBound()),
         upper = rangeOf(loop.getUpperBound()), step = rangeOf(loop.getStep());
    if (!lower || !upper || !step || step->min != step->max || step->min <= 0 ||
        lower->min != lower->max || upper->max <= lower->min)
      return std::nullopt;
    int64_t last = (upper->max - 1 - lower->min) / step->min * step->min;
    return Interval{lower->min, lower->min + last};
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    return rangeOf(op->getOperand(0));
  if (op->getNumOperands() != 2)
    return std::nullopt;
  auto a = rangeOf(op->getOperand(0)), b = rangeOf(op->getOperand(1));
  if (auto rem = dyn_cast<arith::RemSIOp>(op);
      rem && a && a->min >= 0 && b && b->min > 0)
    return Interval{0, std::min(a->max, b->max - 1)};
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return Interval{a->min + b->min, a->max + b->max};
  if (isa<arith::SubIOp>(op))
    return Interval{a->min - b->max, a->max - b->min};
  if (isa<arith::MulIOp>(op) && a->min >= 0 && b->min >= 0)
    return Interval{a->min * b->min, a->max * b->max};
  return std::nullopt;
}

static void checkRegion(Operation *op, const Factor &operand,
                        Reporter &reporter) {
  ArrayRef<int64_t> shape =
      cast<MemRefType>(operand.buffer.getType()).getShape();
  sm::SharedOp tile = baseTile(operand.buffer);
  std::string name =
      "'" +
      (tile ? tile.getName().str() : tile::getBufferName(operand.buffer)) + "'";
  for (auto [d, offset, size] :
       llvm::enumerate(operand.offsets, operand.sizes)) {
    std::string where = " along dimension " + std::to_string(d) + " of " + name;
    auto range = rangeOf(offset);
    if (!range && size <= shape[d])
      return reporter.notProved(op, "where the product reads" + where +
                                        " is not known");
    int64_t first = range ? range->min : 0;
    int64_t last = (range ? range->max : 0) + size - 1;
    if (first < 0 || last >= shape[d])
      return reporter.error(op, "the product reads elements " + Twine(first) +
                                    " to " + Twine(last) + where +
                                    ", which has " + Twine(shape[d]));
  }
}

template <typename Op>
static void checkProduct(Op product, int64_t rowsOfTile, Reporter &reporter) {
  Factor a{product.getA(), product.getAOffsets(), product.getASizes(),
           product.getTransA()};
  Factor b{product.getB(), product.getBOffsets(), product.getBSizes(),
           product.getTransB()};
  int64_t m = product.getM(), n = product.getN();
  if (a.rows() != m || a.columns() != b.rows() || b.columns() != n)
    return reporter.error(
        product, "the extents of the product do not fit together: " + a.text() +
                     " times " + b.text() + " into " + std::to_string(m) +
                     " x " + std::to_string(n));
  auto isWhole = [&](const Factor &operand) {
    return llvm::all_of(operand.sizes.drop_back(2),
                        [](int64_t size) { return size == 1; });
  };
  if (!isWhole(a) || !isWhole(b))
    return reporter.error(product, "an operand of the product is more than one "
                                   "matrix");
  int64_t rows = rowsOfTile * static_cast<int64_t>(product.getWarpsM());
  int64_t columns = 8 * static_cast<int64_t>(product.getWarpsN());
  if (m % rows != 0 || n % columns != 0)
    return reporter.error(product, "a product of " + Twine(m) + " x " +
                                       Twine(n) + " cannot be divided among " +
                                       Twine(product.getWarpsM()) + " x " +
                                       Twine(product.getWarpsN()) + " warps");
  checkRegion(product, a, reporter);
  checkRegion(product, b, reporter);
}

void tlc::verify::checkExtents(const Protocol &protocol, Reporter &reporter) {
  constexpr int64_t kRows = 16; // of a warp, in both kinds of instructions
  protocol.launch.walk([&](Operation *op) {
    if (auto product = dyn_cast<sm::WgmmaOp>(op))
      checkProduct(product, kRows, reporter);
    if (auto product = dyn_cast<sm::MmaOp>(op))
      checkProduct(product, kRows, reporter);
  });
}
