// The order in which copies visit a thread's registers: the same elements, with
// as many neighbours in memory as one access moves first.
#include "compiler/conversion/SMToThreads/ExpandCopy.h"

#include "compiler/analysis/FragmentLayouts.h"
#include "test/support/Catch.h"

#include "mlir/IR/Builders.h"

#include <set>

using namespace mlir;
using namespace tlc::analysis;
using tlc::sm::Endpoint;
using tlc::sm::vectorsFirst;

namespace {
class Memory {
public:
  /// A row-major tensor; dimension i of the buffer is `dims[i]` of the tile,
  /// or none (-1).
  static Endpoint global(Type element, ArrayRef<int> dims) {
    Endpoint end;
    end.kind = Endpoint::Global;
    end.element = element;
    end.region.dims.assign(dims.begin(), dims.end());
    return end;
  }

  static Endpoint shared(Type element, const SharedLayout &layout) {
    Endpoint end;
    end.kind = Endpoint::Shared;
    end.element = element;
    end.tile.layout = layout;
    for (unsigned dim = 0; dim < layout.shape().size(); ++dim)
      end.region.dims.push_back(dim);
    return end;
  }
};

/// Bytes from the element of register 0 to that of register r, in thread 0.
int64_t distance(const LinearLayout &layout, int64_t r,
                 llvm::function_ref<int64_t(const Coords &)> place) {
  return place(layout.coords(r, 0)) - place(layout.coords(0, 0));
}

/// Requires that no thread has other elements than before.
void checkRenamed(const LinearLayout &before, const LinearLayout &after) {
  REQUIRE(after.shape() == before.shape());
  REQUIRE(after.numThreads() == before.numThreads());
  REQUIRE(after.numRegisters() == before.numRegisters());
  for (int64_t t = 0; t < before.numThreads(); ++t) {
    std::multiset<std::vector<int64_t>> was, is;
    for (int64_t r = 0; r < before.numRegisters(); ++r) {
      Coords a = before.coords(r, t), b = after.coords(r, t);
      was.emplace(a.begin(), a.end());
      is.emplace(b.begin(), b.end());
    }
    REQUIRE(was == is);
  }
}

/// Requires that the first `count` registers are neighbours, and no more.
void checkNeighbours(const LinearLayout &layout, int64_t count, int64_t bytes,
                     llvm::function_ref<int64_t(const Coords &)> place) {
  for (int64_t r = 1; r < count; ++r)
    CHECK(distance(layout, r, place) == r * bytes);
  if (layout.numRegisters() > count)
    CHECK((count * bytes == 16 ||
           distance(layout, count, place) != count * bytes));
}
} // namespace

TEST_CASE("vector order: accumulators to a tensor", "[vectors]") {
  MLIRContext context;
  Builder b(&context);
  auto rows = [](int64_t bytes, int64_t columns) {
    return [=](const Coords &at) { return (at[0] * columns + at[1]) * bytes; };
  };
  // A quad holds columns 2q and 2q + 1 of every eight: pairs, no more.
  LinearLayout natural = accumulatorLayout(64, 32, {4, 1});
  LinearLayout words =
      vectorsFirst(natural, Memory::global(b.getF32Type(), {0, 1}));
  checkRenamed(natural, words);
  checkNeighbours(words, 2, 4, rows(4, 32));
  // Numbered in quads a thread has four.
  LinearLayout quads = accumulatorLayout(64, 32, {4, 1}, {false, true, false});
  LinearLayout wide =
      vectorsFirst(quads, Memory::global(b.getF32Type(), {0, 1}));
  checkRenamed(quads, wide);
  checkNeighbours(wide, 4, 4, rows(4, 32));
  // Rows in quads, stored with rows and columns exchanged.
  LinearLayout exchanged =
      accumulatorLayout(128, 32, {4, 1}, {true, false, false});
  LinearLayout columns =
      vectorsFirst(exchanged, Memory::global(b.getF32Type(), {1, 0}));
  checkRenamed(exchanged, columns);
  checkNeighbours(columns, 4, 4,
                  [](const Coords &at) { return (at[1] * 128 + at[0]) * 4; });
}

TEST_CASE("vector order: other dimensions, narrow elements", "[vectors]") {
  MLIRContext context;
  Builder b(&context);
  // The tile lies across: no two elements of a thread are neighbours.
  LinearLayout natural = accumulatorLayout(64, 32, {4, 1});
  LinearLayout across =
      vectorsFirst(natural, Memory::global(b.getF32Type(), {1, 0, -1}));
  CHECK(across == LinearLayout(natural.shape(), across.registerDigits(),
                               natural.threadDigits()));
  checkRenamed(natural, across);
  // 16 bytes of a row are one thread's, whatever an element has.
  for (auto [type, bytes] : {std::pair<Type, int64_t>{b.getIntegerType(8), 1},
                             {b.getBF16Type(), 2},
                             {b.getF64Type(), 8}}) {
    int64_t each = 32 / bytes;
    LinearLayout layout({32, each}, {{each, {0, 1}}}, {{32, {1, 0}}});
    LinearLayout first = vectorsFirst(layout, Memory::global(type, {0, 1}));
    checkRenamed(layout, first);
    int64_t size = bytes;
    checkNeighbours(first, 16 / bytes, bytes, [&](const Coords &at) {
      return (at[0] * each + at[1]) * size;
    });
  }
}

TEST_CASE("vector order: the neighbours come last before", "[vectors]") {
  MLIRContext context;
  Builder b(&context);
  // Rows first, then columns in bits of any order.
  LinearLayout layout({16, 8},
                      {{4, {4, 0}}, {2, {0, 4}}, {2, {0, 1}}, {2, {0, 2}}},
                      {{4, {1, 0}}});
  LinearLayout first =
      vectorsFirst(layout, Memory::global(b.getF32Type(), {0, 1}));
  checkRenamed(layout, first);
  checkNeighbours(first, 4, 4,
                  [](const Coords &at) { return (at[0] * 8 + at[1]) * 4; });
  // Three neighbours are no vector; they stay where they were.
  LinearLayout odd({4, 3}, {{3, {0, 1}}}, {{4, {1, 0}}});
  CHECK(vectorsFirst(odd, Memory::global(b.getF32Type(), {0, 1})) == odd);
  // A vector has one address: digits that are combined by xor do not begin one.
  LinearLayout exclusive({2, 4}, {{2, {0, 1}, true}, {2, {0, 2}}},
                         {{2, {1, 1}, true}});
  LinearLayout kept =
      vectorsFirst(exclusive, Memory::global(b.getF32Type(), {0, 1}));
  CHECK(kept == exclusive);
}

TEST_CASE("vector order: shared tiles in their order", "[vectors]") {
  MLIRContext context;
  Builder b(&context);
  LinearLayout natural = accumulatorLayout(64, 32, {4, 1});
  // Columns in quads: slots 2t and 2t + 1 are what the instruction deals out.
  SharedLayout rows(SharedKind::Swizzle128, {64, 32}, 32);
  LinearLayout plain =
      vectorsFirst(natural, Memory::shared(b.getF32Type(), rows));
  checkRenamed(natural, plain);
  checkNeighbours(plain, 2, 4,
                  [&](const Coords &at) { return rows.unswizzledOffset(at); });
  // Stored transposed, a thread whose rows are neighbours has vectors.
  LinearLayout quads = accumulatorLayout(128, 32, {4, 1}, {true, false, false});
  SharedLayout transposed(SharedKind::Swizzle128, {128, 32}, 32,
                          {true, Order::Natural, Order::Natural});
  LinearLayout first =
      vectorsFirst(quads, Memory::shared(b.getF32Type(), transposed));
  checkRenamed(quads, first);
  checkNeighbours(first, 4, 4,
                  [](const Coords &at) { return (at[1] * 128 + at[0]) * 4; });
}
