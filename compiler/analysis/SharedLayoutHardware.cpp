// What the asynchronous units see of a shared tile: boxes of tensor copies and
// matrix descriptors of wgmma.
#include "compiler/analysis/SharedLayout.h"

#include "llvm/ADT/Twine.h"

#include <cassert>

namespace tlc::analysis {

static std::nullopt_t decline(std::string *reason, const llvm::Twine &why) {
  if (reason)
    *reason = why.str();
  return std::nullopt;
}

std::optional<TmaBoxes> SharedLayout::tmaBoxes(const target::TmaLimits &limits,
                                               std::string *reason) const {
  return tmaBoxes(Coords(tileShape.size(), 0), tileShape, limits, reason);
}

/// The largest extent of a box along a dimension of `extent` elements: a
/// divisor of it, at most `limit`, whose pieces start at multiples of
/// `alignment` bytes. 0 if there is none.
static int64_t splitExtent(int64_t extent, int64_t limit, int64_t bytes,
                           int64_t alignment) {
  for (int64_t piece = std::min(extent, limit); piece > 0; --piece)
    if (extent % piece == 0 &&
        (piece == extent || piece * bytes % alignment == 0))
      return piece;
  return 0;
}

std::optional<TmaBoxes> SharedLayout::tmaBoxes(llvm::ArrayRef<int64_t> origin,
                                               llvm::ArrayRef<int64_t> extents,
                                               const target::TmaLimits &limits,
                                               std::string *reason) const {
  size_t rank = tileShape.size();
  assert(origin.size() == rank && extents.size() == rank);
  int64_t size = elementBytes(), span = spanBytes(layoutKind);
  if (!tileOrder.isNatural())
    return decline(reason, "tensor copies do not change the order of elements");
  if (size > 8)
    return decline(reason, "tensor copies have elements of at most 8 bytes");
  if (pad != 0)
    return decline(reason, "a tensor copy cannot leave padding behind rows");
  int64_t rowExtent = rank < 2 ? 1 : extents[rank - 2];
  int64_t rowPitch = span == 0 ? columns() * size : span;
  int64_t atom = span == 0 ? limits.sharedAlignment
                           : std::max(8 * span, limits.sharedAlignment);
  // Columns of one box: a panel, or whole rows; one row alone may be cut.
  int64_t inner = span / size;
  if (span == 0) {
    if (extents.back() != columns() && rowExtent != 1)
      return decline(reason, "the rows of a linear tile are copied whole");
    inner = rowExtent == 1 ? splitExtent(extents.back(), limits.maxBoxDim, size,
                                         limits.sharedAlignment)
                           : extents.back();
  } else if (extents.back() % inner != 0 || origin.back() % inner != 0) {
    return decline(reason, "the columns are no whole " + llvm::Twine(span) +
                               "-byte panels");
  }
  if (inner == 0 || inner > limits.maxBoxDim)
    return decline(reason, "a row of " + llvm::Twine(extents.back()) +
                               " elements exceeds the box limit of " +
                               llvm::Twine(limits.maxBoxDim));
  if (inner * size % limits.innerBytesMultiple != 0)
    return decline(reason, "rows of " + llvm::Twine(inner * size) +
                               " bytes are no multiple of " +
                               llvm::Twine(limits.innerBytesMultiple));
  int64_t rowBox = splitExtent(rowExtent, limits.maxBoxDim, rowPitch, atom);
  if (rowBox == 0)
    return decline(reason, llvm::Twine(rowExtent) +
                               " rows cannot be cut into equal aligned boxes");
  TmaBoxes boxes;
  boxes.box.assign(rank, 1);
  boxes.box.back() = inner;
  if (rank >= 2)
    boxes.box[rank - 2] = rowBox;
  boxes.swizzleBytes = swizzleMask() == 0 ? 0 : span;
  boxes.alignment = std::max(alignment(), atom);
  boxes.bytesPerBox = rowBox * inner * size;
  // Odometer over box origins, last dimension fastest.
  for (Coords at(rank, 0);;) {
    Coords place(at);
    for (size_t dim = 0; dim < rank; ++dim)
      place[dim] += origin[dim];
    int64_t offset = unswizzledOffset(place);
    if (offset % atom != 0)
      return decline(reason,
                     "a box would start at byte " + llvm::Twine(offset) +
                         " of the tile, no multiple of " + llvm::Twine(atom));
    boxes.copies.push_back({at, offset});
    size_t dim = rank;
    while (dim > 0 && (at[dim - 1] += boxes.box[dim - 1]) >= extents[dim - 1])
      at[--dim] = 0;
    if (dim == 0)
      return boxes;
  }
}

static unsigned descriptorMode(SharedKind kind) {
  switch (kind) {
  case SharedKind::Swizzle128:
    return 1;
  case SharedKind::Swizzle64:
    return 2;
  case SharedKind::Swizzle32:
    return 3;
  default:
    return 0;
  }
}

std::optional<WgmmaOperand>
SharedLayout::wgmmaOperand(bool kMajor, std::string *reason) const {
  int64_t span = spanBytes(layoutKind);
  if (span == 0)
    return decline(reason, "wgmma reads panels of 16, 32, 64 or 128 bytes");
  if (rows() % 8 != 0)
    return decline(reason, llvm::Twine(rows()) + " rows are no multiple of 8");
  if (kMajor && columns() * elementBytes() % 32 != 0)
    return decline(reason, "K must be a multiple of 32 bytes");
  if (!kMajor && bits != 16)
    return decline(reason, "only 16-bit operands may have M or N contiguous");
  if (!kMajor && rows() % 16 != 0)
    return decline(reason, "K must be a multiple of 16");
  WgmmaOperand operand{
      kMajor, descriptorMode(layoutKind), 16, 8 * span, span, panelBytes(),
      bits};
  // Core matrices are 8 rows of 16 bytes. The leading offset leads to the next
  // span along the contiguous dimension, the stride offset to the next 8 rows;
  // for MN-major without swizzle the two change places. K-major swizzled
  // operands do not use the leading offset, since a step stays in its span.
  if (layoutKind == SharedKind::Panel16 && !kMajor) {
    operand.leadingBytes = 8 * span;
    operand.strideBytes = panelBytes();
  } else if (layoutKind == SharedKind::Panel16 || !kMajor) {
    operand.leadingBytes = panelBytes();
  }
  return operand;
}

uint64_t WgmmaOperand::descriptorBits() const {
  return uint64_t(swizzleMode) << 62 | uint64_t(strideBytes >> 4) << 32 |
         uint64_t(leadingBytes >> 4) << 16;
}

int64_t WgmmaOperand::blockOffset(int64_t mn, int64_t k) const {
  int64_t row = kMajor ? mn : k;
  int64_t byte = (kMajor ? k : mn) * (elementBits / 8);
  return byte / span * panelBytes + row * span + byte % span;
}

int64_t WgmmaOperand::kStepOffset(int64_t step) const {
  return blockOffset(0, step * (kMajor ? 256 / elementBits : 16));
}

} // namespace tlc::analysis
