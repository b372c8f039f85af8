// The printer of one kernel: statements into a buffer, expressions as text with
// their precedence.
#pragma once

#include "compiler/target/cuda/Names.h"
#include "compiler/target/cuda/Prelude.h"
#include "compiler/target/cuda/Signature.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace tlc::cuda {

/// How tightly the outermost operator of a text binds (C++, higher: tighter).
enum Precedence {
  kTernary = 1,
  kLogicalOr,
  kLogicalAnd,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEquality,
  kRelational,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPrimary,
};

struct Expr {
  std::string text;
  Precedence precedence = kPrimary;
};

/// The C++ type of a scalar, a packed vector or a memory element.
std::string typeName(mlir::Type type);
/// Bits that a scalar or vector has in memory.
int64_t bitsOf(mlir::Type type);

class KernelEmitter {
public:
  KernelEmitter(tile::KernelOp kernel, sm::LaunchOp launch, std::string symbol,
                Prelude &prelude);

  /// Prints the function; fails after an error has been reported.
  mlir::LogicalResult emit(llvm::raw_ostream &os, KernelSignature &signature);

private:
  // EmitExpr.cpp
  Expr expr(mlir::Value v);
  std::string operand(mlir::Value v, Precedence at);
  Expr constant(mlir::Attribute attr, mlir::Type type);
  Expr inlineExpr(mlir::Operation *op, unsigned result);
  Expr arithExpr(mlir::Operation *op);
  Expr mathExpr(mlir::Operation *op);
  Expr accessExpr(mlir::Operation *op);
  Expr castExpr(mlir::Operation *op);
  Expr narrowFromInt(mlir::Value in, mlir::Type to, bool isUnsigned);
  Expr compareExpr(mlir::arith::CmpIOp op);
  Expr compareExpr(mlir::arith::CmpFOp op);
  Expr packExpr(sm::PackOp op);
  Expr unpackExpr(sm::UnpackOp op, unsigned i);
  Expr binary(mlir::Operation *op, llvm::StringRef symbol, Precedence p);
  Expr call(llvm::StringRef function, mlir::ValueRange args);
  Expr bits(mlir::Value v);
  Expr element(mlir::Value array, mlir::ValueRange indices);
  Expr globalAddress(mlir::Value buffer, mlir::Value index);
  void findInlined(mlir::Block &block);

  // EmitStmt.cpp
  mlir::LogicalResult block(mlir::Block &block);
  mlir::LogicalResult statement(mlir::Operation *op);
  mlir::LogicalResult define(mlir::Operation *op);
  mlir::LogicalResult accessStatement(mlir::Operation *op);
  mlir::LogicalResult barrierStatement(mlir::Operation *op);
  mlir::LogicalResult atomicStatement(sm::AtomicOp op);
  mlir::LogicalResult matrixStatement(mlir::Operation *op);
  mlir::LogicalResult products(sm::WgmmaInstOp first, mlir::Operation *&last);
  mlir::LogicalResult forLoop(mlir::scf::ForOp op);
  mlir::LogicalResult whileLoop(mlir::scf::WhileOp op);
  mlir::LogicalResult branch(mlir::scf::IfOp op);
  mlir::LogicalResult roles(mlir::Operation *first, mlir::Operation *&last);
  mlir::LogicalResult elect(sm::ElectOp op);
  mlir::LogicalResult externCall(tile::CallExternOp op);
  void assign(mlir::ValueRange targets, mlir::ValueRange values);
  void declare(mlir::Value v, llvm::StringRef hint);
  void line(const llvm::Twine &text);
  void lineDirective(mlir::Location loc);
  void open(const llvm::Twine &text);
  void close(const llvm::Twine &text = "}");
  std::string hintFor(mlir::Operation *op);
  std::string rolePredicate(sm::RoleOp op);

  // CudaEmitter.cpp
  void collectArgs(KernelSignature &signature);
  void addGridState(KernelSignature &signature);
  void addTensorMaps(mlir::Value param, KernelSignature &signature);
  void emitHead(llvm::raw_ostream &os, const KernelSignature &signature);
  void emitEntry();

  tile::KernelOp kernel;
  sm::LaunchOp launch;
  std::string symbol;
  Prelude &prelude;
  Names names;
  std::string body;
  unsigned depth = 1;
  llvm::DenseSet<mlir::Operation *> inlined;
  llvm::SmallVector<sm::RoleOp> roleStack;
  /// One kernel parameter for each different map.
  llvm::SmallVector<std::pair<sm::TensorMapOp, std::string>> tensorMaps;
  std::string warpName, gridState, lastFile;
  unsigned lastLine = 0;
};

} // namespace tlc::cuda
