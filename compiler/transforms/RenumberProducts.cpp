// Numbering of products. The instruction deals rows and columns to threads in
// its own order; since everybody may agree on another one, each thread gets
// neighbours in memory (evidence/golden/correct_h0.md, rule 6):
//
//   quad_n  a thread's columns are four neighbours; B's tile is stored so
//   quad_m  a thread's rows are neighbours; A comes through registers
//   pair_k  a thread's two steps of K (32-bit operands) are neighbours: loads
//           of A from a swizzled tile then meet no bank twice
//
// Only results that are moved as a whole tile are renumbered, and B only where
// its order in memory is free.
#include "compiler/transforms/Products.h"

#include "compiler/support/Remarks.h"
#include "compiler/transforms/UserText.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tlc::tile {

namespace {
/// The products that add to one fragment, and what may be done with them.
struct Accumulation {
  SmallVector<GemmOp> gemms;
  bool movedAlone = true; ///< copies, fills and these products are its users
  bool toMemory = false;  ///< elements of 32 bits go from or to memory

  GemmOp front() const { return gemms.front(); }
};
} // namespace

static bool isWgmma(GemmOp gemm) {
  return gemm.getInst() && *gemm.getInst() != GemmInst::MmaSync;
}

static bool isMemory(Value buffer) {
  return isInSpace(buffer, Space::Global) || isInSpace(buffer, Space::Shared);
}

static void addUser(Accumulation &result, Value c, Operation *user) {
  if (auto gemm = dyn_cast<GemmOp>(user)) {
    bool adds = gemm.getC() == c && gemm.getA() != c && gemm.getB() != c;
    result.movedAlone &= adds && isWgmma(gemm);
    if (adds)
      result.gemms.push_back(gemm);
  } else if (auto copy = dyn_cast<CopyOp>(user)) {
    Value other = copy.getSrc() == c ? copy.getDst() : copy.getSrc();
    result.movedAlone &= isMemory(other);
    result.toMemory |= isMemory(other);
  } else if (!isa<FillOp>(user)) {
    result.movedAlone = false;
  }
}

static std::optional<Accumulation> collect(AllocOp alloc) {
  Accumulation result;
  if (!isInSpace(alloc.getResult(), Space::Fragment) || alloc.getLayout() ||
      storageBits(alloc.getResult().getType().getElementType()) != 32)
    return std::nullopt;
  for (Operation *user : alloc->getUsers())
    addUser(result, alloc.getResult(), user);
  bool alike = llvm::all_of(result.gemms, [&](GemmOp gemm) {
    return gemm.getTransC() == result.front().getTransC() &&
           gemm.getWarpsM() == result.front().getWarpsM() &&
           gemm.getWarpsN() == result.front().getWarpsN();
  });
  if (result.gemms.empty() || !result.movedAlone || !alike)
    return std::nullopt;
  return result;
}

/// The shared tile from which an operand A in registers is loaded, if that is
/// the fragment's only use besides this product.
static CopyOp loadOf(GemmOp gemm) {
  CopyOp load;
  for (Operation *user : gemm.getA().getUsers()) {
    if (user == gemm)
      continue;
    auto copy = dyn_cast<CopyOp>(user);
    if (load || !copy || copy.getDst() != gemm.getA() ||
        !isInSpace(copy.getSrc(), Space::Shared))
      return {};
    load = copy;
  }
  return load;
}

/// A comes from a tile with M along the rows in memory.
static bool loadsAlongM(GemmOp gemm) {
  return isInSpace(gemm.getA(), Space::Fragment) && loadOf(gemm) &&
         gemm.getTransA();
}

static bool canNumberRows(const Accumulation &all) {
  return llvm::all_of(all.gemms, [](GemmOp gemm) {
    return isInSpace(gemm.getA(), Space::Fragment) && loadOf(gemm);
  });
}

/// B's tile, if its order is free and only these products read it.
static AllocOp freeB(const Accumulation &all, GemmOp gemm) {
  auto tile = gemm.getB().getDefiningOp<AllocOp>();
  if (!tile || !hasFreeOrder(tile))
    return {};
  for (Operation *user : tile->getUsers())
    if (auto reader = dyn_cast<GemmOp>(user);
        reader && (!llvm::is_contained(all.gemms, reader) ||
                   reader.getTransB() != gemm.getTransB()))
      return {};
  return tile;
}

static bool haveFreeB(const Accumulation &all) {
  return llvm::all_of(all.gemms,
                      [&](GemmOp gemm) { return bool(freeB(all, gemm)); });
}

/// Puts the dimension of B's tile along N, or along K, in `order`.
static void orderB(GemmOp gemm, bool alongN, Order order) {
  auto tile = gemm.getB().getDefiningOp<AllocOp>();
  TileOrderAttr old = tile.getOrderAttr();
  Order rows = old ? old.getRows() : Order::Natural;
  Order columns = old ? old.getColumns() : Order::Natural;
  (alongN == gemm.getTransB() ? rows : columns) = order;
  tile.setOrderAttr(TileOrderAttr::get(
      gemm.getContext(), old && old.getTransposed(), rows, columns));
}

/// Elements of 32 bits that go to memory along the columns of the product.
static bool wantsColumns(const Accumulation &all) {
  GemmOp gemm = all.front();
  return all.toMemory && !gemm.getTransC() &&
         gemm.getN() / static_cast<int64_t>(*gemm.getWarpsN()) % 16 == 0 &&
         haveFreeB(all);
}

static bool wantsRows(const Accumulation &all) {
  return canNumberRows(all) && ((all.toMemory && all.front().getTransC()) ||
                                llvm::all_of(all.gemms, loadsAlongM));
}

static bool wantsPairs(const Accumulation &all) {
  return llvm::all_of(all.gemms, loadsAlongM) && haveFreeB(all) &&
         llvm::all_of(all.gemms, [](GemmOp gemm) {
           return gemm.getK() % 8 == 0 &&
                  storageBits(gemm.getA().getType().getElementType()) == 32;
         });
}

static void tell(const Accumulation &all, bool rows, bool columns, bool pairs) {
  std::string what;
  auto add = [&](bool chosen, StringRef name) {
    if (chosen)
      what += (what.empty() ? "" : ", ") + name.str();
  };
  add(rows, "rows");
  add(columns, "columns");
  add(pairs, "steps of K");
  if (!what.empty())
    emitDecision(all.front(), "layout",
                 what + " of the product into '" +
                     getBufferName(all.front().getC()) +
                     "' are numbered so that a thread's are neighbours in "
                     "memory");
}

void renumberProducts(LaunchOp launch) {
  SmallVector<AllocOp> allocs;
  launch.walk([&](AllocOp alloc) { allocs.push_back(alloc); });
  for (AllocOp alloc : allocs) {
    std::optional<Accumulation> all = collect(alloc);
    if (!all)
      continue;
    bool rows = wantsRows(*all), columns = wantsColumns(*all),
         pairs = wantsPairs(*all);
    for (GemmOp gemm : all->gemms) {
      gemm.setQuadM(rows);
      gemm.setQuadN(columns);
      gemm.setPairK(pairs);
      if (columns)
        orderB(gemm, /*alongN=*/true, Order::Quads);
      if (pairs)
        orderB(gemm, /*alongN=*/false, Order::Pairs);
    }
    tell(*all, rows, columns, pairs);
  }
}

} // namespace tlc::tile
