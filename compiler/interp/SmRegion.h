// One side of a copy: a region of a buffer, placed for one warp.
#pragma once

#include "compiler/interp/SmRun.h"

namespace tlc::interp {

/// The points of a layout that the 32 threads from `firstThread` on visit.
WarpPoints visitPoints(const analysis::LinearLayout &layout,
                       int64_t firstThread);

struct SmRegion {
  struct Dim {
    int64_t offset, stride, size; ///< in elements; size of the buffer
    int domain; ///< dimension of the points that runs along it; -1: none
  };

  const SmBuffer *buffer = nullptr;
  llvm::SmallVector<Dim, 4> dims;
  uint8_t *data = nullptr;      ///< global and registers
  const SmTile *tile = nullptr; ///< shared
  uint32_t base = 0;            ///< shared: of the slot
  int64_t slot = 0;
  RegisterTile *registers = nullptr;

  bool isIn(tile::Space space) const { return buffer->space == space; }
  bool isMemory() const {
    return isIn(tile::Space::Shared) || isIn(tile::Space::Global);
  }
  unsigned elementSize() const { return sizeOf(buffer->elem); }

  /// The element at the origin of the points.
  int64_t start() const {
    int64_t index = 0;
    for (const Dim &d : dims)
      index += d.offset * d.stride;
    return index;
  }
  /// The element at a point; -1 outside of the buffer.
  int64_t element(const int32_t *point) const {
    int64_t index = 0;
    for (const Dim &d : dims) {
      int64_t at = d.offset + (d.domain < 0 ? 0 : point[d.domain]);
      if (static_cast<uint64_t>(at) >= static_cast<uint64_t>(d.size))
        return -1;
      index += at * d.stride;
    }
    return index;
  }
  uint32_t address(int64_t element) const {
    return base + tile->byteOf[element];
  }
};

} // namespace tlc::interp
