// Layouts of register tiles: which element of a tile a thread holds in which
// of its registers. One algebra serves matrix fragments, copies, parallel
// loops, reductions and row vectors.
//
// THE IDEA
//
// A layout is a function
//
//     coords : (register r, thread t)  ->  (c0, c1, ..., c_{n-1})
//
// from 0 <= r < numRegisters and 0 <= t < numThreads to the coordinates of a
// tile. r and t are taken apart into digits, least significant first, and each
// digit moves the coordinates by its own step:
//
//     r = r0 + n0*r1 + n0*n1*r2 + ...        0 <= ri < ni
//     coords(r, t) = sum_i ri * step_i  (+)  sum_j tj * step_j
//
// If all counts are 2 this is a linear map over F2, the bits of r and t being
// the input basis: the form in which all hardware fragments come. A count that
// is not a power of two is a repetition: 6 column blocks, 25 vectors a row, 3
// warpgroups. Lanes and warps are the low five and the higher bits of t.
//
// The text form lists count:step, e.g. the accumulator of one m64n128
// warpgroup instruction (four warps, 16 rows each):
//
//     regs=[2:(0,1) 2:(8,0) 16:(0,8)] threads=[4:(0,2) 8:(1,0) 4:(16,0)]
//     shape=64x128
//
// read as: register bit 0 is the column's bit 0, register bit 1 is row bit 3,
// the other 16 register values are column blocks of 8; two lane bits are
// column pairs, three lane bits the row, and the warp the block of 16 rows.
//
// STEPS THAT OVERLAP
//
// A digit of count 2 written `^step` is combined by exclusive or instead of
// addition. The two agree unless steps share bits, which happens in swizzled
// maps only. The constructor turns every ^ digit that shares no bit with
// another ^ digit into an additive one and fuses neighbours (2:(0,1)
// 2:(0,2) is 4:(0,1)), so that text is canonical for additive layouts: equal
// functions of equal shapes have equal text.
//
// REPLICATION, RANGE, OWNERSHIP
//
// A thread digit with step 0 replicates: threads that differ in it hold copies
// and all copies must be written alike. A register digit with step 0 would be
// a copy in the same thread; projections remove those.
// Steps may lead beyond the tile (50 columns in vectors of 8): such (r, t) are
// out of range, hold nothing, and `inRange` tells. Tiles that fit have
// `isExact`.
//
// OPERATIONS
//
// Dropping a dimension (sliceDim) gives the layout of a row vector m[i] that
// goes with acc[i, j]: the digits that moved j only become replication (of
// threads) or vanish (of registers). What the reduction over j must combine is
// exactly those digits: registers in a thread, then lanes (shuffles by the
// masks of reductionPlan), then warps (through shared memory).
// A vector access is possible when the low register digit walks memory with
// step 1 (vectorWidth). Address arithmetic is printed from terms
// ((t / div) % mod) * stride, one sum for the thread, one for the register.
// Any layout converts to any other one: by renaming registers if each thread
// already holds what it needs (registerConversion), else through shared
// memory.
#ifndef TLC_COMPILER_ANALYSIS_LAYOUT_H
#define TLC_COMPILER_ANALYSIS_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tlc::analysis {

/// Coordinates in a tile, or a difference of coordinates; one per dimension.
using Coords = llvm::SmallVector<int64_t, 4>;

/// One digit of a register or thread index.
struct Digit {
  int64_t count;            ///< values 0 .. count-1; a ^ digit has 2
  Coords step;              ///< what one unit of the digit adds
  bool exclusiveOr = false; ///< combine by xor, see the essay

  bool operator==(const Digit &other) const = default;
};

/// ((x / div) % mod) * stride; mod == 0 means no modulo (the top digit).
struct Term {
  int64_t div, mod, stride;

  int64_t evaluate(int64_t x) const {
    return (mod ? x / div % mod : x / div) * stride;
  }
  bool operator==(const Term &other) const = default;
};

/// A register or a place where an element lives.
struct Owner {
  int64_t reg, thread;

  bool operator==(const Owner &other) const = default;
};

/// How the threads of a block combine what they hold of one row, see
/// LinearLayout::reductionPlan.
struct ReductionPlan {
  /// Lane masks for butterfly shuffles (shfl.bfly), smallest first.
  llvm::SmallVector<int64_t, 5> laneMasks;
  /// Groups of warps that hold parts of the same row: digit of the warp index
  /// as (warp / div) % mod, stride unused. Empty: no shared memory is needed.
  llvm::SmallVector<Term, 2> warpTerms;
  /// The digits straddle a warp or are no power of two: no shuffles, all of
  /// the exchange goes through shared memory; the lists are empty.
  bool irregular = false;
};

/// A distribution of a tile over the registers of threads. A value type;
/// immutable once built. See the essay above.
class LinearLayout {
public:
  LinearLayout() = default;

  /// Digits least significant first; every step has shape.size() entries, all
  /// counts >= 1, all steps >= 0. Brought to canonical form.
  LinearLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Digit> registers,
               llvm::ArrayRef<Digit> threads);

  /// All `threads` threads hold the whole tile, row-major in registers.
  static LinearLayout replicated(llvm::ArrayRef<int64_t> shape,
                                 int64_t threads);

  llvm::ArrayRef<int64_t> shape() const { return tileShape; }
  unsigned rank() const { return tileShape.size(); }
  int64_t numElements() const;
  int64_t numThreads() const;
  /// Registers (elements) per thread, out of range ones included.
  int64_t numRegisters() const;
  llvm::ArrayRef<Digit> registerDigits() const { return registers; }
  llvm::ArrayRef<Digit> threadDigits() const { return threads; }

  /// Where register `reg` of thread `thread` lies in the tile; may be beyond
  /// the shape.
  Coords coords(int64_t reg, int64_t thread) const;
  bool inRange(int64_t reg, int64_t thread) const;
  /// Every (register, thread) is in range.
  bool isExact() const;
  /// All holders of an element, ordered by thread, then register.
  llvm::SmallVector<Owner, 2> ownerOf(llvm::ArrayRef<int64_t> coords) const;
  /// Number of copies if every element has the same number of holders (>= 1).
  std::optional<int64_t> replication() const;
  bool coversExactlyOnce() const { return replication() == 1; }
  /// Some threads hold copies of others' elements (a thread digit of step 0).
  bool hasReplicatedThreads() const;
  /// True for one thread of each set of copies: all replicated digits zero.
  bool isPrimary(int64_t thread) const;
  /// Terms whose values must all be zero in a primary thread.
  llvm::SmallVector<Term, 2> replicaTerms() const;

  /// No ^ digit is left: coordinates are sums of terms.
  bool isAdditive() const;
  /// The thread's and the register's share of coordinate `dim`; requires
  /// isAdditive. coordinate = sum of terms(thread) + sum of terms(reg).
  llvm::SmallVector<Term, 4> threadTerms(unsigned dim) const;
  llvm::SmallVector<Term, 4> registerTerms(unsigned dim) const;

  /// Dimension i of the result is dimension order[i] of this.
  LinearLayout permuteDims(llvm::ArrayRef<unsigned> order) const;
  LinearLayout transpose() const; ///< rank 2: swaps the dimensions
  /// Drops a dimension; see the essay. Register digits that moved only `dim`
  /// vanish, thread digits stay as replication.
  LinearLayout sliceDim(unsigned dim) const;
  /// For every register of this, the register of sliceDim(dim) with the same
  /// remaining coordinates.
  llvm::SmallVector<int64_t, 0> sliceRegisterMap(unsigned dim) const;
  /// The same, but `dim` stays with extent 1.
  LinearLayout reduceDim(unsigned dim) const;
  /// A new dimension of extent 1 before `dim` (dim == rank(): at the end).
  LinearLayout insertUnitDim(unsigned dim) const;
  /// The same elements in row-major order under another shape. Fails if the
  /// layout is not exact, the sizes differ or digits cannot follow the new
  /// dimensions.
  std::optional<LinearLayout> reshape(llvm::ArrayRef<int64_t> shape) const;
  /// The steps unchanged, another shape of the same rank: clips or widens what
  /// is in range.
  LinearLayout withShape(llvm::ArrayRef<int64_t> shape) const;

  /// What a reduction over `dim` combines across threads.
  ReductionPlan reductionPlan(unsigned dim) const;

  /// Largest power of two v such that registers v*i .. v*i+v-1 of each thread
  /// are v consecutive elements of a memory with these strides (in elements),
  /// start at a multiple of v, and are in range together.
  int64_t vectorWidth(llvm::ArrayRef<int64_t> strides) const;
  /// The same for a memory in which only `dim` is known to be contiguous; the
  /// caller checks that the other strides are multiples of the width.
  int64_t vectorWidthAlong(unsigned dim) const;

  /// For each register of `to`, the register of this that holds the same
  /// element in every thread; fails if there is none (the values must cross
  /// threads).
  std::optional<llvm::SmallVector<int64_t, 0>>
  registerConversion(const LinearLayout &to) const;

  /// Same shape, thread count, register count and function.
  bool operator==(const LinearLayout &other) const;
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }

  /// `regs=[2:(0,1) ...] threads=[4:(0,2) ...] shape=64x128`
  std::string toString() const;
  /// Reads toString's form. On failure `error` (if given) says what and at
  /// which column.
  static std::optional<LinearLayout> parse(llvm::StringRef text,
                                           std::string *error = nullptr);

private:
  llvm::SmallVector<int64_t, 4> tileShape;
  llvm::SmallVector<Digit, 4> registers, threads;
};

/// Elements of a row-major tile between neighbours in each dimension.
llvm::SmallVector<int64_t, 4> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace tlc::analysis

#endif // TLC_COMPILER_ANALYSIS_LAYOUT_H
