// Addresses of the points of a tile in shared and global memory.
#pragma once

#include "compiler/conversion/SMToThreads/Points.h"

namespace tlc::sm {

/// Shared memory. If registers and threads move different bits of the
/// coordinates, the swizzled offset is one thread part, computed once, combined
/// with constants; else it is computed at every point.
class SharedAccess {
public:
  SharedAccess(const Points &points, SharedTile tile, Slice region);

  /// Largest vector, in elements, that the tile allows along the points.
  static int64_t maxVector(const analysis::LinearLayout &layout,
                           const SharedTile &tile, const Slice &region);
  /// How far one unit of a digit moves; a key for Points::fuse.
  void appendKeys(const RegDigit &digit, llvm::SmallVectorImpl<int64_t> &keys);
  /// Emits the thread part; call before the loops.
  void prepare();
  mlir::Value address(mlir::ValueRange ivs) const;

  /// Byte address of the element at full coordinates.
  static mlir::Value addressOf(Arith &a, const SharedTile &tile,
                               llvm::ArrayRef<mlir::Value> coords);

private:
  analysis::Coords bufferStep(llvm::ArrayRef<int64_t> step) const;
  bool findSeparable();
  bool isXor(int64_t unswizzled) const;

  const Points &points;
  SharedTile tile;
  Slice region;
  bool separable;
  mlir::Value threadXor; ///< swizzled thread part; null for 0
  mlir::Value base;      ///< address that parts are added to
};

/// Global memory: linear index, bounds, alignment.
class GlobalAccess {
public:
  GlobalAccess(const Points &points, mlir::Value param, Slice region);

  /// Emits thread parts, strides and the guards that no loop changes.
  void prepare();
  /// Condition that holds or fails for the whole thread; null: true.
  mlir::Value outerGuard() const { return outer; }
  mlir::Value index(mlir::ValueRange ivs) const;
  /// Condition at a point beyond outerGuard; null: true.
  mlir::Value innerGuard(mlir::ValueRange ivs) const;
  mlir::Value buffer() const { return param; }

  /// Largest vector up to `width` that is aligned in every execution.
  static int64_t provenVector(Expander &x, mlir::Location loc,
                              mlir::Value param, const Slice &region,
                              int64_t width, bool baseAligned);
  /// The condition under which accesses of `width` elements are aligned,
  /// uniform over the grid; null if offsets can break it.
  static mlir::Value vectorCondition(Expander &x, mlir::Location loc,
                                     mlir::Value param, const Slice &region,
                                     int64_t width);
  /// Linear index and bounds of the element at full coordinates.
  static std::pair<mlir::Value, mlir::Value>
  elementAt(Expander &x, mlir::Location loc, mlir::Value param,
            llvm::ArrayRef<mlir::Value> coords, bool inBounds);

private:
  const Points &points;
  mlir::Value param;
  Slice region;
  mlir::Value base, outer;
  llvm::SmallVector<mlir::Value> strides;
  llvm::SmallVector<unsigned> loopDims; ///< buffer dims checked at each point
};

} // namespace tlc::sm
