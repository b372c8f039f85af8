// The one table between `#tile.swizzle` and the physical layout of a tile.
#ifndef TLC_COMPILER_ANALYSIS_SHAREDKINDS_H
#define TLC_COMPILER_ANALYSIS_SHAREDKINDS_H

#include "compiler/analysis/SharedLayout.h"
#include "dialects/tile/Tile.h"

namespace tlc::analysis {

/// The layout kind of a shared tile; without a swizzle it is row-major.
inline SharedKind sharedKindOf(std::optional<tile::Swizzle> swizzle) {
  switch (swizzle.value_or(tile::Swizzle::None)) {
  case tile::Swizzle::None:
    return SharedKind::Linear;
  case tile::Swizzle::B32:
    return SharedKind::Swizzle32;
  case tile::Swizzle::B64:
    return SharedKind::Swizzle64;
  case tile::Swizzle::B128:
    return SharedKind::Swizzle128;
  }
  llvm_unreachable("unknown swizzle");
}

/// The order of a shared tile; natural without an attribute.
inline TileOrder tileOrderOf(tile::TileOrderAttr attr) {
  if (!attr)
    return {};
  return {attr.getTransposed(), static_cast<Order>(attr.getRows()),
          static_cast<Order>(attr.getColumns())};
}
static_assert(int(tile::Order::Quads) == int(Order::Quads) &&
              int(tile::Order::Pairs) == int(Order::Pairs));

} // namespace tlc::analysis

#endif // TLC_COMPILER_ANALYSIS_SHAREDKINDS_H
