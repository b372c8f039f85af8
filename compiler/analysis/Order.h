// Orders of the elements along one dimension of a tile other than 0, 1, 2, ...
// in memory: chosen so that what one thread holds of a product's operands and
// result are neighbours in every memory that it touches.
//
// Quads: of 16 elements, thread t of 4 owns the neighbours 4t .. 4t+3; the
// matrix instruction has them in slots 2t, 2t+1, 8+2t, 8+2t+1:
//
//     element 4t + 2j + b  is in slot  8j + 2t + b
//
// Pairs: of 8 elements, thread t of 4 owns 2t and 2t+1, which the instruction
// (K of 32-bit operands) has in slots t and t+4:
//
//     element 2t + b  is in slot  4b + t
#ifndef TLC_COMPILER_ANALYSIS_ORDER_H
#define TLC_COMPILER_ANALYSIS_ORDER_H

#include <cstdint>

namespace tlc::analysis {

enum class Order { Natural, Quads, Pairs };

/// Elements after which an order repeats.
inline int64_t period(Order order) {
  return order == Order::Quads ? 16 : order == Order::Pairs ? 8 : 1;
}

/// The slot of element `i`. A map of the bits of i: the slots of sums of
/// different powers of two add up.
inline int64_t slotOf(Order order, int64_t i) {
  switch (order) {
  case Order::Natural:
    return i;
  case Order::Quads:
    return (i & ~14) | (i & 12) >> 1 | (i & 2) << 2;
  case Order::Pairs:
    return (i & ~7) | (i & 6) >> 1 | (i & 1) << 2;
  }
  return i;
}

/// How the elements of a matrix of logical rows and columns lie: each
/// dimension in its order, then, if `transposed`, columns run along rows.
struct TileOrder {
  bool transposed = false;
  Order rows = Order::Natural, columns = Order::Natural;

  bool isNatural() const { return *this == TileOrder(); }
  bool operator==(const TileOrder &other) const = default;
};

/// How a product numbers its rows, columns and steps of K, other than the
/// instruction does (PTX ISA, wgmma register fragments).
struct Numbering {
  /// A thread's rows are neighbours: with T = M / (16 warps) rows blocks, row
  /// 16T w + 2T g + 2 i + h is row 8h + g of block i of warp w.
  bool quadM = false;
  /// Columns are in Quads: a thread's four are neighbours.
  bool quadN = false;
  /// K is in Pairs.
  bool pairK = false;

  bool operator==(const Numbering &other) const = default;
};

} // namespace tlc::analysis

#endif // TLC_COMPILER_ANALYSIS_ORDER_H
