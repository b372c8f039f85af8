// The order in which a copy visits a thread's registers: those that are
// neighbours in memory first, so that they move in one access.
#include "compiler/conversion/SMToThreads/ExpandCopy.h"

#include "compiler/analysis/SharedLayout.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::sm;
using analysis::Coords;
using analysis::Digit;
using analysis::LinearLayout;

/// Digits of one bit each; counts that are not powers of two stay, and digits
/// that are combined by xor, which are one bit.
static SmallVector<Digit, 8> splitBits(ArrayRef<Digit> digits) {
  SmallVector<Digit, 8> bits;
  for (Digit digit : digits) {
    while (!digit.exclusiveOr && digit.count % 2 == 0) {
      bits.push_back({2, digit.step});
      digit.count /= 2;
      for (int64_t &s : digit.step)
        s *= 2;
    }
    if (digit.count > 1)
      bits.push_back(digit);
  }
  return bits;
}

/// How far one step of the points moves in the memory of `end` in bytes; 0 if
/// that is not one number.
static int64_t bytesOfStep(const Endpoint &end, const Coords &step) {
  if (end.kind == Endpoint::Shared) {
    Coords inTile;
    for (int dim : end.region.dims)
      inTile.push_back(dim < 0 ? 0 : step[dim]);
    return end.tile.layout.unswizzledOffset(inTile);
  }
  int last = end.region.dims.empty() ? -1 : end.region.dims.back();
  for (auto [dim, by] : llvm::enumerate(step))
    if (by != 0 && static_cast<int>(dim) != last)
      return 0;
  return last < 0 ? 0
                  : step[last] *
                        std::max(8u, end.element.getIntOrFloatBitWidth()) / 8;
}

LinearLayout sm::vectorsFirst(const LinearLayout &layout,
                              const Endpoint &memory) {
  constexpr int64_t widest = 16;
  SmallVector<Digit, 8> bits = splitBits(layout.registerDigits()), first;
  for (int64_t bytes = std::max(8u, memory.element.getIntOrFloatBitWidth()) / 8;
       bytes < widest; bytes *= 2) {
    auto *found = llvm::find_if(bits, [&](const Digit &digit) {
      return digit.count == 2 && !digit.exclusiveOr &&
             bytesOfStep(memory, digit.step) == bytes;
    });
    if (found == bits.end())
      break;
    first.push_back(*found);
    bits.erase(found);
  }
  first.append(bits);
  return LinearLayout(layout.shape(), first, layout.threadDigits());
}
