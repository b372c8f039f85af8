// Offsets and sizes of shared tiles, layout selection, text form. Boxes and
// descriptors are in SharedLayoutHardware.cpp.
#include "compiler/analysis/SharedLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>

namespace tlc::analysis {

static constexpr SharedKind kKinds[] = {
    SharedKind::Linear, SharedKind::Panel16, SharedKind::Swizzle32,
    SharedKind::Swizzle64, SharedKind::Swizzle128};

int64_t spanBytes(SharedKind kind) {
  switch (kind) {
  case SharedKind::Linear:
    return 0;
  case SharedKind::Panel16:
    return 16;
  case SharedKind::Swizzle32:
    return 32;
  case SharedKind::Swizzle64:
    return 64;
  case SharedKind::Swizzle128:
    return 128;
  }
  llvm_unreachable("all kinds are listed");
}

llvm::StringRef kindName(SharedKind kind) {
  switch (kind) {
  case SharedKind::Linear:
    return "linear";
  case SharedKind::Panel16:
    return "panel16";
  case SharedKind::Swizzle32:
    return "swizzle32";
  case SharedKind::Swizzle64:
    return "swizzle64";
  case SharedKind::Swizzle128:
    return "swizzle128";
  }
  llvm_unreachable("all kinds are listed");
}

static unsigned storedBits(unsigned elementBits) {
  return elementBits == 1 ? 8 : elementBits;
}

bool SharedLayout::isPossible(SharedKind kind, llvm::ArrayRef<int64_t> shape,
                              unsigned elementBits, TileOrder order) {
  unsigned bits = storedBits(elementBits);
  if (shape.empty() || bits == 0 || bits % 8 != 0)
    return false;
  if (!order.isNatural() &&
      (shape.size() < 2 || shape[shape.size() - 2] % period(order.rows) != 0 ||
       shape.back() % period(order.columns) != 0))
    return false;
  int64_t span = spanBytes(kind);
  int64_t row = order.transposed ? shape[shape.size() - 2] : shape.back();
  return span == 0 || row * (bits / 8) % span == 0;
}

SharedLayout::SharedLayout(SharedKind kind, llvm::ArrayRef<int64_t> shape,
                           unsigned elementBits, TileOrder order)
    : layoutKind(kind), tileShape(shape), bits(storedBits(elementBits)),
      tileOrder(order) {
  assert(isPossible(kind, shape, elementBits, order));
}

SharedLayout SharedLayout::padded(llvm::ArrayRef<int64_t> shape,
                                  unsigned elementBits, int64_t padBytes) {
  SharedLayout layout(SharedKind::Linear, shape, elementBits);
  layout.pad = padBytes;
  return layout;
}

int64_t SharedLayout::rows() const {
  if (tileOrder.transposed)
    return tileShape.back();
  return tileShape.size() < 2 ? 1 : tileShape[tileShape.size() - 2];
}

int64_t SharedLayout::columns() const {
  return tileOrder.transposed ? tileShape[tileShape.size() - 2]
                              : tileShape.back();
}

int64_t SharedLayout::numPanels() const {
  int64_t span = spanBytes(layoutKind);
  return span == 0 ? 1 : columns() * elementBytes() / span;
}

int64_t SharedLayout::panelBytes() const {
  int64_t span = spanBytes(layoutKind);
  if (span == 0)
    return rows() * (columns() * elementBytes() + pad);
  return llvm::alignTo(rows() * span, 8 * span);
}

int64_t SharedLayout::matrixBytes() const { return numPanels() * panelBytes(); }

int64_t SharedLayout::sizeBytes() const {
  int64_t size = matrixBytes();
  for (int64_t extent : llvm::ArrayRef(tileShape).drop_back(
           std::min<size_t>(2, tileShape.size())))
    size *= extent;
  return size;
}

int64_t SharedLayout::alignment() const {
  if (int64_t span = spanBytes(layoutKind))
    return 8 * span;
  return sizeBytes() >= 128 ? 128 : 16;
}

int64_t SharedLayout::unswizzledOffset(llvm::ArrayRef<int64_t> coords) const {
  assert(coords.size() == tileShape.size());
  int64_t matrix = 0;
  for (size_t dim = 0; dim + 2 < coords.size(); ++dim)
    matrix = matrix * tileShape[dim] + coords[dim];
  int64_t row = coords.size() < 2 ? 0 : coords[coords.size() - 2];
  row = slotOf(tileOrder.rows, row);
  int64_t column = slotOf(tileOrder.columns, coords.back());
  if (tileOrder.transposed)
    std::swap(row, column);
  int64_t byte = column * elementBytes();
  int64_t span = spanBytes(layoutKind);
  int64_t offset = matrix * matrixBytes();
  if (span == 0)
    return offset + row * (columns() * elementBytes() + pad) + byte;
  return offset + byte / span * panelBytes() + row * span + byte % span;
}

int64_t SharedLayout::swizzleMask() const {
  int64_t span = spanBytes(layoutKind);
  return span <= 16 ? 0 : span / 16 - 1;
}

int64_t SharedLayout::swizzle(int64_t offset) const {
  return offset ^ ((offset >> 7) & swizzleMask()) << 4;
}

int64_t SharedLayout::offsetBytes(llvm::ArrayRef<int64_t> coords) const {
  return swizzle(unswizzledOffset(coords));
}

int64_t SharedLayout::maxVectorElements() const {
  int64_t bytes = 16;
  if (layoutKind == SharedKind::Linear && sizeBytes() > panelBytes() / rows())
    bytes = std::gcd(bytes, columns() * elementBytes() + pad);
  return std::max<int64_t>(1, bytes / elementBytes());
}

/// The widest of 128, 64 and 32 bytes that divides `bytes`.
static std::optional<SharedKind> widestSwizzle(int64_t bytes) {
  for (SharedKind kind : llvm::reverse(kKinds))
    if (spanBytes(kind) >= 32 && bytes % spanBytes(kind) == 0)
      return kind;
  return std::nullopt;
}

SharedKind selectWgmmaKind(int64_t continuity, unsigned elementBits) {
  return widestSwizzle(continuity * elementBits / 8)
      .value_or(SharedKind::Panel16);
}

SharedKind selectCopyKind(llvm::ArrayRef<int64_t> shape, unsigned elementBits) {
  return widestSwizzle(shape.back() * storedBits(elementBits) / 8)
      .value_or(SharedKind::Linear);
}

int64_t sharedWavefronts(llvm::ArrayRef<int64_t> offsets, int64_t bytes) {
  // 128 bytes a pass: a whole, half or quarter warp is served together.
  size_t group = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
  int64_t passes = 0;
  for (; !offsets.empty();
       offsets = offsets.drop_front(std::min(group, offsets.size()))) {
    std::set<int64_t> words;
    for (int64_t offset : offsets.take_front(group))
      for (int64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word)
        words.insert(word);
    int64_t perBank[32] = {};
    for (int64_t word : words)
      ++perBank[word % 32];
    passes += *std::max_element(perBank, perBank + 32);
  }
  return passes;
}

std::string SharedLayout::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << kindName(layoutKind) << ' ';
  llvm::interleave(tileShape, os, "x");
  os << " bits=" << bits;
  if (pad != 0)
    os << " pad=" << pad;
  return text;
}

/// A positive number of at most 2^24.
static bool readNumber(llvm::StringRef text, int64_t &value) {
  uint64_t number;
  if (text.getAsInteger(10, number) || number == 0 || number > 1u << 24)
    return false;
  value = int64_t(number);
  return true;
}

/// Reads the words of toString; a message if something is wrong.
static std::optional<std::string> readShared(llvm::StringRef text,
                                             SharedKind &kind, Coords &shape,
                                             int64_t &bits, int64_t &pad) {
  llvm::SmallVector<llvm::StringRef, 4> words, extents;
  llvm::SplitString(text, words);
  if (words.size() < 3 || words.size() > 4)
    return "expected '<kind> <shape> bits=<n> [pad=<n>]'";
  const auto *found = llvm::find_if(
      kKinds, [&](SharedKind k) { return kindName(k) == words[0]; });
  if (found == std::end(kKinds))
    return ("unknown kind '" + words[0] + "'").str();
  kind = *found;
  words[1].split(extents, 'x');
  int64_t elements = 1;
  for (llvm::StringRef extent : extents)
    if (!readNumber(extent, shape.emplace_back()) ||
        (elements *= shape.back()) > 1 << 24)
      return ("bad shape '" + words[1] + "'").str();
  if (!words[2].consume_front("bits=") || !readNumber(words[2], bits) ||
      bits > 128)
    return std::string("expected bits=<n>");
  if (words.size() == 4 &&
      (!words[3].consume_front("pad=") || !readNumber(words[3], pad)))
    return std::string("expected pad=<n>");
  if (!SharedLayout::isPossible(kind, shape, bits) ||
      (pad != 0 && kind != SharedKind::Linear))
    return ("the shape cannot be laid out as " + kindName(kind)).str();
  return std::nullopt;
}

std::optional<SharedLayout> SharedLayout::parse(llvm::StringRef text,
                                                std::string *error) {
  SharedKind kind;
  Coords shape;
  int64_t bits = 0, pad = 0;
  if (auto message = readShared(text, kind, shape, bits, pad)) {
    if (error)
      *error = *message;
    return std::nullopt;
  }
  SharedLayout layout(kind, shape, bits);
  layout.pad = pad;
  return layout;
}

} // namespace tlc::analysis
