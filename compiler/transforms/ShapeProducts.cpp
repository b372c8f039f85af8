// Forms of a product. wgmma wants 64 rows or more, and 32-bit operands with K
// contiguous in memory. What is written otherwise is often the same product
// seen from another side (evidence/golden/correct_h0.md, rule 5):
//
//   32 x 128 += 32 x K  K x 128         128 x 32 += 128 x K  K x 32
//   A transposed, 32 bits           =>  loaded into registers, K step by step
//   B with N contiguous, 32 bits    =>  its tile is laid out transposed
#include "compiler/transforms/Products.h"

#include "compiler/analysis/FragmentLayouts.h"
#include "compiler/analysis/KnownDivisors.h"
#include "compiler/support/Remarks.h"
#include "compiler/transforms/UserText.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace tlc::analysis;

namespace tlc::tile {

/// Registers of a thread that an operand A may take.
constexpr int64_t kMaxOperandRegisters = 128;
/// Bytes of K that are loaded into registers at once: while one piece is
/// multiplied the next one arrives.
constexpr int64_t kPieceBytes = 128;

static bool isTransposed(Value buffer) {
  auto alloc = buffer.getDefiningOp<AllocOp>();
  return alloc && alloc.getOrder() && alloc.getOrder()->getTransposed();
}

bool isKMajor(GemmOp gemm, bool isA) {
  bool kColumns = isA ? !gemm.getTransA() : gemm.getTransB();
  return kColumns != isTransposed(isA ? gemm.getA() : gemm.getB());
}

static bool isWhole(Value buffer, OperandRange offsets,
                    ArrayRef<int64_t> sizes) {
  return sizes == cast<MemRefType>(buffer.getType()).getShape() &&
         llvm::all_of(offsets, [](Value at) { return constantValue(at) == 0; });
}

bool hasFreeOrder(AllocOp tile) {
  MemRefType type = tile.getResult().getType();
  if (!isInSpace(type, Space::Shared) || type.getRank() != 2 ||
      tile.getSwizzle())
    return false;
  return llvm::all_of(tile->getUses(), [&](OpOperand &use) {
    if (auto gemm = dyn_cast<GemmOp>(use.getOwner()))
      return gemm.getB() == use.get() && gemm.getA() != use.get();
    auto copy = dyn_cast<CopyOp>(use.getOwner());
    return copy && copy.getDst() == use.get() &&
           isInSpace(copy.getSrc(), Space::Fragment) &&
           isWhole(copy.getDst(), copy.getDstOffsets(), copy.getDstSizes());
  });
}

/// C += op(A) op(B) as C^T += op(B)^T op(A)^T.
static void exchangeOperands(GemmOp gemm) {
  Value a = gemm.getA(), b = gemm.getB();
  SmallVector<Value> aOffsets(gemm.getAOffsets()), bOffsets(gemm.getBOffsets());
  DenseI64ArrayAttr aSizes = gemm.getASizesAttr(),
                    bSizes = gemm.getBSizesAttr();
  bool transA = gemm.getTransA(), transB = gemm.getTransB();
  gemm.getAMutable().assign(b);
  gemm.getBMutable().assign(a);
  gemm.getAOffsetsMutable().assign(bOffsets);
  gemm.getBOffsetsMutable().assign(aOffsets);
  gemm.setASizesAttr(bSizes);
  gemm.setBSizesAttr(aSizes);
  gemm.setTransA(!transB);
  gemm.setTransB(!transA);
  gemm.setTransC(!gemm.getTransC());
}

namespace {
/// What is done to a product.
struct Form {
  bool exchanged = false, registers = false, reordered = false;
};
} // namespace

/// A is a whole shared tile that fits into the registers of the threads, which
/// hold elements of 16 bits or more.
static bool fitsRegisters(GemmOp gemm, int64_t threads) {
  MemRefType type = gemm.getA().getType();
  unsigned bits = storageBits(type.getElementType());
  return isInSpace(type, Space::Shared) && type.getRank() == 2 && bits >= 16 &&
         isWhole(gemm.getA(), gemm.getAOffsets(), gemm.getASizes()) &&
         type.getNumElements() * bits / 32 <= kMaxOperandRegisters * threads &&
         llvm::all_of(gemm.getBOffsets(),
                      [](Value at) { return constantValue(at).has_value(); });
}

static TileOrderAttr transposedOrder(MLIRContext *context) {
  return TileOrderAttr::get(context, /*transposed=*/true, Order::Natural,
                            Order::Natural);
}

static std::optional<Form> findForm(GemmOp gemm, int64_t threads,
                                    const target::TargetInfo &target,
                                    const SelectOptions &options) {
  auto bTile = [&] { return gemm.getB().getDefiningOp<AllocOp>(); };
  auto works = [&](const Form &form) {
    return whyNoWgmma(gemm, threads, target, options, form.registers).empty();
  };
  for (bool exchanged : {false, true}) {
    if (exchanged && !options.levers.isOn(Lever::TransposeProduct))
      continue;
    if (exchanged)
      exchangeOperands(gemm);
    for (bool registers : {false, true}) {
      if (registers && (!options.levers.isOn(Lever::RegisterOperand) ||
                        !fitsRegisters(gemm, threads)))
        continue;
      Form form{exchanged, registers, false};
      if (works(form))
        return form;
      AllocOp tile = bTile();
      if (!tile || tile.getOrder() || !hasFreeOrder(tile) ||
          !options.levers.isOn(Lever::RegisterOperand))
        continue;
      tile.setOrderAttr(transposedOrder(gemm.getContext()));
      form.reordered = true;
      if (works(form))
        return form;
      tile.removeOrderAttr();
    }
    if (exchanged)
      exchangeOperands(gemm);
  }
  return std::nullopt;
}

namespace {
/// Splits a product along K: each piece of A is copied to a fragment first.
class RegisterLoader {
public:
  explicit RegisterLoader(GemmOp gemm)
      : gemm(gemm), b(gemm), type(gemm.getA().getType()) {}

  void run() {
    int64_t piece = pieceOfK();
    SmallVector<Value> pieces;
    for (int64_t k = 0; k < gemm.getK(); k += piece)
      pieces.push_back(load(k, piece));
    for (auto [i, fragment] : llvm::enumerate(pieces))
      multiply(fragment, i * piece, piece);
    gemm.erase();
  }

private:
  int64_t pieceOfK() {
    int64_t piece = 8 * kPieceBytes / storageBits(type.getElementType());
    return gemm.getK() % piece == 0 ? piece : gemm.getK();
  }

  unsigned kDim(bool isA) {
    return (isA ? gemm.getTransA() : !gemm.getTransB()) ? 0 : 1;
  }

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, gemm.getLoc(), value, 32);
  }

  Value load(int64_t k, int64_t piece) {
    SmallVector<int64_t> shape(type.getShape());
    shape[kDim(true)] = piece;
    SmallVector<Value> at{constant(0), constant(0)},
        zero{constant(0), constant(0)};
    at[kDim(true)] = constant(k);
    auto tile = gemm.getA().getDefiningOp<AllocOp>();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(newest ? newest : tile.getOperation());
    auto fragment = AllocOp::create(
        b, gemm.getLoc(),
        getBufferType(shape, type.getElementType(), Space::Fragment),
        b.getStringAttr(tile.getName() + "_registers"), {}, {});
    newest = fragment;
    b.setInsertionPoint(gemm);
    CopyOp::create(
        b, gemm.getLoc(), gemm.getA(), at, fragment, zero, shape, shape,
        /*disable_tma=*/false, /*prefer_tma=*/false,
        CopyInstAttr::get(b.getContext(), CopyInst::Vector),
        b.getStringAttr("an operand of the product goes through registers"),
        /*ring=*/nullptr, /*layout=*/nullptr);
    return fragment;
  }

  void multiply(Value fragment, int64_t k, int64_t piece) {
    auto part = cast<GemmOp>(b.clone(*gemm));
    SmallVector<int64_t> aSizes(
        cast<MemRefType>(fragment.getType()).getShape());
    SmallVector<int64_t> bSizes(gemm.getBSizes());
    size_t dim = bSizes.size() - 2 + kDim(false);
    bSizes[dim] = piece;
    SmallVector<Value> bOffsets(gemm.getBOffsets());
    b.setInsertionPoint(part);
    bOffsets[dim] = constant(*constantValue(bOffsets[dim]) + k);
    part.getAMutable().assign(fragment);
    part.getAOffsetsMutable().assign({constant(0), constant(0)});
    part.setASizes(aSizes);
    part.getBOffsetsMutable().assign(bOffsets);
    part.setBSizes(bSizes);
    if (k != 0)
      part.getClearMutable().clear();
    b.setInsertionPoint(gemm);
  }

  GemmOp gemm;
  OpBuilder b;
  MemRefType type;
  Operation *newest = nullptr; ///< of the fragments
};
} // namespace

static std::string describe(const Form &form, GemmOp gemm, StringRef why) {
  std::string text = "brought to wgmma (" + why.str() + ")";
  if (form.exchanged)
    text += "; computed transposed, as op(B)^T op(A)^T";
  if (form.reordered)
    text += "; '" + getBufferName(gemm.getB()) +
            "' is laid out with K "
            "contiguous";
  if (form.registers)
    text += "; '" + getBufferName(gemm.getA()) + "' goes through registers";
  return text;
}

namespace {
/// A product in another form, and why it was brought to it.
struct Shaped {
  GemmOp gemm;
  Form form;
  std::string why;
};

/// Finds the forms of a launch's products. Products whose results are used
/// together must deal elements to threads alike, and whoever reads a tile must
/// be able to read it in its order: where a form breaks that, its product and
/// those that it is used with stay as they are written.
class ProductShaper {
public:
  ProductShaper(LaunchOp launch, const target::TargetInfo &target,
                const SelectOptions &options)
      : launch(launch), target(target), options(options),
        threads(launch.getNumThreads()) {}

  void run() {
    launch.walk([&](GemmOp gemm) { products.push_back(gemm); });
    joinFragments();
    while (!tryForms())
      ;
    for (Shaped &product : shaped) {
      emitDecision(product.gemm, "gemm",
                   describe(product.form, product.gemm, product.why));
      if (product.form.registers)
        RegisterLoader(product.gemm).run();
    }
  }

private:
  static void addFragment(Value value, SmallVectorImpl<Value> &fragments) {
    if (hasSpace(value.getType()) && isInSpace(value, Space::Fragment))
      fragments.push_back(value);
  }

  /// Fragments of one statement, and of one loop over elements, are used
  /// together.
  void joinFragments() {
    launch.walk([&](Operation *op) {
      SmallVector<Value> fragments;
      for (Value operand : op->getOperands())
        addFragment(operand, fragments);
      if (isa<ParallelOp>(op))
        op->walk([&](Operation *inner) {
          for (Value operand : inner->getOperands())
            addFragment(operand, fragments);
        });
      for (Value fragment : fragments)
        together.unionSets(fragments.front().getAsOpaquePointer(),
                           fragment.getAsOpaquePointer());
    });
  }

  const void *groupOf(GemmOp gemm) {
    return together.getOrInsertLeaderValue(gemm.getC().getAsOpaquePointer());
  }

  /// False if some form does not go with the rest; its group is plain then.
  bool tryForms() {
    for (GemmOp gemm : products)
      if (!gemm.getInst() && !plain.contains(groupOf(gemm)))
        shape(gemm);
    for (Shaped &product : shaped) {
      if (fitsOthers(product))
        continue;
      plain.insert(groupOf(product.gemm));
      for (Shaped &other : llvm::reverse(shaped))
        undo(other);
      shaped.clear();
      return false;
    }
    return true;
  }

  void shape(GemmOp gemm) {
    std::string why = whyNoWgmma(gemm, threads, target, options);
    if (why.empty())
      return;
    if (std::optional<Form> form = findForm(gemm, threads, target, options))
      shaped.push_back({gemm, *form, why});
  }

  static void undo(const Shaped &product) {
    GemmOp gemm = product.gemm;
    if (product.form.reordered)
      gemm.getB().getDefiningOp<AllocOp>().removeOrderAttr();
    if (product.form.exchanged)
      exchangeOperands(gemm);
  }

  bool isOnWgmma(GemmOp gemm) {
    if (gemm.getInst())
      return *gemm.getInst() != GemmInst::MmaSync;
    auto *found = llvm::find_if(
        shaped, [&](const Shaped &product) { return product.gemm == gemm; });
    bool registers = found != shaped.end() && found->form.registers;
    return whyNoWgmma(gemm, threads, target, options, registers).empty();
  }

  std::optional<WarpPartition> partitionOf(GemmOp gemm) {
    return chooseWarpPartition(
        gemm.getM(), gemm.getN(), threads / 32,
        static_cast<analysis::WarpPolicy>(gemm.getPolicy()), /*wgmma=*/true);
  }

  bool fitsOthers(const Shaped &product) {
    GemmOp gemm = product.gemm;
    for (GemmOp other : products) {
      if (product.form.reordered && other.getB() == gemm.getB() &&
          !isOnWgmma(other))
        return false;
      if (groupOf(other) == groupOf(gemm) &&
          (!isOnWgmma(other) || other.getTransC() != gemm.getTransC() ||
           partitionOf(other) != partitionOf(gemm)))
        return false;
    }
    return true;
  }

  LaunchOp launch;
  const target::TargetInfo &target;
  const SelectOptions &options;
  int64_t threads;
  SmallVector<GemmOp> products;
  llvm::EquivalenceClasses<const void *> together;
  llvm::DenseSet<const void *> plain; ///< groups that stay as written
  SmallVector<Shaped> shaped;
};
} // namespace

void shapeProducts(LaunchOp launch, const target::TargetInfo &target,
                   const SelectOptions &options) {
  ProductShaper(launch, target, options).run();
}

} // namespace tlc::tile
