// The estimate of registers.
#include "compiler/conversion/TileToWS/Registers.h"

using namespace mlir;
using namespace tlc;

/// Registers that a thread needs besides its fragments.
constexpr int64_t kBaseRegisters = 40;

int64_t tlc::countFragmentBits(Operation *scope) {
  int64_t bits = 0;
  scope->walk([&](tile::AllocOp alloc) {
    auto type = alloc.getResult().getType();
    if (tile::isInSpace(type, tile::Space::Fragment))
      bits += type.getNumElements() * type.getElementTypeBitWidth();
  });
  return bits;
}

int64_t tlc::estimateRegisters(int64_t fragmentBits, int64_t threads) {
  return fragmentBits / 32 / threads + kBaseRegisters;
}
