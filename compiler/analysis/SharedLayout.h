// The physical layout of a tile in shared memory: where an element's byte is,
// which tensor-copy boxes fill it and which wgmma descriptors read it.
//
// A tile of shape (..., R, C) is a sequence of R x C matrices. A kind with a
// span (16, 32, 64 or 128 bytes) cuts the columns into panels of span bytes;
// a panel holds all R rows, span bytes each, one after the other, and panels
// follow each other. Linear has one panel of any width. Swizzled kinds then
// exchange 16-byte units: bits 4.. of the byte offset are xored with bits 7..
// (3, 2 or 1 of them for 128, 64 and 32 bytes: what TMA and wgmma do, PTX ISA,
// "Swizzling modes"). For 128 bytes: unit u of row r is at u ^ (r % 8).
// The pattern repeats every 8 * span bytes, to which panels are padded and to
// which the base address must be aligned.
//
// A tile that only threads and products touch may have another order: then R x
// C above are the matrix as it lies in memory, and coordinates of elements are
// put in order first (see Order.h).
#ifndef TLC_COMPILER_ANALYSIS_SHAREDLAYOUT_H
#define TLC_COMPILER_ANALYSIS_SHAREDLAYOUT_H

#include "compiler/analysis/Layout.h"
#include "compiler/analysis/Order.h"
#include "compiler/target/TargetInfo.h"

namespace tlc::analysis {

/// Panel16 is wgmma's layout without swizzle: core matrices of 8 x 16 bytes.
enum class SharedKind { Linear, Panel16, Swizzle32, Swizzle64, Swizzle128 };

/// Bytes of a panel row; 0 for Linear.
int64_t spanBytes(SharedKind kind);

/// "linear", "panel16", "swizzle32", ...
llvm::StringRef kindName(SharedKind kind);

/// One tensor copy of a tile.
struct TmaBoxCopy {
  Coords origin;       ///< first element of the box in the tile
  int64_t offsetBytes; ///< where the box starts in shared memory
};

/// The boxes that move a whole tile.
struct TmaBoxes {
  /// Box extents, one per dimension of the tile, outermost first (the driver
  /// wants them innermost first).
  Coords box;
  /// Swizzle mode of the tensor map: span bytes, 0 for none.
  int64_t swizzleBytes;
  /// What the base address of the tile must be aligned to.
  int64_t alignment;
  int64_t bytesPerBox;
  llvm::SmallVector<TmaBoxCopy, 4> copies;
};

/// A matrix operand of wgmma in shared memory (PTX ISA, "Matrix descriptor").
/// The descriptor of the block at (mn, k) is
///   descriptorBits() | ((base + blockOffset(mn, k)) & 0x3FFFF) >> 4.
struct WgmmaOperand {
  bool kMajor;          ///< K is contiguous in memory; else M or N is
  unsigned swizzleMode; ///< bits 62-63: 0 none, 1 128 B, 2 64 B, 3 32 B
  int64_t leadingBytes; ///< "leading dimension byte offset"
  int64_t strideBytes;  ///< "stride dimension byte offset"
  int64_t span, panelBytes;
  unsigned elementBits;

  /// Everything of the descriptor but the address.
  uint64_t descriptorBits() const;
  /// Byte offset of the block whose first element is (mn, k): mn a multiple of
  /// 8 (MN-major: of the elements in 16 bytes or, with swizzle, of a span), k
  /// a multiple of the instruction's K.
  int64_t blockOffset(int64_t mn, int64_t k) const;
  /// Byte offset of K step `step` (32 bytes of K; MN-major: 16 rows).
  int64_t kStepOffset(int64_t step) const;
};

/// A value type; immutable once built.
class SharedLayout {
public:
  SharedLayout() = default;

  /// A tile of `shape` (rank >= 1; a vector is one row) with elements of
  /// `elementBits` bits (a multiple of 8, or 1 stored as 8). A kind with a
  /// span needs rows that are a multiple of it; see isPossible.
  SharedLayout(SharedKind kind, llvm::ArrayRef<int64_t> shape,
               unsigned elementBits, TileOrder order = {});

  /// Row-major with `padBytes` unused bytes behind each row.
  static SharedLayout padded(llvm::ArrayRef<int64_t> shape,
                             unsigned elementBits, int64_t padBytes);

  /// The orders of dimensions divide them, and the span a row in memory.
  static bool isPossible(SharedKind kind, llvm::ArrayRef<int64_t> shape,
                         unsigned elementBits, TileOrder order = {});

  SharedKind kind() const { return layoutKind; }
  llvm::ArrayRef<int64_t> shape() const { return tileShape; }
  unsigned elementBits() const { return bits; }
  int64_t elementBytes() const { return bits / 8; }
  const TileOrder &order() const { return tileOrder; }
  /// Of a matrix as it lies in memory.
  int64_t rows() const;
  int64_t columns() const;
  int64_t padBytes() const { return pad; }

  int64_t numPanels() const;
  /// Bytes from one panel to the next, from one R x C matrix to the next.
  int64_t panelBytes() const;
  int64_t matrixBytes() const;
  int64_t sizeBytes() const;
  /// What the base address must be aligned to: 1024, 512, 256, 128 with a
  /// span; linear 128, or 16 if the tile is smaller than 128 bytes (a tensor
  /// copy asks for more, see TmaBoxes::alignment).
  int64_t alignment() const;

  /// Byte offset of an element from the base; coordinates in range.
  int64_t offsetBytes(llvm::ArrayRef<int64_t> coords) const;
  /// The same before units are exchanged.
  int64_t unswizzledOffset(llvm::ArrayRef<int64_t> coords) const;
  /// The exchange: offset ^ ((offset >> 7) & mask) << 4.
  int64_t swizzle(int64_t offset) const;
  /// 7, 3, 1 for 128, 64, 32 bytes; 0 for none.
  int64_t swizzleMask() const;
  /// Elements that stay together in every row: a vector access of that many
  /// (a power of two), aligned to itself, is contiguous.
  int64_t maxVectorElements() const;

  /// The tensor copies that fill or drain the tile. Fails if the layout is not
  /// one a tensor copy writes; `reason` (if given) says why.
  std::optional<TmaBoxes> tmaBoxes(const target::TmaLimits &limits,
                                   std::string *reason = nullptr) const;
  /// The same for the rectangle at `origin` of `extents`: whole panels or,
  /// linear, whole rows. Origins of the copies are relative to the rectangle,
  /// offsets to the tile.
  std::optional<TmaBoxes> tmaBoxes(llvm::ArrayRef<int64_t> origin,
                                   llvm::ArrayRef<int64_t> extents,
                                   const target::TmaLimits &limits,
                                   std::string *reason = nullptr) const;

  /// The tile as wgmma operand: kMajor if K runs along rows in memory, else M
  /// or N does (16-bit elements only). Fails with `reason`.
  std::optional<WgmmaOperand> wgmmaOperand(bool kMajor,
                                           std::string *reason = nullptr) const;

  /// Same bytes for the same elements.
  bool operator==(const SharedLayout &other) const = default;

  /// `swizzle128 64x128 bits=16`, with ` pad=16` if padded. The order is left
  /// out.
  std::string toString() const;
  static std::optional<SharedLayout> parse(llvm::StringRef text,
                                           std::string *error = nullptr);

private:
  SharedKind layoutKind = SharedKind::Linear;
  llvm::SmallVector<int64_t, 4> tileShape;
  unsigned bits = 0;
  int64_t pad = 0;
  TileOrder tileOrder;
};

/// The layout rule for wgmma operands: by how many elements are contiguous,
/// the widest span that divides a row; Panel16 if none does.
SharedKind selectWgmmaKind(int64_t continuity, unsigned elementBits);

/// For tiles that TMA fills and ordinary code reads: the widest swizzle that
/// divides a row, else Linear.
SharedKind selectCopyKind(llvm::ArrayRef<int64_t> shape, unsigned elementBits);

/// Number of passes the shared memory needs for one access of a warp: 32 byte
/// offsets (less if lanes are off) of `bytes` (1 .. 16) bytes each. 1, 2 or 4
/// are ideal for up to 4, 8, 16 bytes.
int64_t sharedWavefronts(llvm::ArrayRef<int64_t> offsets, int64_t bytes);

} // namespace tlc::analysis

#endif // TLC_COMPILER_ANALYSIS_SHAREDLAYOUT_H
