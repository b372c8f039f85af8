// Turns one sm.launch into the program of one thread. The launch is rebuilt:
// every op of the old body is expanded at the end of the new one, in order, so
// ordering actions keep their sequence.
//
// A fragment becomes an array of the registers of one thread, a shared tile an
// address. Tile-sized ops become loops over registers; the coordinates of a
// register are a thread part, computed once, plus a part that the loop
// variables give.
#pragma once

#include "compiler/analysis/Layout.h"
#include "compiler/analysis/SharedLayout.h"
#include "compiler/conversion/SMToThreads/Arithmetic.h"
#include "dialects/sm/Sm.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

namespace tlc::sm {

/// A fragment of the old program: its registers and who holds what.
struct Fragment {
  mlir::Value array; ///< memref<R x T, local>
  analysis::LinearLayout layout;
};

/// A shared tile (a slot) of the old program.
struct SharedTile {
  mlir::Value address; ///< i32, of the slot
  analysis::SharedLayout layout;
  int64_t slotBytes;
};

/// The threads that run the code at hand.
struct Role {
  int64_t firstWarp = 0, warps = 0;
  int64_t threads = 0; ///< 32 a warp; less if the block ends inside one
  mlir::Value thread;  ///< index within the role, i32
};

class Points;
struct VectorPlan;

/// For each register of a layout, the position in an array of the thread.
using RegisterMap = llvm::SmallVector<int64_t, 0>;

/// What holds inside a tile.parallel: points and who runs them.
struct ParallelContext {
  const analysis::LinearLayout *layout;
  mlir::SmallVector<mlir::Value> oldVariables;
  mlir::SmallVector<mlir::Operation *> order; ///< fragment accesses
  llvm::DenseMap<mlir::Operation *, RegisterMap> maps;
  mlir::Value primary; ///< guard of stores outside registers; null: none
  const Points *points = nullptr;
  mlir::SmallVector<mlir::Value> loopVariables; ///< one per register digit
  int64_t reg = -1; ///< the register, if the body is repeated for each
  int64_t lane = 0; ///< the point of a vector
};

class Expander {
public:
  Expander(LaunchOp launch, tile::KernelOp kernel, bool uniformAddresses);

  /// Replaces the launch.
  mlir::LogicalResult run();

  // -- used by the files of this folder
  Arith arith(mlir::Location loc) { return Arith(b, loc); }
  mlir::Value lookup(mlir::Value v) { return map.lookupOrDefault(v); }
  const Fragment *fragment(mlir::Value v) const;
  mlir::FailureOr<SharedTile> sharedTile(mlir::Operation *op, mlir::Value v);
  const Role &role() const { return roles.back(); }
  const ParallelContext *parallel() const {
    return parallels.empty() ? nullptr : &parallels.back();
  }
  /// The layout text of an attribute, or an error at `op`.
  mlir::FailureOr<analysis::LinearLayout>
  parseLayout(mlir::Operation *op, tile::FragmentLayoutAttr text);
  /// Size of dimension `dim` of a kernel parameter, i32.
  mlir::Value dimension(mlir::Value param, unsigned dim);
  /// Elements between neighbours in dimension `dim`, i64; null if 1.
  mlir::Value stride(mlir::Value param, unsigned dim);
  /// A location that carries `name` for the printer.
  static mlir::Location named(mlir::Location loc, llvm::StringRef name);

  mlir::LogicalResult expandBlock(mlir::Block &block);
  mlir::LogicalResult expandOp(mlir::Operation *op);

  mlir::OpBuilder b;
  mlir::IRMapping map;

private:
  // ExpandLaunch.cpp
  void cloneHostValues();
  mlir::LogicalResult expandStructured(mlir::Operation *op);
  mlir::LogicalResult expandRole(RoleOp op);
  mlir::LogicalResult expandAlloc(tile::AllocOp op);
  mlir::LogicalResult expandShared(SharedOp op);
  mlir::LogicalResult expandSlot(SlotOp op);
  mlir::LogicalResult expandThread(ThreadOp op);
  mlir::LogicalResult expandThreadId(tile::ThreadIdOp op);
  // ExpandBarriers.cpp
  mlir::LogicalResult expandBarrierOp(mlir::Operation *op);
  void expandCounter(CounterOp op);
  void advanceCounter(CounterAdvanceOp op);
  mlir::Value stageAddress(mlir::Value barrier, mlir::Value stage,
                           mlir::Location loc);
  // ExpandBulk.cpp
  mlir::LogicalResult expandTmaLoad(TmaLoadOp op);
  mlir::LogicalResult expandTmaStore(TmaStoreOp op);
  mlir::LogicalResult expandBulkLoad(BulkLoadOp op);
  mlir::LogicalResult forEachBox(
      mlir::Operation *op, mlir::Value global, mlir::ValueRange coords,
      llvm::ArrayRef<int64_t> sizes, mlir::Value shared,
      llvm::function_ref<void(mlir::Value, mlir::ValueRange, mlir::Value)>
          emit);
  // ExpandCopy.cpp, ExpandParallel.cpp, ExpandWgmma.cpp, ExpandMma.cpp
  mlir::LogicalResult expandCopy(tile::CopyOp op);
  mlir::LogicalResult expandFill(tile::FillOp op);
  mlir::LogicalResult expandParallel(tile::ParallelOp op);
  mlir::FailureOr<analysis::LinearLayout> layoutOfParallel(tile::ParallelOp op);
  mlir::LogicalResult mapFragments(tile::ParallelOp op,
                                   ParallelContext &context);
  mlir::LogicalResult emitParallel(tile::ParallelOp op, ParallelContext context,
                                   const VectorPlan &plan);
  mlir::LogicalResult expandVectorBody(tile::ParallelOp op,
                                       const VectorPlan &plan);
  mlir::LogicalResult
  expandWideAccess(mlir::Operation *op,
                   llvm::MutableArrayRef<mlir::IRMapping> lanes);
  mlir::LogicalResult expandLoad(tile::LoadOp op);
  mlir::LogicalResult expandStore(tile::StoreOp op);
  mlir::FailureOr<mlir::Value> replicatedRegister(mlir::Operation *op,
                                                  const Fragment &fragment,
                                                  mlir::OperandRange indices);
  mlir::FailureOr<mlir::Value> fragmentRegister(mlir::Operation *op,
                                                const Fragment &fragment,
                                                mlir::OperandRange indices);
  mlir::LogicalResult expandAtomic(tile::AtomicOp op);
  mlir::LogicalResult expandCall(tile::CallExternOp op);
  mlir::LogicalResult expandWgmma(WgmmaOp op);
  mlir::LogicalResult expandMma(MmaOp op);
  void tieBeforeFence(WgmmaFenceOp op);
  void tieAfterWait(WgmmaWaitOp op);

  LaunchOp old, launch;
  tile::KernelOp kernel;
  bool uniformAddresses; ///< the shared base is broadcast within a warp
  llvm::SmallVector<Role> roles;
  llvm::SmallVector<ParallelContext> parallels;
  llvm::DenseMap<mlir::Value, Fragment> fragments;
  llvm::DenseMap<mlir::Value, SharedTile> tiles;
  llvm::DenseMap<mlir::Value, std::pair<mlir::Value, mlir::Value>> counters;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> dimensions;
  mlir::Value sharedBase;
};

} // namespace tlc::sm
