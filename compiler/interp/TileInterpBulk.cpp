// Copy, fill and product of whole regions.
#include "compiler/interp/TileInterpMachine.h"
#include "compiler/interp/TileInterpProduct.h"

using namespace mlir;
using namespace tlc::interp;
namespace tile = tlc::tile;

/// Evaluates the offsets of a region. False if it leaves a buffer that is not
/// global.
bool Machine::locate(const Node &node, const BufferRegion &region,
                     uint32_t thread, SmallVectorImpl<int64_t> &offsets) {
  const Buffer &b = buffers[region.buffer];
  for (uint32_t d = 0; d < b.rank; ++d) {
    int64_t first = at(region.offsets[d], thread).i;
    int64_t last = first + region.sizes[d] - 1;
    offsets.push_back(first);
    if (b.space == tile::Space::Global || (first >= 0 && last < b.shape[d]))
      continue;
    failIndex(node, b, region.buffer, d, first < 0 ? first : last);
    return false;
  }
  return true;
}

namespace {
/// One dimension that a copy or fill walks. Positions [lo, hi) are inside.
struct Axis {
  int64_t size = 1;
  int64_t dstStride = 0, dstLo = 0, dstHi = 1;
  int64_t srcStride = 0, srcLo = 0, srcHi = 1;
};

/// The positions i of 0 <= i < size with 0 <= offset + i < extent.
void clip(int64_t offset, int64_t extent, int64_t size, int64_t &lo,
          int64_t &hi) {
  lo = std::clamp<int64_t>(-offset, 0, size);
  hi = std::clamp<int64_t>(extent - offset, lo, size);
}

/// Converts or zero-fills one row. Strides in bytes; null `src` gives zeros.
void copyRow(uint8_t *dst, Elem to, int64_t dstStride, const uint8_t *src,
             Elem from, int64_t srcStride, int64_t n) {
  if (!src) {
    for (int64_t i = 0; i < n; ++i)
      std::memset(dst + i * dstStride, 0, sizeOf(to));
  } else if (from == to) {
    int64_t size = sizeOf(to);
    if (dstStride == size && srcStride == size)
      std::memmove(dst, src, n * size);
    else
      for (int64_t i = 0; i < n; ++i)
        std::memcpy(dst + i * dstStride, src + i * srcStride, size);
  } else if (from == Elem::F32 && to == Elem::BF16) {
    for (int64_t i = 0; i < n; ++i)
      storeAs(dst + i * dstStride,
              floatToBf16(loadAs<float>(src + i * srcStride)));
  } else if (from == Elem::BF16 && to == Elem::F32) {
    for (int64_t i = 0; i < n; ++i)
      storeAs(dst + i * dstStride,
              bf16ToFloat(loadAs<uint16_t>(src + i * srcStride)));
  } else {
    for (int64_t i = 0; i < n; ++i)
      encode(to, dst + i * dstStride,
             convert(decode(from, src + i * srcStride), from, to));
  }
}

/// A walk over the non-unit dimensions with the innermost one as rows.
struct CopyWalk {
  SmallVector<Axis, 4> axes;
  Elem to, from;

  void row(uint8_t *dst, const uint8_t *src, const Axis &a) const {
    int64_t lo = std::clamp(a.srcLo, a.dstLo, a.dstHi);
    int64_t hi = std::clamp(a.srcHi, lo, a.dstHi);
    if (!src)
      lo = hi = a.dstHi;
    auto part = [&](int64_t begin, int64_t end, bool inside) {
      if (begin < end)
        copyRow(dst + begin * a.dstStride, to, a.dstStride,
                inside ? src + begin * a.srcStride : nullptr, from, a.srcStride,
                end - begin);
    };
    part(a.dstLo, lo, false);
    part(lo, hi, true);
    part(hi, a.dstHi, false);
  }

  /// `src` is null where the source is outside.
  void run(size_t depth, uint8_t *dst, const uint8_t *src) const {
    const Axis &a = axes[depth];
    if (depth + 1 == axes.size())
      return row(dst, src, a);
    for (int64_t i = a.dstLo; i < a.dstHi; ++i)
      run(depth + 1, dst + i * a.dstStride,
          src && i >= a.srcLo && i < a.srcHi ? src + i * a.srcStride : nullptr);
  }
};
} // namespace

void Machine::copy(const Node &node, uint32_t thread) {
  const CopyInfo &info = program.copies[node.aux];
  const Buffer &s = buffers[info.src.buffer], &d = buffers[info.dst.buffer];
  SmallVector<int64_t, 8> srcAt, dstAt;
  if (!locate(node, info.src, thread, srcAt) ||
      !locate(node, info.dst, thread, dstAt))
    return;

  CopyWalk walk;
  walk.to = d.elem;
  walk.from = s.elem;
  const uint8_t *src = s.data + thread * s.copyBytes;
  uint8_t *dst = d.data + thread * d.copyBytes;
  int64_t srcSize = sizeOf(s.elem), dstSize = sizeOf(d.elem);
  bool srcInside = true, dstInside = true;
  for (uint32_t i = 0; i < d.rank; ++i) {
    int64_t stride = d.strides[i] * dstSize;
    dst += dstAt[i] * stride;
    if (info.dst.sizes[i] == 1) {
      dstInside &= dstAt[i] >= 0 && dstAt[i] < d.shape[i];
      continue;
    }
    Axis axis;
    axis.size = info.dst.sizes[i];
    axis.dstStride = stride;
    clip(dstAt[i], d.shape[i], axis.size, axis.dstLo, axis.dstHi);
    walk.axes.push_back(axis);
  }
  size_t next = 0;
  for (uint32_t i = 0; i < s.rank; ++i) {
    int64_t stride = s.strides[i] * srcSize;
    src += srcAt[i] * stride;
    if (info.src.sizes[i] == 1) {
      srcInside &= srcAt[i] >= 0 && srcAt[i] < s.shape[i];
      continue;
    }
    Axis &axis = walk.axes[next++];
    axis.srcStride = stride;
    clip(srcAt[i], s.shape[i], axis.size, axis.srcLo, axis.srcHi);
  }
  if (walk.axes.empty())
    walk.axes.push_back(Axis{});
  if (dstInside)
    walk.run(0, dst, srcInside ? src : nullptr);
}

void Machine::fill(const Node &node, uint32_t thread) {
  const BufferRegion &region = program.regions[node.aux];
  const Buffer &d = buffers[region.buffer];
  SmallVector<int64_t, 8> first;
  if (!locate(node, region, thread, first))
    return;
  // A row of one repeated element, read with stride 0.
  uint8_t value[8];
  encode(d.elem, value, at(node.a, thread));
  CopyWalk walk;
  walk.to = walk.from = d.elem;
  uint8_t *dst = d.data + thread * d.copyBytes;
  for (uint32_t i = 0; i < d.rank; ++i) {
    int64_t stride = d.strides[i] * sizeOf(d.elem);
    Axis axis;
    axis.size = region.sizes[i];
    axis.dstStride = stride;
    dst += first[i] * stride;
    clip(first[i], d.shape[i], axis.size, axis.dstLo, axis.dstHi);
    axis.srcHi = axis.size;
    walk.axes.push_back(axis);
  }
  if (walk.axes.empty())
    walk.axes.push_back(Axis{});
  walk.run(0, dst, value);
}

/// The last two dimensions of a region as a row-major matrix, transposed if
/// asked for.
template <typename T>
static std::vector<T> loadMatrix(const Buffer &b, const BufferRegion &region,
                                 ArrayRef<int64_t> offsets, bool transposed) {
  uint32_t r = b.rank - 2, c = b.rank - 1;
  int64_t rows = region.sizes[r], columns = region.sizes[c];
  int64_t start = 0;
  for (uint32_t d = 0; d < b.rank; ++d)
    start += offsets[d] * b.strides[d];
  std::vector<T> out(rows * columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const uint8_t *p =
          b.data +
          (start + i * b.strides[r] + j * b.strides[c]) * sizeOf(b.elem);
      out[transposed ? j * rows + i : i * columns + j] = operand<T>(b.elem, p);
    }
  return out;
}

template <typename T>
void Machine::multiply(const Node &node, ArrayRef<int64_t> aAt,
                       ArrayRef<int64_t> bAt, bool clear) {
  const GemmInfo &info = program.gemms[node.aux];
  std::vector<T> a =
      loadMatrix<T>(buffers[info.a.buffer], info.a, aAt, info.transA);
  std::vector<T> b =
      loadMatrix<T>(buffers[info.b.buffer], info.b, bAt, info.transB);
  const Buffer &c = buffers[info.c];
  int64_t rows = info.transC ? 1 : 0, columns = 1 - rows;
  int64_t m = c.shape[rows], n = c.shape[columns], k = m ? a.size() / m : 0;
  int64_t step = c.strides[columns] * sizeOf(c.elem);
  std::vector<T> row(n);
  for (int64_t i = 0; i < m; ++i) {
    uint8_t *out = c.data + i * c.strides[rows] * sizeOf(c.elem);
    for (int64_t j = 0; j < n; ++j)
      row[j] =
          clear ? T(0) : fromCell<T>(c.elem, decode(c.elem, out + j * step));
    for (int64_t l = 0; l < k; ++l) {
      T x = a[i * k + l];
      const T *y = b.data() + l * n;
      for (int64_t j = 0; j < n; ++j)
        row[j] += x * y[j];
    }
    for (int64_t j = 0; j < n; ++j)
      encode(c.elem, out + j * step, toCell<T>(c.elem, row[j]));
  }
}

void Machine::gemm(const Node &node, uint32_t thread) {
  const GemmInfo &info = program.gemms[node.aux];
  SmallVector<int64_t, 4> aAt, bAt;
  if (!locate(node, info.a, thread, aAt) || !locate(node, info.b, thread, bAt))
    return;
  bool clear = info.hasClear && at(info.clear, thread).i != 0;
  if (node.elem == Elem::F64)
    multiply<double>(node, aAt, bAt, clear);
  else if (isFloat(node.elem))
    multiply<float>(node, aAt, bAt, clear);
  else
    multiply<uint32_t>(node, aAt, bAt, clear);
}
