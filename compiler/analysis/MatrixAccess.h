// Moves of 8 x 8 matrices between shared memory and fragments (PTX ISA,
// ldmatrix and stmatrix): whether a fragment can use them, and which row each
// lane points to.
#ifndef TLC_COMPILER_ANALYSIS_MATRIXACCESS_H
#define TLC_COMPILER_ANALYSIS_MATRIXACCESS_H

#include "compiler/analysis/Layout.h"

namespace tlc::analysis {

/// How a warp moves a fragment by ldmatrix or stmatrix.
struct MatrixAccess {
  /// .x1, .x2 or .x4: matrices of one instruction.
  int64_t matrices;
  /// .trans: memory rows run down the fragment's columns.
  bool transposed;
  /// Elements one instruction moves per thread: instruction i moves registers
  /// i * registersPerInstruction onwards, in order.
  int64_t registersPerInstruction;
  /// coords(i, t): the first element of the 16-byte row that thread t points
  /// to in instruction i. Lanes whose pointer is not used (x1, x2) repeat
  /// others'. Register digits count instructions.
  LinearLayout rows;
};

/// The access for a fragment with elements of `bits` (8, 16 or 32) bits whose
/// memory is contiguous along `dim`, in runs of at least 16 aligned bytes (see
/// SharedLayout::maxVectorElements). Fails if threads do not hold matrix rows
/// the way the instructions deal them out; transposed ones need 16 bits.
std::optional<MatrixAccess> matrixAccess(const LinearLayout &fragment,
                                         unsigned bits, unsigned dim);

} // namespace tlc::analysis

#endif // TLC_COMPILER_ANALYSIS_MATRIXACCESS_H
