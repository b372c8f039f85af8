// Products of a warp: its share of wgmma, and mma.sync.
#include "compiler/interp/SmRun.h"
#include "compiler/interp/TileInterpProduct.h"

#include <cstring>

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;
using tile::Space;

/// An operand matrix, rows by columns after transposition.
struct interp::MatrixOperand {
  const SmBuffer *buffer = nullptr;
  const SmTile *tile = nullptr; ///< null: a fragment
  uint32_t base = 0;
  int64_t slot = 0, start = 0, rowStride = 0, columnStride = 0;

  int64_t element(int64_t row, int64_t column) const {
    return start + row * rowStride + column * columnStride;
  }
  uint32_t address(int64_t row, int64_t column) const {
    return base + tile->byteOf[element(row, column)];
  }
};

namespace {
/// Rows and columns of C.
struct Part {
  SmallVector<int64_t, 8> rows;
  int64_t firstColumn, columns;
};

/// Everything about a product that its warps share.
template <typename Op> struct Shape {
  Op op;
  int64_t m, n, k, warpsM, warpsN;

  explicit Shape(Op product)
      : op(product), m(op.getM()), n(op.getN()), k(op.getK()),
        warpsM(op.getWarpsM()), warpsN(op.getWarpsN()) {}
  /// What warp `w` computes: blocks of 16 rows in turn, or as many rows that
  /// follow each other; columns in pieces.
  Part partOf(int64_t w) {
    Part part;
    int64_t blocks = m / (16 * warpsM);
    for (int64_t b = 0; b < blocks; ++b) {
      int64_t block =
          op.getQuadM() ? w % warpsM * blocks + b : b * warpsM + w % warpsM;
      for (int64_t i = 0; i < 16; ++i)
        part.rows.push_back(block * 16 + i);
    }
    part.columns = n / warpsN;
    part.firstColumn = w / warpsM * part.columns;
    return part;
  }
  /// Between rows, and between columns, of the accumulator.
  int64_t rowStride() { return op.getTransC() ? 1 : n; }
  int64_t columnStride() { return op.getTransC() ? m : 1; }
};
} // namespace

/// Whether the lanes of a warp hold its part of the accumulator.
template <typename Op>
static bool holds(const RegisterTile &c, const Part &part, Shape<Op> shape) {
  if (c.held.empty())
    return true;
  for (int64_t row : part.rows)
    for (int64_t j = 0; j < part.columns; ++j)
      if (!c.held[row * shape.rowStride() +
                  (part.firstColumn + j) * shape.columnStride()])
        return false;
  return true;
}

static std::string layoutText(const SmBuffer &c) {
  return "the layout of '" + c.name + "' is not that of the product's result";
}

static MatrixOperand makeOperand(const SmProgram &program, const Warp &warp,
                                 Value value, OperandRange offsets,
                                 bool transposed) {
  MatrixOperand operand;
  operand.buffer = &program.buffer(value);
  unsigned lane = llvm::countr_zero(warp.frames.back().mask);
  SmallVector<int64_t, 4> strides =
      analysis::rowMajorStrides(operand.buffer->shape);
  for (auto [offset, stride] : llvm::zip(offsets, strides))
    operand.start += warp.values[program.number(offset)].get(lane).i * stride;
  operand.rowStride = strides[strides.size() - 2];
  operand.columnStride = strides.back();
  if (transposed)
    std::swap(operand.rowStride, operand.columnStride);
  return operand;
}

static ByteRanges bytesOf(const MatrixOperand &operand, ArrayRef<int64_t> rows,
                          int64_t firstColumn, int64_t columns) {
  ByteRanges ranges;
  unsigned size = sizeOf(operand.buffer->elem);
  for (int64_t row : rows)
    for (int64_t c = firstColumn; c < firstColumn + columns; ++c) {
      uint32_t at = operand.address(row, c);
      if (!ranges.empty() && ranges.back().end == at)
        ranges.back().end = at + size;
      else
        ranges.push_back({at, at + size});
    }
  return ranges;
}

static SmallVector<int64_t, 8> upTo(int64_t n) {
  SmallVector<int64_t, 8> rows;
  for (int64_t i = 0; i < n; ++i)
    rows.push_back(i);
  return rows;
}

/// C[part] += A B with the rows of A that the part needs and all of K, k
/// ascending as in the tile interpreter.
template <typename T, typename Op>
static void accumulate(uint8_t *c, Elem elem, Shape<Op> shape, const Part &part,
                       ArrayRef<T> a, ArrayRef<T> b, bool clear) {
  int64_t size = sizeOf(elem), step = shape.columnStride() * size;
  std::vector<T> row(part.columns);
  for (auto [r, at] : llvm::enumerate(part.rows)) {
    uint8_t *out = c + at * shape.rowStride() * size + part.firstColumn * step;
    for (int64_t j = 0; j < part.columns; ++j)
      row[j] = clear ? T(0) : fromCell<T>(elem, decode(elem, out + j * step));
    for (int64_t l = 0; l < shape.k; ++l) {
      T x = a[r * shape.k + l];
      const T *y = b.data() + l * part.columns;
      for (int64_t j = 0; j < part.columns; ++j)
        row[j] += x * y[j];
    }
    for (int64_t j = 0; j < part.columns; ++j)
      encode(elem, out + j * step, toCell<T>(elem, row[j]));
  }
}

template <typename Body> static void withAccumulator(Elem elem, Body body) {
  if (elem == Elem::F64)
    body(double());
  else if (isFloat(elem))
    body(float());
  else
    body(uint32_t());
}

/// A rectangle of an operand in row-major order, from memory or registers.
template <typename T>
static std::vector<T> gather(const MatrixOperand &operand, const uint8_t *data,
                             ArrayRef<int64_t> rows, int64_t firstColumn,
                             int64_t columns) {
  std::vector<T> out;
  out.reserve(rows.size() * columns);
  Elem elem = operand.buffer->elem;
  for (int64_t row : rows)
    for (int64_t c = firstColumn; c < firstColumn + columns; ++c)
      out.push_back(interp::operand<T>(
          elem, data + (operand.tile ? operand.address(row, c)
                                     : operand.element(row, c) *
                                           int64_t(sizeOf(elem)))));
  return out;
}

bool SmRun::isReady(const Warp &warp, const Product &product) const {
  uint32_t first = warp.firstWarp + (warp.index - warp.firstWarp) / 4 * 4;
  for (uint32_t w = first; w < first + 4 && w < warps.size(); ++w)
    if (warps[w].productsIssued <= product.number)
      return false;
  return true;
}

/// Computes the products of a warpgroup that all its warps have issued.
void SmRun::computeReady(uint32_t firstWarp) {
  for (uint32_t w = firstWarp; w < firstWarp + 4 && w < warps.size(); ++w) {
    Warp &warp = warps[w];
    auto computeAll = [&](ProductGroup &group) {
      for (Product &product : group)
        if (!product.computed && isReady(warp, product)) {
          product.computed = true;
          if (product.compute)
            product.compute();
        }
    };
    for (ProductGroup &group : warp.productGroups)
      computeAll(group);
    computeAll(warp.openProducts);
  }
}

/// Finds the memory of an operand of `rows` by `columns`; false after an error.
bool SmRun::placeOperand(Warp &warp, const SmNode &node, Value value,
                         MatrixOperand &operand, int64_t rows,
                         int64_t columns) {
  const SmBuffer &buffer = *operand.buffer;
  if (operand.start < 0 ||
      operand.element(rows - 1, columns - 1) >= buffer.numElements()) {
    problem(SmProblem::Fault, node.op,
            "an operand lies outside of '" + buffer.name + "'");
    return false;
  }
  if (buffer.space != Space::Shared)
    return true;
  operand.tile = &program.tiles[buffer.place];
  operand.base = slotBase(warp, node, value, operand.slot);
  return !halted;
}

/// A wgmma reads a rectangle of a shared operand.
void SmRun::readOperand(Warp &warp, const Product &product, unsigned which,
                        const MatrixOperand &operand, ArrayRef<int64_t> rows,
                        int64_t firstColumn, int64_t columns) {
  Operation *op = product.node->op;
  const ByteRanges &ranges =
      rangesOf(op, which, warp, operand.base, operand.start,
               [&] { return bytesOf(operand, rows, firstColumn, columns); });
  recordAsync(warp, op, operand.buffer->place, operand.slot, false,
              tile::Proxy::AsyncMma, ranges, product.epoch, product.known);
}

/// The registers of a buffer, which an issued wgmma is about to use.
RegisterTile &SmRun::useByWgmma(Warp &warp, const SmBuffer &buffer,
                                Operation *op) {
  RegisterTile &tile = registers(warp, buffer);
  settle(warp, buffer.place, /*write=*/true);
  if (tile.writtenSinceFence)
    problem(SmProblem::Register, op,
            "registers of '" + buffer.name +
                "' were written and no wgmma_fence lies between that and this "
                "wgmma");
  return tile;
}

/// Rows of A that the warpgroup of warp `w` of a role reads.
static SmallVector<int64_t, 64> rowsOfGroup(Shape<sm::WgmmaOp> shape,
                                            int64_t w) {
  SmallVector<int64_t, 64> rows;
  for (int64_t i = w / 4 * 4; i < w / 4 * 4 + 4; ++i)
    rows.append(shape.partOf(i).rows);
  llvm::sort(rows);
  rows.erase(llvm::unique(rows), rows.end());
  return rows;
}

void SmRun::issueWgmma(Warp &warp, const SmNode &node) {
  auto op = cast<sm::WgmmaOp>(node.op);
  if (warp.frames.back().mask != kAllLanes)
    return problem(SmProblem::Convergence, op,
                   "wgmma under a condition that differs between the threads "
                   "of a warp");
  Shape<sm::WgmmaOp> shape(op);
  int64_t inRole = warp.index - warp.firstWarp;
  Part part = shape.partOf(inRole);
  const SmBuffer &c = program.buffer(op.getC());
  MatrixOperand a =
      makeOperand(program, warp, op.getA(), op.getAOffsets(), op.getTransA());
  MatrixOperand b =
      makeOperand(program, warp, op.getB(), op.getBOffsets(), op.getTransB());
  if (!placeOperand(warp, node, op.getA(), a, shape.m, shape.k) ||
      !placeOperand(warp, node, op.getB(), b, shape.k, shape.n))
    return;
  RegisterTile &accumulator = useByWgmma(warp, c, op);
  if (!holds(accumulator, part, shape))
    return problem(SmProblem::Fault, op, layoutText(c));
  Product product;
  product.node = &node;
  product.number = warp.productsIssued++;
  product.c = c.place;
  product.known = warp.frontiers.async;
  product.epoch = newAsyncEvent(product.known);
  asyncAgents[product.epoch.agent - firstAsyncAgent()].op = op;
  // The four warps of a warpgroup share what they read.
  const uint8_t *aData = asyncView.data();
  if (a.tile) {
    readOperand(warp, product, 0, a, rowsOfGroup(shape, inRole), 0, shape.k);
  } else {
    RegisterTile &tile = useByWgmma(warp, *a.buffer, op);
    tile.feeding = op;
    product.a = a.buffer->place;
    aData = tile.data.data();
  }
  readOperand(warp, product, 1, b, upTo(shape.k), part.firstColumn,
              part.columns);
  accumulator.accumulating = op;
  if (halted)
    return;
  bool clear =
      op.getClear() && warp.values[program.number(op.getClear())].get(0).i != 0;
  if (!options.tagsOnly)
    product.compute = [=, this, data = accumulator.data.data(), elem = c.elem] {
      withAccumulator(elem, [&](auto zero) {
        using T = decltype(zero);
        std::vector<T> x = gather<T>(a, aData, part.rows, 0, shape.k);
        std::vector<T> y = gather<T>(b, asyncView.data(), upTo(shape.k),
                                     part.firstColumn, part.columns);
        accumulate<T>(data, elem, shape, part, x, y, clear);
      });
    };
  warp.openProducts.push_back(std::move(product));
  bool late = options.schedule == SmSchedule::AdversarialLate ||
              (options.schedule == SmSchedule::Seeded && random() % 2);
  if (!late)
    computeReady(warp.firstWarp + inRole / 4 * 4);
}

void SmRun::waitWgmma(Warp &warp, const SmNode &node) {
  auto pending =
      static_cast<size_t>(cast<sm::WgmmaWaitOp>(node.op).getPending());
  while (warp.productGroups.size() > pending) {
    for (Product &product : warp.productGroups.front()) {
      if (!product.computed && product.compute)
        product.compute();
      warp.frontiers.join(product.known);
      warp.frontiers.raise(product.epoch);
    }
    warp.productGroups.pop_front();
  }
  for (RegisterTile &tile : warp.registers)
    tile.accumulating = tile.feeding = nullptr;
  auto mark = [&](const ProductGroup &group) {
    for (const Product &product : group) {
      warp.registers[product.c].accumulating = product.node->op;
      if (product.a >= 0)
        warp.registers[product.a].feeding = product.node->op;
    }
  };
  for (const ProductGroup &group : warp.productGroups)
    mark(group);
  mark(warp.openProducts);
}

/// The rectangle of a shared operand as a load that may lag.
static Sample sampleOf(const MatrixOperand &operand, ArrayRef<int64_t> rows,
                       int64_t firstColumn, int64_t columns) {
  Sample sample;
  sample.size = sizeOf(operand.buffer->elem);
  for (int64_t row : rows)
    for (int64_t c = firstColumn; c < firstColumn + columns; ++c)
      sample.addresses.push_back(operand.address(row, c));
  return sample;
}

template <typename T>
static std::vector<T> decodeSample(Elem elem, const Sample &sample) {
  std::vector<T> out;
  out.reserve(sample.addresses.size());
  for (size_t i = 0; i < sample.addresses.size(); ++i)
    out.push_back(operand<T>(elem, &sample.bytes[i * sample.size]));
  return out;
}

void SmRun::runMma(Warp &warp, const SmNode &node) {
  auto op = cast<sm::MmaOp>(node.op);
  Shape<sm::MmaOp> shape(op);
  Part part = shape.partOf(warp.index - warp.firstWarp);
  const SmBuffer &c = program.buffer(op.getC());
  MatrixOperand operands[2] = {
      makeOperand(program, warp, op.getA(), op.getAOffsets(), op.getTransA()),
      makeOperand(program, warp, op.getB(), op.getBOffsets(), op.getTransB())};
  SmallVector<int64_t, 8> rows[2] = {part.rows, upTo(shape.k)};
  int64_t first[2] = {0, part.firstColumn},
          columns[2] = {shape.k, part.columns};
  RegisterTile &accumulator = touch(warp, c, op, true);
  if (!holds(accumulator, part, shape))
    return problem(SmProblem::Fault, op, layoutText(c));
  PendingLoad load;
  load.writes = {uint32_t(c.place)};
  // Registers are read when the instruction issues: a copy of them.
  std::vector<uint8_t> copies[2];
  for (int i = 0; i < 2; ++i) {
    MatrixOperand &operand = operands[i];
    if (!placeOperand(warp, node, i == 0 ? Value(op.getA()) : op.getB(),
                      operand, i == 0 ? shape.m : shape.k,
                      i == 0 ? shape.k : shape.n))
      return;
    if (!operand.tile) {
      copies[i] = touch(warp, *operand.buffer, op, false).data;
      load.samples.emplace_back();
      continue;
    }
    const ByteRanges &ranges =
        rangesOf(op, i, warp, operand.base, operand.start, [&] {
          return bytesOf(operand, rows[i], first[i], columns[i]);
        });
    recordGeneric(warp, op, operand.buffer->place, operand.slot, false, ranges);
    load.samples.push_back(sampleOf(operand, rows[i], first[i], columns[i]));
  }
  if (options.tagsOnly)
    return;
  bool clear =
      op.getClear() && warp.values[program.number(op.getClear())].get(0).i != 0;
  load.finish = [=, a = operands[0], b = operands[1],
                 aCopy = std::move(copies[0]), bCopy = std::move(copies[1]),
                 data = accumulator.data.data(),
                 elem = c.elem](ArrayRef<Sample> samples) {
    withAccumulator(elem, [&](auto zero) {
      using T = decltype(zero);
      auto x = a.tile ? decodeSample<T>(a.buffer->elem, samples[0])
                      : gather<T>(a, aCopy.data(), part.rows, 0, shape.k);
      auto y = b.tile ? decodeSample<T>(b.buffer->elem, samples[1])
                      : gather<T>(b, bCopy.data(), upTo(shape.k),
                                  part.firstColumn, part.columns);
      accumulate<T>(data, elem, shape, part, x, y, clear);
    });
  };
  addPending(warp, std::move(load));
}
