// The layout algebra against naive evaluation: random F2 maps, random mixed
// radix maps, slices, reshapes, terms, text.
#include "compiler/analysis/Layout.h"
#include "compiler/analysis/FragmentLayouts.h"

#include "test/support/Catch.h"

#include <map>
#include <random>
#include <set>

using namespace tlc::analysis;

namespace {

using Point = std::vector<int64_t>;

Point asPoint(const Coords &coords) {
  return Point(coords.begin(), coords.end());
}

int64_t sumTerms(llvm::ArrayRef<Term> terms, int64_t x) {
  int64_t sum = 0;
  for (const Term &term : terms)
    sum += term.evaluate(x);
  return sum;
}

/// A random layout of rank 2 and what it should compute, digit by digit.
struct RandomLayout {
  std::vector<Digit> regs, threads;

  RandomLayout(std::mt19937 &random, bool bitsOnly, bool xors) {
    for (auto *digits : {&regs, &threads})
      for (unsigned i = random() % 5; i-- > 0;) {
        int64_t count = bitsOnly ? 2 : 1 + random() % 5;
        bool isXor = xors && count == 2 && random() % 2;
        digits->push_back(
            {count, {int64_t(random() % 16), int64_t(random() % 16)}, isXor});
      }
  }

  Point naive(int64_t reg, int64_t thread) const {
    int64_t sum[2] = {}, bits[2] = {};
    for (auto [digits, index] : {std::pair{&regs, reg}, {&threads, thread}})
      for (const Digit &digit : *digits) {
        int64_t value = index % digit.count;
        index /= digit.count;
        for (int d = 0; d < 2; ++d) {
          if (!digit.exclusiveOr)
            sum[d] += value * digit.step[d];
          else if (value)
            bits[d] ^= digit.step[d];
        }
      }
    return {sum[0] + bits[0], sum[1] + bits[1]};
  }

  LinearLayout build() const { return LinearLayout({128, 128}, regs, threads); }
};

void checkSame(const LinearLayout &layout, const RandomLayout &random) {
  int64_t regs = 1, threads = 1;
  for (const Digit &digit : random.regs)
    regs *= digit.count;
  for (const Digit &digit : random.threads)
    threads *= digit.count;
  REQUIRE(layout.numRegisters() == regs);
  REQUIRE(layout.numThreads() == threads);
  for (int64_t r = 0; r < regs; ++r)
    for (int64_t t = 0; t < threads; ++t) {
      Point expected = random.naive(r, t);
      REQUIRE(asPoint(layout.coords(r, t)) == expected);
      REQUIRE(layout.inRange(r, t) == (expected[0] < 128 && expected[1] < 128));
      if (!layout.isAdditive())
        continue;
      for (unsigned dim = 0; dim < 2; ++dim)
        REQUIRE(sumTerms(layout.registerTerms(dim), r) +
                    sumTerms(layout.threadTerms(dim), t) ==
                expected[dim]);
    }
}

} // namespace

TEST_CASE("layout: random maps agree with naive evaluation", "[layout]") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    RandomLayout map(random, round % 3 == 0, round % 2 == 0);
    LinearLayout layout = map.build();
    checkSame(layout, map);
    std::string error;
    auto again = LinearLayout::parse(layout.toString(), &error);
    INFO(layout.toString() << ": " << error);
    REQUIRE(again);
    REQUIRE(*again == layout);
    REQUIRE(again->toString() == layout.toString());
  }
}

TEST_CASE("layout: owners are the inverse of coords", "[layout]") {
  std::mt19937 random(2);
  for (int round = 0; round < 60; ++round) {
    RandomLayout map(random, round % 2 == 0, round % 3 == 0);
    LinearLayout layout = map.build();
    std::map<Point, std::vector<std::pair<int64_t, int64_t>>> owners;
    for (int64_t t = 0; t < layout.numThreads(); ++t)
      for (int64_t r = 0; r < layout.numRegisters(); ++r)
        owners[map.naive(r, t)].push_back({t, r});
    for (auto &[point, expected] : owners) {
      std::vector<std::pair<int64_t, int64_t>> found;
      for (Owner owner : layout.ownerOf({point[0], point[1]}))
        found.push_back({owner.thread, owner.reg});
      REQUIRE(found == expected);
    }
    REQUIRE(layout.ownerOf({1000, 1000}).empty());
  }
}

TEST_CASE("layout: canonical text", "[layout]") {
  // Bits that continue each other fuse; xor without overlap is addition.
  LinearLayout bits({8, 8}, {{2, {0, 1}, true}, {2, {0, 2}, true}, {1, {5, 5}}},
                    {{2, {0, 4}}, {2, {1, 0}}, {4, {2, 0}}});
  CHECK(bits.toString() ==
        "regs=[4:(0,1)] threads=[2:(0,4) 8:(1,0)] shape=8x8");
  CHECK(bits.isAdditive());
  CHECK(bits == *LinearLayout::parse("regs=[4:(0,1)] threads=[2:(0,4) 8:(1,0)]"
                                     " shape=8x8"));
  // Overlapping xor stays.
  LinearLayout swizzled({4}, {{2, {1}, true}, {2, {3}, true}}, {});
  CHECK(swizzled.toString() == "regs=[^(1) ^(3)] threads=[] shape=4");
  CHECK(swizzled.coversExactlyOnce());
  CHECK_FALSE(swizzled.isAdditive());
  // Another basis of the same map is equal, though its text differs.
  CHECK(swizzled != LinearLayout({4}, {{4, {1}}}, {}));
  CHECK(LinearLayout({2}, {{2, {1}, true}, {2, {1}, true}}, {}) ==
        LinearLayout({2}, {{2, {1}, true}, {2, {1}, true}}, {{1, {7}}}));
}

TEST_CASE("layout: bad text is refused with a place", "[layout]") {
  const char *bad[] = {
      "",
      "regs=[2:(0,1)] threads=[] shape=",
      "regs=[2:(0,1)] threads=[4:(1)] shape=2x2",
      "regs=[0:(0,1)] threads=[] shape=2x2",
      "regs=[2:(0,-1)] threads=[] shape=2x2",
      "regs=[2:(0,1) threads=[] shape=2x2",
      "regs=[2(0,1)] threads=[] shape=2x2",
      "regs=[99999999999999999999:(0,1)] threads=[] shape=2x2",
      "regs=[9999999:(0,1) 9999999:(1,0)] threads=[] shape=2x2",
      "regs=[2:(0,1)] threads=[] shape=9999999x9999999",
      "regs=[2:(0,1)] threads=[] shape=2x2 more",
  };
  for (const char *text : bad) {
    std::string error;
    INFO(text);
    CHECK_FALSE(LinearLayout::parse(text, &error));
    CHECK(error.find("expected") != std::string::npos);
    CHECK_FALSE(LinearLayout::parse(text));
  }
  std::string error;
  CHECK_FALSE(LinearLayout::parse("regs=[2:(0;1)]", &error));
  CHECK(error == "expected ')' at column 11");
}

TEST_CASE("layout: terms of an accumulator", "[layout]") {
  LinearLayout acc = wgmmaAccumulator(64, 128, 1, 1);
  using Terms = std::vector<Term>;
  auto list = [](llvm::ArrayRef<Term> terms) { return terms.vec(); };
  CHECK(list(acc.threadTerms(0)) == Terms{{4, 8, 1}, {32, 0, 16}});
  CHECK(list(acc.threadTerms(1)) == Terms{{1, 4, 2}});
  CHECK(list(acc.registerTerms(0)) == Terms{{2, 2, 8}});
  CHECK(list(acc.registerTerms(1)) == Terms{{1, 2, 1}, {4, 0, 8}});
}

TEST_CASE("layout: sliced accumulators replicate rows", "[layout]") {
  LinearLayout acc = wgmmaAccumulator(128, 64, 1, 1);
  LinearLayout row = acc.sliceDim(1);
  CHECK(row.rank() == 1);
  CHECK(row.numRegisters() == 4);
  CHECK(row.numThreads() == 128);
  CHECK(row.replication() == 4);
  CHECK(row.hasReplicatedThreads());
  auto map = acc.sliceRegisterMap(1);
  int64_t primaries = 0;
  for (int64_t t = 0; t < 128; ++t) {
    primaries += row.isPrimary(t);
    CHECK(row.isPrimary(t) == (t % 4 == 0));
    for (int64_t r = 0; r < acc.numRegisters(); ++r)
      REQUIRE(row.coords(map[r], t)[0] == acc.coords(r, t)[0]);
  }
  CHECK(primaries == 32);
  CHECK(acc.reduceDim(1) == row.insertUnitDim(1));
  CHECK(acc.reduceDim(1).shape() == llvm::ArrayRef<int64_t>{128, 1});
  CHECK(acc.transpose().sliceDim(0) == row);
  // Columns: all rows drop, lane pairs stay.
  LinearLayout column = acc.sliceDim(0);
  CHECK(column.numRegisters() == 16);
  CHECK(column.replication() == 32);
}

TEST_CASE("layout: sliced random layouts keep coordinates", "[layout]") {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    RandomLayout map(random, false, round % 2 == 0);
    LinearLayout layout = map.build();
    for (unsigned dim = 0; dim < 2; ++dim) {
      LinearLayout slice = layout.sliceDim(dim);
      auto regs = layout.sliceRegisterMap(dim);
      for (int64_t r = 0; r < layout.numRegisters(); ++r)
        for (int64_t t = 0; t < layout.numThreads(); ++t)
          REQUIRE(slice.coords(regs[r], t)[0] == map.naive(r, t)[1 - dim]);
    }
  }
}

TEST_CASE("layout: reductions across lanes and warps", "[layout]") {
  using Masks = llvm::SmallVector<int64_t, 5>;
  LinearLayout acc = wgmmaAccumulator(64, 64, 1, 1);
  ReductionPlan columns = acc.reductionPlan(1);
  CHECK(columns.laneMasks == Masks{1, 2});
  CHECK(columns.warpTerms.empty());
  ReductionPlan rows = acc.reductionPlan(0);
  CHECK(rows.laneMasks == Masks{4, 8, 16});
  REQUIRE(rows.warpTerms.size() == 1);
  CHECK(rows.warpTerms[0] == Term{1, 0, 1});
  // Two column parts: warps 0-3 and 4-7 share rows.
  ReductionPlan wide = wgmmaAccumulator(64, 64, 1, 2).reductionPlan(1);
  CHECK(wide.laneMasks == Masks{1, 2});
  REQUIRE(wide.warpTerms.size() == 1);
  CHECK(wide.warpTerms[0] == Term{4, 0, 1});
  // 64 threads a row straddle two warps.
  LinearLayout flat({2, 64}, {}, {{64, {0, 1}}, {2, {1, 0}}});
  CHECK(flat.reductionPlan(1).laneMasks == Masks{1, 2, 4, 8, 16});
  CHECK(flat.reductionPlan(1).warpTerms[0] == Term{1, 2, 1});
  CHECK(flat.reductionPlan(0).laneMasks.empty());
  CHECK(flat.reductionPlan(0).warpTerms[0] == Term{2, 0, 1});
  // Three threads a row are nothing for shuffles.
  LinearLayout odd({32, 3}, {}, {{3, {0, 1}}, {32, {1, 0}}});
  CHECK(odd.reductionPlan(1).irregular);
  // Nothing to combine.
  LinearLayout own({32, 4}, {{4, {0, 1}}}, {{32, {1, 0}}});
  CHECK_FALSE(own.reductionPlan(1).irregular);
  CHECK(own.reductionPlan(1).laneMasks.empty());
}

TEST_CASE("layout: vector widths", "[layout]") {
  LinearLayout acc = wgmmaAccumulator(64, 64, 1, 1);
  CHECK(acc.vectorWidth({64, 1}) == 2);
  CHECK(acc.vectorWidth({1, 64}) == 1);
  CHECK(acc.vectorWidth({65, 1}) == 1); // odd rows break alignment
  CHECK(acc.vectorWidthAlong(1) == 2);
  CHECK(acc.vectorWidthAlong(0) == 1);
  LinearLayout rows({16, 8}, {{8, {0, 1}}}, {{16, {1, 0}}});
  CHECK(rows.vectorWidth({8, 1}) == 8);
  CHECK(rows.vectorWidth({12, 1}) == 4);
  CHECK(rows.vectorWidth({9, 1}) == 1);
  CHECK(rows.vectorWidthAlong(1) == 8);
  // A run over both dimensions of a compact tile.
  LinearLayout whole({4, 4}, {{4, {0, 1}}, {4, {1, 0}}}, {});
  CHECK(whole.vectorWidth({4, 1}) == 16);
  CHECK(whole.vectorWidth({8, 1}) == 4);
  // 50 columns in steps of 8: pairs are never cut, fours are.
  LinearLayout cut({1, 50}, {{8, {0, 1}}}, {{7, {0, 8}}});
  CHECK(cut.vectorWidth({50, 1}) == 2);
  CHECK(cut.vectorWidthAlong(1) == 2);
  // Six registers: two is the power of two that divides them.
  LinearLayout six({1, 12}, {{6, {0, 1}}}, {{2, {0, 6}}});
  CHECK(six.vectorWidth({12, 1}) == 2);
}

TEST_CASE("layout: vector widths of random layouts are sound", "[layout]") {
  std::mt19937 random(4);
  for (int round = 0; round < 400; ++round) {
    RandomLayout map(random, false, false);
    map.regs.insert(map.regs.begin(), {1 + int64_t(random() % 8), {0, 1}});
    LinearLayout layout =
        map.build().withShape({40, 1 + int64_t(random() % 60)});
    for (int64_t pitch : {64, 60, 33}) {
      int64_t width = layout.vectorWidth({pitch, 1});
      REQUIRE((width & (width - 1)) == 0);
      for (int64_t t = 0; t < layout.numThreads(); ++t)
        for (int64_t r = 0; r < layout.numRegisters(); ++r) {
          auto address = [&](int64_t reg) {
            Coords at = layout.coords(reg, t);
            return at[0] * pitch + at[1];
          };
          int64_t first = r / width * width;
          REQUIRE(address(r) == address(first) + r - first);
          REQUIRE(address(first) % width == 0);
          REQUIRE(layout.inRange(r, t) == layout.inRange(first, t));
        }
    }
  }
}

TEST_CASE("layout: reshape keeps the row-major order", "[layout]") {
  LinearLayout tile = blockedLayout({64, 64}, 16, 128);
  for (std::vector<int64_t> shape : {std::vector<int64_t>{4096},
                                     {32, 128},
                                     {128, 32},
                                     {2, 32, 64},
                                     {64, 64},
                                     {64, 2, 2, 16}}) {
    auto other = tile.reshape(shape);
    REQUIRE(other);
    auto strides = rowMajorStrides(shape);
    for (int64_t r = 0; r < tile.numRegisters(); ++r)
      for (int64_t t = 0; t < 128; ++t) {
        Coords from = tile.coords(r, t), to = other->coords(r, t);
        int64_t index = 0;
        for (size_t d = 0; d < shape.size(); ++d)
          index += to[d] * strides[d];
        REQUIRE(index == from[0] * 64 + from[1]);
        REQUIRE(other->inRange(r, t));
      }
  }
  // The per-thread partial sums of (128, 2) as one vector of 256.
  LinearLayout sums({128, 2}, {{2, {0, 1}}}, {{128, {1, 0}}});
  CHECK(*sums.reshape({256}) == LinearLayout({256}, {{2, {1}}}, {{128, {2}}}));
  CHECK_FALSE(sums.reshape({255}));
  // Vectors of 4 in rows of 6 do not line up with rows of 4.
  LinearLayout sixes({2, 6}, {{2, {0, 1}}, {2, {1, 0}}}, {{3, {0, 2}}});
  CHECK_FALSE(sixes.reshape({3, 4}));
  CHECK_FALSE(LinearLayout({3, 5}, {{8, {0, 1}}}, {{3, {1, 0}}}).reshape({15}));
}

TEST_CASE("layout: conversion within threads", "[layout]") {
  // The accumulator of one product is the A operand of the next.
  LinearLayout acc = wgmmaAccumulator(64, 128, 1, 1);
  LinearLayout operand = operandALayout(64, 128, 16, {4, 1});
  auto map = acc.registerConversion(operand);
  REQUIRE(map);
  for (size_t i = 0; i < map->size(); ++i)
    CHECK((*map)[i] == int64_t(i));
  // Columns first instead of rows first: a renaming.
  LinearLayout other({64, 128}, {{2, {8, 0}}, {2, {0, 1}}, {16, {0, 8}}},
                     {{4, {0, 2}}, {8, {1, 0}}, {4, {16, 0}}});
  map = acc.registerConversion(other);
  REQUIRE(map);
  for (int64_t r = 0; r < 64; ++r)
    for (int64_t t = 0; t < 128; ++t)
      REQUIRE(acc.coords((*map)[r], t) == other.coords(r, t));
  // From replicated to distributed: which register depends on the thread.
  CHECK_FALSE(acc.registerConversion(blockedLayout({64, 128}, 32, 128)));
  CHECK_FALSE(LinearLayout::replicated({4}, 4).registerConversion(
      LinearLayout({4}, {}, {{4, {1}}})));
  CHECK_FALSE(acc.registerConversion(acc.transpose()));
  // A row vector from an equal one with fewer copies needed.
  LinearLayout row = acc.sliceDim(1);
  CHECK(row.registerConversion(row));
}

TEST_CASE("layout: replicated tiles", "[layout]") {
  LinearLayout all = LinearLayout::replicated({3, 5}, 96);
  CHECK(all.numRegisters() == 15);
  CHECK(all.replication() == 96);
  CHECK(all.isPrimary(0));
  CHECK_FALSE(all.isPrimary(1));
  for (int64_t r = 0; r < 15; ++r)
    CHECK(asPoint(all.coords(r, 95)) == Point{r / 5, r % 5});
}
