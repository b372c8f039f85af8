// The state of a run and the loops over it. Private to the library.
#pragma once

#include "compiler/interp/TileInterp.h"
#include "compiler/interp/TileInterpProgram.h"

#include <memory>
#include <string>
#include <vector>

namespace tlc::interp {

/// A buffer with memory. Copy `t` of a local array that differs between
/// threads is at `data + t * copyBytes`.
struct Buffer {
  uint8_t *data = nullptr;
  Elem elem = Elem::F32;
  tile::Space space = tile::Space::Global;
  uint32_t rank = 0;
  const int64_t *shape = nullptr;
  const int64_t *strides = nullptr;
  int64_t copyBytes = 0;
};

/// Numbers and shapes of all arguments are those of the kernel for these
/// sizes; reports what is not.
llvm::LogicalResult checkArguments(tile::KernelOp kernel,
                                   llvm::ArrayRef<ArgValue> args,
                                   llvm::ArrayRef<int64_t> sizes);
/// The memory of a kernel's workspaces (T.alloc_global) for one run: bytes
/// 0xff, as of anything that nothing has written.
class WorkspaceMemory {
public:
  /// Appends the workspaces of `kernel` to `args`, where they are missing.
  /// Reports extents that are negative and more memory than there is.
  llvm::LogicalResult add(tile::KernelOp kernel, llvm::ArrayRef<int64_t> sizes,
                          llvm::SmallVectorImpl<ArgValue> &args);

private:
  std::vector<std::unique_ptr<uint8_t[]>> memory;
};

/// A number as a value of the scalar type of its parameter.
Cell scalarCell(const ArgValue &value, mlir::Type type);

/// T.use_swizzle: the block that runs in place of `ids` in a launch with this
/// panel size (0: none).
void swizzleBlock(int64_t panel, bool column,
                  llvm::MutableArrayRef<int64_t> ids,
                  llvm::ArrayRef<int64_t> grid);

class Machine {
public:
  Machine(Program &program, const InterpOptions &options);

  void bindTensor(unsigned param, const TensorArg &tensor);
  void bindCell(unsigned param, Cell value);
  llvm::LogicalResult run();

private:
  friend class GridRun;
  /// Who executes: the active threads, or one of them alone.
  struct Context {
    llvm::ArrayRef<uint32_t> threads;
    uint32_t thread = 0;
    bool alone = false;
  };

  void runNodes(const Nodes &nodes, const Context &context);
  void runControl(const Node &node, const Context &context);
  void runIf(const Node &node, const Context &context);
  void runSplitIf(const IfInfo &info, const Context &context);
  void runFor(const Node &node, const Context &context);
  void runWhile(const Node &node, const Context &context);
  void runParallel(const Node &node);
  void runLaunch(const Node &node);
  void runInOrder(const LaunchInfo &info, const int64_t (&grid)[3]);
  void runTogether(const Node &node, const int64_t (&grid)[3]);
  void runBlockOfLaunch(const LaunchInfo &info, const int64_t (&id)[3],
                        const int64_t (&grid)[3]);
  template <typename Body>
  void eachThread(bool split, const Context &context, Body body);

  void step(const Node &node, uint32_t thread);
  uint8_t *address(const Node &node, uint32_t thread);
  void atomic(const Node &node, uint32_t thread);
  void copy(const Node &node, uint32_t thread);
  void fill(const Node &node, uint32_t thread);
  void gemm(const Node &node, uint32_t thread);
  bool locate(const Node &node, const BufferRegion &region, uint32_t thread,
              llvm::SmallVectorImpl<int64_t> &offsets);
  template <typename T>
  void multiply(const Node &node, llvm::ArrayRef<int64_t> aOffsets,
                llvm::ArrayRef<int64_t> bOffsets, bool clear);

  void allocate();
  void poison(const LaunchInfo &info);
  bool countStep(const Node &node);
  void fail(const Node &node, const std::string &text);
  void failIndex(const Node &node, const Buffer &buffer, uint32_t bufferId,
                 unsigned dim, int64_t index);

  Cell &at(Ref r, uint32_t thread) { return cells[r.slot + (thread & r.mask)]; }
  Cell &dst(const Node &n, uint32_t thread) { return at(n.dst, thread); }

  Program &program;
  const InterpOptions &options;
  std::vector<Cell> cells;
  std::vector<Buffer> buffers;
  std::vector<llvm::SmallVector<int64_t, 8>> dims; ///< shape, then strides
  std::vector<std::vector<uint8_t>> storage;
  std::vector<uint32_t> allThreads;
  const LaunchInfo *launch = nullptr;
  /// Called at T.sync_grid; returns when all blocks have come there.
  std::function<void(const Node &)> syncGrid;
  uint64_t steps = 0;
  bool failed = false;
};

} // namespace tlc::interp
