// The points of a tile that one thread visits: loops over the digits of its
// register index, and where memory and registers are at each turn.
#pragma once

#include "compiler/conversion/SMToThreads/Expander.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tlc::sm {

/// One loop over registers: `count` turns, each moves the register index of
/// the layout by `reg` and the coordinates by `step`.
struct RegDigit {
  int64_t count, reg;
  analysis::Coords step;
};

/// Register `to` of `fragment` that holds, in every thread that visits a
/// point, the element at `coordsOf(point)`; fails where an element belongs to
/// another thread or the position differs between threads.
std::optional<RegisterMap>
mapRegisters(const analysis::LinearLayout &points,
             const analysis::LinearLayout &fragment,
             llvm::function_ref<
                 std::optional<analysis::Coords>(const analysis::Coords &)>
                 coordsOf);

class Points {
public:
  /// Visits the points of `layout`, `vector` registers at a time.
  Points(Expander &x, mlir::Location loc, const analysis::LinearLayout &layout,
         int64_t vector);

  /// Digits are single bits (or whole odd counts) until `fuse`. A key says how
  /// far something moves for one unit of a digit; neighbours fuse into one
  /// loop if all keys continue. Coordinates are keys too unless nobody asks.
  void fuse(llvm::function_ref<void(const RegDigit &,
                                    llvm::SmallVectorImpl<int64_t> &)>
                keys,
            bool coordinates = true);
  llvm::ArrayRef<RegDigit> digits() const { return loops; }

  /// Leaves the outermost loop a loop, for short code: a turn visits about
  /// `perTurn` registers, then `array` rotates and is, after the last turn, as
  /// before. Call after `fuse`, with a map that `isLinear`. Does nothing where
  /// no loop walks through the whole array.
  void roll(mlir::Value array, const RegisterMap &map, int64_t perTurn);

  /// The thread's share of coordinate `dim`; null for 0.
  mlir::Value threadCoord(unsigned dim) const { return threadCoords[dim]; }
  /// Coordinate `dim` at the turn given by the loop variables.
  mlir::Value coord(unsigned dim, mlir::ValueRange ivs) const;
  /// Some register digit moves `dim`.
  bool moves(unsigned dim) const;

  /// The thread takes part; null if all do.
  mlir::Value participates() const;
  /// The thread is the first of those with the same points; null if all are.
  mlir::Value primary() const;
  /// The point lies in the tile; null if all do.
  mlir::Value inRange(mlir::ValueRange ivs) const;

  /// Nested loops, then `body` inside. They have the attribute `unroll`, all
  /// but one that `roll` made.
  void emitLoops(llvm::function_ref<void(mlir::ValueRange)> body) const;
  /// Position in an array under a map that `isLinear`: the loops add up, the
  /// registers of a vector may lie anywhere.
  mlir::Value arrayIndex(const RegisterMap &map, mlir::ValueRange ivs,
                         int64_t lane = 0) const;
  bool isLinear(const RegisterMap &map) const;

  const analysis::LinearLayout &layout() const { return tileLayout; }
  int64_t vector() const { return width; }
  Expander &expander() const { return x; }
  mlir::Location location() const { return loc; }

private:
  Expander &x;
  mlir::Location loc;
  analysis::LinearLayout tileLayout;
  int64_t width;
  llvm::SmallVector<RegDigit> loops;
  llvm::SmallVector<mlir::Value> threadCoords;
  mlir::Value rolledArray; ///< of the last loop, if that stays a loop
  int64_t rolledBy = 0;    ///< registers of a turn
};

/// Which dimension of the domain runs along each dimension of a buffer (-1:
/// none), and where the region starts.
struct Slice {
  llvm::SmallVector<int> dims;
  llvm::SmallVector<mlir::Value> offsets; ///< i32; null for 0
};

} // namespace tlc::sm
