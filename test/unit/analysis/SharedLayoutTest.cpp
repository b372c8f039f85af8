// Shared layouts against written-out swizzle rules, tensor-copy semantics and
// the canonical wgmma layouts of the PTX ISA.
#include "compiler/analysis/SharedLayout.h"
#include "compiler/analysis/FragmentLayouts.h"

#include "test/support/Catch.h"

#include <set>

using namespace tlc::analysis;
using tlc::target::lookupTarget;

namespace {

const tlc::target::TmaLimits &limits() { return lookupTarget("sm_90a")->tma; }

constexpr SharedKind kAll[] = {SharedKind::Linear, SharedKind::Panel16,
                               SharedKind::Swizzle32, SharedKind::Swizzle64,
                               SharedKind::Swizzle128};

} // namespace

TEST_CASE("shared: 128-byte swizzle is unit ^ row % 8", "[layout]") {
  SharedLayout layout(SharedKind::Swizzle128, {64, 128}, 16);
  CHECK(layout.numPanels() == 2);
  CHECK(layout.sizeBytes() == 64 * 128 * 2);
  CHECK(layout.alignment() == 1024);
  for (int64_t r = 0; r < 64; ++r)
    for (int64_t c = 0; c < 128; ++c) {
      int64_t panel = c / 64, unit = c % 64 / 8, within = c % 8 * 2;
      REQUIRE(layout.offsetBytes({r, c}) ==
              panel * 8192 + r * 128 + (unit ^ r % 8) * 16 + within);
    }
}

TEST_CASE("shared: 64- and 32-byte swizzles", "[layout]") {
  // Two rows of 64 bytes make a 128-byte line: the line number modulo 4 is
  // xored in. Four rows of 32 bytes: modulo 2.
  SharedLayout s64(SharedKind::Swizzle64, {16, 16}, 32);
  SharedLayout s32(SharedKind::Swizzle32, {16, 8}, 32);
  for (int64_t r = 0; r < 16; ++r) {
    for (int64_t c = 0; c < 16; ++c)
      REQUIRE(s64.offsetBytes({r, c}) ==
              r * 64 + (c / 4 ^ r / 2 % 4) * 16 + c % 4 * 4);
    for (int64_t c = 0; c < 8; ++c)
      REQUIRE(s32.offsetBytes({r, c}) ==
              r * 32 + (c / 4 ^ r / 4 % 2) * 16 + c % 4 * 4);
  }
  CHECK(s64.alignment() == 512);
  CHECK(s32.alignment() == 256);
}

TEST_CASE("shared: every layout is injective and in bounds", "[layout]") {
  for (SharedKind kind : kAll)
    for (unsigned bits : {8u, 16u, 32u, 64u})
      for (std::vector<int64_t> shape : {std::vector<int64_t>{2, 24, 48},
                                         {3, 5, 128},
                                         {64, 192},
                                         {256},
                                         {7, 16},
                                         {2, 2, 8, 64}}) {
        if (!SharedLayout::isPossible(kind, shape, bits))
          continue;
        SharedLayout layout(kind, shape, bits);
        INFO(layout.toString());
        std::set<int64_t> seen;
        int64_t elements = 1;
        for (int64_t extent : shape)
          elements *= extent;
        for (int64_t i = 0; i < elements; ++i) {
          Coords coords(shape.size());
          int64_t rest = i;
          for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
            coords[d] = rest % shape[d];
          int64_t offset = layout.offsetBytes(coords);
          REQUIRE(offset % (bits / 8) == 0);
          REQUIRE(offset >= 0);
          REQUIRE(offset + bits / 8 <= layout.sizeBytes());
          REQUIRE(seen.insert(offset).second);
          // Aligned vectors stay together.
          int64_t vector = layout.maxVectorElements();
          if (shape.back() % vector == 0) {
            Coords first(coords);
            first.back() = first.back() / vector * vector;
            REQUIRE(offset == layout.offsetBytes(first) +
                                  (coords.back() - first.back()) * (bits / 8));
            REQUIRE(layout.offsetBytes(first) % (vector * (bits / 8)) == 0);
          }
        }
        REQUIRE(SharedLayout::parse(layout.toString()) == layout);
      }
}

TEST_CASE("shared: linear, padded and bool tiles", "[layout]") {
  SharedLayout linear(SharedKind::Linear, {4, 17, 16}, 32);
  CHECK(linear.offsetBytes({3, 16, 15}) == ((3 * 17 + 16) * 16 + 15) * 4);
  CHECK(linear.sizeBytes() == 4 * 17 * 16 * 4);
  SharedLayout padded = SharedLayout::padded({64, 32}, 16, 16);
  CHECK(padded.offsetBytes({3, 5}) == 3 * 80 + 10);
  CHECK(padded.sizeBytes() == 64 * 80);
  CHECK(padded.maxVectorElements() == 8);
  CHECK(SharedLayout::parse("linear 64x32 bits=16 pad=16") == padded);
  SharedLayout flags(SharedKind::Linear, {100}, 1);
  CHECK(flags.sizeBytes() == 100);
  CHECK(flags.alignment() == 16);
  CHECK(SharedLayout(SharedKind::Linear, {8, 17}, 32).maxVectorElements() == 1);
  CHECK(SharedLayout(SharedKind::Linear, {8, 18}, 32).maxVectorElements() == 2);
  CHECK(SharedLayout(SharedKind::Linear, {17}, 32).maxVectorElements() == 4);
}

TEST_CASE("shared: bad text is refused", "[layout]") {
  for (const char *text :
       {"", "linear", "linear 4x4", "round 4x4 bits=16", "linear 4y4 bits=16",
        "linear 0x4 bits=16", "linear 4x4 bits=12", "linear 4x4 bits=x",
        "swizzle128 8x8 bits=16", "swizzle32 8x16 bits=16 pad=4",
        "linear 99999x99999 bits=8", "linear 4x4 bits=16 pad=16 more"}) {
    std::string error;
    INFO(text);
    CHECK_FALSE(SharedLayout::parse(text, &error));
    CHECK_FALSE(error.empty());
  }
}

TEST_CASE("shared: selection by continuity", "[layout]") {
  // v = 128 / bits: c % 8v, 4v, 2v.
  for (unsigned bits : {8u, 16u, 32u})
    for (int64_t c = 8; c <= 512; c += 8) {
      int64_t v = 128 / bits;
      SharedKind expected = c % (8 * v) == 0   ? SharedKind::Swizzle128
                            : c % (4 * v) == 0 ? SharedKind::Swizzle64
                            : c % (2 * v) == 0 ? SharedKind::Swizzle32
                                               : SharedKind::Panel16;
      CHECK(selectWgmmaKind(c, bits) == expected);
    }
  CHECK(selectCopyKind({64, 128}, 16) == SharedKind::Swizzle128);
  CHECK(selectCopyKind({64, 96}, 16) == SharedKind::Swizzle64);
  CHECK(selectCopyKind({17, 17}, 32) == SharedKind::Linear);
}

TEST_CASE("shared: boxes cover the tile as TMA writes it", "[layout]") {
  // A box lands row-major from its offset, rows of the inner extent; the
  // address bits are then exchanged according to the swizzle mode.
  for (SharedKind kind : kAll)
    for (std::vector<int64_t> shape : {std::vector<int64_t>{64, 128},
                                       {2, 64, 64},
                                       {512, 32},
                                       {1, 16, 192},
                                       {2048}}) {
      if (!SharedLayout::isPossible(kind, shape, 16))
        continue;
      SharedLayout layout(kind, shape, 16);
      auto boxes = layout.tmaBoxes(limits());
      INFO(layout.toString());
      REQUIRE(boxes);
      int64_t bits = boxes->swizzleBytes == 128  ? 7
                     : boxes->swizzleBytes == 64 ? 3
                     : boxes->swizzleBytes == 32 ? 1
                                                 : 0;
      std::set<Coords> seen;
      int64_t bytes = 0;
      for (const TmaBoxCopy &copy : boxes->copies) {
        CHECK(copy.offsetBytes % 128 == 0);
        bytes += boxes->bytesPerBox;
        int64_t elements = boxes->bytesPerBox / 2;
        for (int64_t i = 0; i < elements; ++i) {
          Coords at(copy.origin);
          int64_t rest = i;
          for (size_t d = shape.size(); d-- > 0; rest /= boxes->box[d])
            at[d] += rest % boxes->box[d];
          int64_t address = copy.offsetBytes + 2 * i;
          address ^= (address >> 7 & bits) << 4;
          REQUIRE(layout.offsetBytes(at) == address);
          REQUIRE(seen.insert(at).second);
        }
      }
      CHECK(bytes == int64_t(seen.size()) * 2);
      int64_t elements = 1;
      for (int64_t extent : shape)
        elements *= extent;
      CHECK(int64_t(seen.size()) == elements);
      for (int64_t extent : boxes->box)
        CHECK(extent <= 256);
    }
}

TEST_CASE("shared: boxes of rectangles and refusals", "[layout]") {
  SharedLayout stages(SharedKind::Swizzle128, {2, 64, 128}, 16);
  auto stage = stages.tmaBoxes({1, 0, 64}, {1, 64, 64}, limits());
  REQUIRE(stage);
  REQUIRE(stage->copies.size() == 1);
  CHECK(stage->copies[0].offsetBytes == 16384 + 8192);
  CHECK(stage->copies[0].origin == Coords{0, 0, 0});
  CHECK(stages.matrixBytes() == 64 * 128 * 2);
  std::string reason;
  CHECK_FALSE(stages.tmaBoxes({0, 4, 0}, {1, 8, 128}, limits(), &reason));
  CHECK(reason.find("start at byte 512") != std::string::npos);
  CHECK_FALSE(stages.tmaBoxes({0, 0, 32}, {1, 64, 64}, limits(), &reason));
  CHECK_FALSE(
      SharedLayout::padded({64, 64}, 16, 16).tmaBoxes(limits(), &reason));
  CHECK(reason.find("padding") != std::string::npos);
  // 17 * 4 bytes are no multiple of 16.
  SharedLayout odd(SharedKind::Linear, {4, 17}, 32);
  CHECK_FALSE(odd.tmaBoxes(limits(), &reason));
  // 512 columns do not fit one box, and a linear matrix keeps its rows whole.
  SharedLayout wide(SharedKind::Linear, {4, 512}, 16);
  CHECK_FALSE(wide.tmaBoxes(limits(), &reason));
  CHECK(reason.find("512") != std::string::npos);
}

TEST_CASE("shared: wgmma operands, golden descriptors", "[layout]") {
  // K-major, 128-byte swizzle: SBO 64, LBO 1, k step 2 units, 64 rows 512.
  SharedLayout a(SharedKind::Swizzle128, {128, 64}, 16);
  auto operand = a.wgmmaOperand(/*kMajor=*/true);
  REQUIRE(operand);
  CHECK(operand->descriptorBits() ==
        (uint64_t(1) << 62 | uint64_t(64) << 32 | uint64_t(1) << 16));
  CHECK(operand->kStepOffset(1) == 2 * 16);
  CHECK(operand->blockOffset(64, 0) == 512 * 16);
  // K of 128: the fifth step is in the second panel.
  SharedLayout deep(SharedKind::Swizzle128, {64, 128}, 16);
  CHECK(deep.wgmmaOperand(true)->kStepOffset(4) == 8192);
  CHECK(deep.wgmmaOperand(true)->kStepOffset(5) == 8192 + 32);
  // MN-major (K x N in memory), 64 k: slabs 8192 apart, LBO 512, SBO 64, k
  // step 128 units.
  SharedLayout b(SharedKind::Swizzle128, {64, 256}, 16);
  operand = b.wgmmaOperand(/*kMajor=*/false);
  REQUIRE(operand);
  CHECK(operand->descriptorBits() ==
        (uint64_t(1) << 62 | uint64_t(64) << 32 | uint64_t(512) << 16));
  CHECK(operand->kStepOffset(1) == 128 * 16);
  CHECK(operand->blockOffset(128, 0) == 2 * 8192);
}

TEST_CASE("shared: wgmma reads what the layout wrote", "[layout]") {
  // The canonical layouts of the PTX ISA ("Shared memory matrix layout"), in
  // units of 16 bytes, with T = elements in a unit. W = units in a span.
  //   K-major:  row r, unit u of K:  r%8 * W + r/8 * SBO + u     (u < W)
  //   no swizzle:                    r%8     + r/8 * SBO + u * LBO
  //   MN-major: unit u of MN, row k: u%W + u/W * LBO + k%8 * W + k/8 * SBO
  //   no swizzle:                    u * SBO + k%8 + k/8 * LBO
  for (SharedKind kind : kAll) {
    if (kind == SharedKind::Linear)
      continue;
    int64_t units = spanBytes(kind) / 16;
    bool plain = kind == SharedKind::Panel16;
    SharedLayout k(kind, {32, 128}, 16), mn(kind, {32, 128}, 16);
    WgmmaOperand ko = *k.wgmmaOperand(true), mo = *mn.wgmmaOperand(false);
    for (int64_t step = 0; step < 8; ++step)
      for (int64_t r = 0; r < 32; ++r)
        for (int64_t u = 0; u < 2; ++u) {
          int64_t offset = r % 8 * 16 * units + r / 8 * ko.strideBytes +
                           (plain ? u * ko.leadingBytes : u * 16);
          REQUIRE(k.swizzle(ko.kStepOffset(step) + offset) ==
                  k.offsetBytes({r, step * 16 + u * 8}));
        }
    for (int64_t step = 0; step < 2; ++step)
      for (int64_t row = 0; row < 16; ++row)
        for (int64_t u = 0; u < 16; ++u) {
          int64_t offset =
              plain ? u * mo.strideBytes + row % 8 * 16 +
                          row / 8 * mo.leadingBytes
                    : u % units * 16 + u / units * mo.leadingBytes +
                          row % 8 * 16 * units + row / 8 * mo.strideBytes;
          REQUIRE(mn.swizzle(mo.kStepOffset(step) + offset) ==
                  mn.offsetBytes({step * 16 + row, u * 8}));
        }
  }
}

TEST_CASE("shared: operands wgmma cannot read", "[layout]") {
  std::string reason;
  auto refuse = [&](SharedLayout layout, bool kMajor) {
    reason.clear();
    CHECK_FALSE(layout.wgmmaOperand(kMajor, &reason));
    CHECK_FALSE(reason.empty());
  };
  refuse(SharedLayout(SharedKind::Linear, {64, 64}, 16), true);
  refuse(SharedLayout(SharedKind::Swizzle128, {12, 64}, 16), true);
  refuse(SharedLayout(SharedKind::Swizzle128, {64, 32}, 32), false);
  refuse(SharedLayout(SharedKind::Swizzle128, {8, 64}, 16), false);
  refuse(SharedLayout(SharedKind::Panel16, {64, 8}, 16), true);
}

TEST_CASE("shared: wavefronts", "[layout]") {
  // Accumulator rows stored as 32-bit pairs: lanes 0-3 cover 16 bytes, eight
  // rows. Linear rows of 128 bytes collide eightfold, swizzled ones do not.
  SharedLayout linear(SharedKind::Linear, {64, 64}, 16);
  SharedLayout swizzled(SharedKind::Swizzle128, {64, 64}, 16);
  LinearLayout acc = wgmmaAccumulator(64, 64, 1, 1);
  Coords plain, exchanged;
  for (int64_t lane = 0; lane < 32; ++lane) {
    plain.push_back(linear.offsetBytes(acc.coords(0, lane)));
    exchanged.push_back(swizzled.offsetBytes(acc.coords(0, lane)));
  }
  CHECK(sharedWavefronts(plain, 4) == 8);
  CHECK(sharedWavefronts(exchanged, 4) == 1);
  // All lanes at one address: a broadcast. 16 bytes each: four passes.
  CHECK(sharedWavefronts(Coords(32, 64), 4) == 1);
  Coords wide;
  for (int64_t lane = 0; lane < 32; ++lane)
    wide.push_back(16 * lane);
  CHECK(sharedWavefronts(wide, 16) == 4);
  CHECK(sharedWavefronts({}, 4) == 0);
}
