// A tile kernel compiled for the interpreter: a list of small nodes whose
// operands are positions in one array of cells, so that running an element of
// a parallel loop looks nothing up.
//
// Threads. The statements of a block run one after the other, each for all
// threads before the next begins. A value that can differ between threads has
// one cell a thread, every other value one cell; nodes that touch the former
// run once for each active thread. An `if` whose condition differs between
// threads runs its arms under a mask; a loop whose bounds differ runs whole,
// one thread after the other. Each point of a parallel loop runs as thread
// (row-major number of the point) mod (number of threads).
#pragma once

#include "compiler/interp/TileInterpElement.h"
#include "dialects/tile/Tile.h"

#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <vector>

namespace tlc::interp {

/// Where a value is: cell `slot`, plus the thread number where `mask` is set.
struct Ref {
  uint32_t slot = 0;
  uint32_t mask = 0;
};

enum class Code : uint8_t {
  Move,
  AddI,
  SubI,
  MulI,
  DivSI,
  DivUI,
  RemSI,
  RemUI,
  FloorDivSI,
  CeilDivSI,
  CeilDivUI,
  AndI,
  OrI,
  XorI,
  ShlI,
  ShrSI,
  ShrUI,
  MinSI,
  MaxSI,
  MinUI,
  MaxUI,
  AbsI,
  NegI,
  CmpI,
  CmpF,
  Select,
  ExtUI,
  WrapI,
  AddF,
  SubF,
  MulF,
  DivF,
  RemF,
  NegF,
  MaximumF,
  MinimumF,
  MaxNumF,
  MinNumF,
  Fma,
  UnaryMath,
  BinaryMath,
  Convert,
  Bitcast,
  Load,
  Store,
  Atomic,
  ThreadId,
  If,
  For,
  While,
  Parallel,
  SyncGrid,
  Copy,
  Fill,
  Gemm,
  Launch,
};

/// Functions of one or two floats, by pointer.
struct MathFunction {
  float (*f32)(float) = nullptr;
  double (*f64)(double) = nullptr;
  float (*f32x2)(float, float) = nullptr;
  double (*f64x2)(double, double) = nullptr;
};

struct Node {
  Code code = Code::Move;
  Elem elem = Elem::I32; ///< of the operands; of the result where they differ
  uint8_t sub = 0;       ///< predicate, dimension, source element, in_bounds
  bool perThread = false;
  Ref dst, a, b, c;
  uint32_t aux = 0; ///< position in the table of the code
  mlir::Operation *op = nullptr;
};

inline Node makeNode(Code code, mlir::Operation *op, bool perThread = false) {
  Node node;
  node.code = code;
  node.op = op;
  node.perThread = perThread;
  return node;
}

using Nodes = std::vector<Node>;

struct Access {
  uint32_t buffer;
  llvm::SmallVector<Ref, 4> indices;
};

struct BufferRegion {
  uint32_t buffer;
  llvm::SmallVector<Ref, 4> offsets;
  llvm::SmallVector<int64_t, 4> sizes;
};

struct CopyInfo {
  BufferRegion src, dst;
};
struct GemmInfo {
  BufferRegion a, b;
  uint32_t c;
  bool transA, transB, transC, hasClear;
  Ref clear;
};
struct IfInfo {
  Ref condition;
  Nodes thenNodes, elseNodes;
};
/// scf.for and tile.pipelined; the loop-carried values are moved by the nodes.
struct LoopInfo {
  Ref iv, lower, upper, step;
  bool isUnsigned = false;
  Nodes body;
};
struct WhileInfo {
  Ref condition;
  Nodes before, after;
};
struct ParallelInfo {
  llvm::SmallVector<int64_t, 4> extents;
  llvm::SmallVector<uint32_t, 4> ivs;
  Nodes body;
};
struct LaunchInfo {
  llvm::SmallVector<Ref, 3> grid;
  llvm::SmallVector<uint32_t, 3> ids;
  int64_t threads[3];
  int64_t swizzle = 0;
  bool swizzleColumn = false;
  llvm::SmallVector<uint32_t> allocs; ///< buffers of this launch
  bool syncsGrid = false; ///< contains T.sync_grid: blocks take turns
  Nodes body;
};

struct BufferInfo {
  mlir::Value value;
  Elem elem;
  tile::Space space;
  llvm::SmallVector<int64_t, 4> shape; ///< empty for a parameter until bound
  int param = -1;                      ///< position of a kernel parameter
  int64_t copies = 1;                  ///< one a thread if they can differ
};

struct Program {
  tile::KernelOp kernel;
  Nodes nodes;
  uint32_t numCells = 0;
  std::vector<std::pair<uint32_t, Cell>> constants;
  std::vector<uint32_t> argCells; ///< of scalar parameters and sizes, else 0
  std::vector<BufferInfo> buffers;
  std::vector<Access> accesses;
  std::vector<BufferRegion> regions;
  std::vector<CopyInfo> copies;
  std::vector<GemmInfo> gemms;
  std::vector<IfInfo> ifs;
  std::vector<LoopInfo> loops;
  std::vector<WhileInfo> whiles;
  std::vector<ParallelInfo> parallels;
  std::vector<LaunchInfo> launches;
  std::vector<MathFunction> functions;
};

/// Fills code, element and `sub` of the node of a scalar operation of arith or
/// math, and `function` for a mathematical function. False for any other
/// operation; constants have no node, see constantCell.
bool describeScalar(mlir::Operation *op, Node &node, MathFunction &function);

/// The value of a constant; nothing for a type the interpreter does not know.
std::optional<Cell> constantCell(mlir::arith::ConstantOp op);

/// The result of a scalar node for its operands; false for a division by zero.
/// `function` is that of the node, needed by mathematical functions only.
bool evaluateScalar(const Node &node, const MathFunction *function, Cell a,
                    Cell b, Cell c, Cell &result);

/// What an atomic leaves in an element that held `old`.
Cell combineAtomic(tile::AtomicKind kind, Elem elem, Cell old, Cell value);

/// The values and local buffers of a launch that can differ between threads.
class Uniformity {
public:
  explicit Uniformity(tile::LaunchOp launch);
  bool isVarying(mlir::Value v) const { return varying.contains(v); }

private:
  bool mark(mlir::Value v) { return varying.insert(v).second; }
  bool visitBlock(mlir::Block &block, bool divergent);
  bool visit(mlir::Operation *op, bool divergent);
  bool visitIf(mlir::Operation *op, bool divergent);
  bool visitFor(mlir::Operation *op, bool divergent);
  bool visitWhile(mlir::Operation *op, bool divergent);
  bool visitPlain(mlir::Operation *op, bool divergent);
  bool anyVarying(mlir::ValueRange values) const;

  llvm::DenseSet<mlir::Value> varying;
};

/// Compiles a kernel. Reports what the interpreter cannot run at the op and
/// fails.
llvm::FailureOr<Program> buildProgram(tile::KernelOp kernel);

} // namespace tlc::interp
