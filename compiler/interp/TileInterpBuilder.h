// Translation of a kernel into a Program. Private to the library.
#pragma once

#include "compiler/interp/TileInterpProgram.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tlc::interp {

class ProgramBuilder {
public:
  explicit ProgramBuilder(tile::KernelOp kernel) { program.kernel = kernel; }
  llvm::FailureOr<Program> run();

private:
  using Result = llvm::LogicalResult;

  // Values and buffers.
  Ref newRef(mlir::Value value);
  Ref newCells(uint32_t mask);
  Ref constant(Cell cell);
  Ref intConstant(int64_t value);
  Ref ref(mlir::Value value);
  bool isUniform(mlir::ValueRange values) const;
  uint32_t bufferOf(mlir::Value value) const { return buffers.lookup(value); }
  BufferRegion region(mlir::Value buffer, mlir::OperandRange offsets,
                      llvm::ArrayRef<int64_t> sizes);

  // Statements.
  Result block(mlir::Block &block, Nodes &nodes);
  Result op(mlir::Operation *op, Nodes &nodes);
  Result tileOp(mlir::Operation *op, Nodes &nodes);
  Result launch(tile::LaunchOp op, Nodes &nodes);
  Result alloc(tile::AllocOp op);
  Result access(mlir::Operation *op, mlir::Value buffer,
                mlir::OperandRange indices, Node node, Nodes &nodes);
  Result atomic(tile::AtomicOp op, Nodes &nodes);
  Result copy(tile::CopyOp op, Nodes &nodes);
  Result fill(tile::FillOp op, Nodes &nodes);
  Result gemm(tile::GemmOp op, Nodes &nodes);
  Result callExtern(tile::CallExternOp op);
  Result parallel(tile::ParallelOp op, Nodes &nodes);
  Result pipelined(tile::PipelinedOp op, Nodes &nodes);
  Result ifOp(mlir::scf::IfOp op, Nodes &nodes);
  Result forOp(mlir::scf::ForOp op, Nodes &nodes);
  Result whileOp(mlir::scf::WhileOp op, Nodes &nodes);
  Result scalar(mlir::Operation *op, Nodes &nodes);
  Result constantOp(mlir::arith::ConstantOp op);

  void move(mlir::Operation *op, mlir::Value from, Ref to, Nodes &nodes);
  void push(Node node, Nodes &nodes);
  /// A tile operation is executed once by all threads.
  Result requireCollective(mlir::Operation *op, mlir::ValueRange operands);

  Program program;
  llvm::DenseMap<mlir::Value, Ref> refs;
  llvm::DenseMap<mlir::Value, uint32_t> buffers;
  std::optional<Uniformity> uniformity;
  LaunchInfo *current = nullptr;
  uint32_t threads = 1;
  bool inParallel = false;
  bool divergent = false;
};

} // namespace tlc::interp
