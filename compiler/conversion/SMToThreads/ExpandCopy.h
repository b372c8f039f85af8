// Element-wise moves between any two of: registers, shared, global memory.
#pragma once

#include "compiler/conversion/SMToThreads/MemoryAccess.h"

namespace tlc::sm {

/// One side of a copy.
struct Endpoint {
  enum Kind { Constant, Array, Shared, Global };
  Kind kind = Constant;
  mlir::Type element;
  Slice region;
  mlir::Value buffer;        ///< Array, Global
  mlir::Value value;         ///< Constant
  RegisterMap map;           ///< Array
  bool privateArray = false; ///< Array: of the thread, not of a fragment
  SharedTile tile;           ///< Shared
  std::optional<SharedAccess> shared;
  std::optional<GlobalAccess> global;
};

/// The emission of one copy or fill over a layout of its domain.
class CopyExpansion {
public:
  CopyExpansion(Expander &x, mlir::Operation *op,
                const analysis::LinearLayout &layout);

  mlir::FailureOr<Endpoint> endpoint(mlir::Value buffer, Slice region);
  mlir::LogicalResult emit(Endpoint &src, Endpoint &dst);

  /// Whole vectors go by cp.async; what is not aligned goes through registers.
  bool inGroups = false;

private:
  struct Chunk;

  /// Accumulators of 16-bit results: quads exchange pairs for 16-byte stores.
  std::optional<CopyExpansion>
  exchanged(const Endpoint &src, const Endpoint &dst, RegisterMap &map) const;

  int64_t maxVector(const Endpoint &end) const;
  mlir::LogicalResult emitWith(Endpoint &src, Endpoint &dst, int64_t width,
                               bool compact = false);
  bool copyAsync(Endpoint &src, Endpoint &dst, int64_t width,
                 mlir::ValueRange ivs);
  Chunk read(Endpoint &end, const Points &points, mlir::ValueRange ivs);
  void convert(Chunk &chunk, mlir::Type from, mlir::Type to, bool packs);
  void write(Endpoint &end, Chunk chunk, mlir::Type from, const Points &points,
             mlir::ValueRange ivs);

  Expander &x;
  mlir::Operation *op;
  mlir::Location loc;
  analysis::LinearLayout layout;
  bool exchanges = false; ///< layout is that behind sm.quad_transpose
};

/// `layout` with registers renamed: those that are neighbours in `memory` (the
/// buffer and region of a shared or global endpoint) come first.
analysis::LinearLayout vectorsFirst(const analysis::LinearLayout &layout,
                                    const Endpoint &memory);

/// Pairs non-unit dimensions with those of the domain.
Slice makeSlice(Expander &x, mlir::ValueRange offsets,
                llvm::ArrayRef<int64_t> sizes);
/// The sizes that are not 1; {1} if there is none.
llvm::SmallVector<int64_t> domainOf(llvm::ArrayRef<int64_t> sizes);
/// `v`, an element of type `from`, as an element of type `to`.
mlir::Value convertElement(Arith &a, mlir::Value v, mlir::Type from,
                           mlir::Type to);
mlir::FailureOr<analysis::LinearLayout>
layoutOfCopy(Expander &x, mlir::Operation *op, tile::FragmentLayoutAttr attr,
             llvm::ArrayRef<mlir::Value> buffers,
             llvm::ArrayRef<int64_t> domain);

} // namespace tlc::sm
