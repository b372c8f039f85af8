// Parts of the conversion from rings and roles to barriers and slots.
#pragma once

#include "compiler/conversion/Conversion.h"
#include "compiler/target/TargetInfo.h"

namespace tlc {

/// What a ring has become.
struct LoweredRing {
  ws::RingOp ring;
  /// sm.mbarrier, one for each stage; null for a ring filled in groups.
  mlir::Value full, empty;
  llvm::SmallVector<mlir::Value> members; ///< sm.shared with `depth` stages
  int64_t bytes = 0;                      ///< what one fill delivers
  /// Consumers arrive once a warp: every use is a product, which a warp
  /// executes as one. Else each thread arrives for its own accesses.
  bool perWarp = false;
};

/// Shared memory of a launch, as ops at the builder's place.
struct SharedMemory {
  llvm::MapVector<mlir::Value, LoweredRing> rings; ///< by ws.ring result
  llvm::DenseMap<mlir::Value, mlir::Value> tiles;  ///< other tiles
  int64_t totalBytes = 0;
};

/// Places tiles, slots and barriers. Fails with an error above the limit of
/// the target.
mlir::FailureOr<SharedMemory> planShared(tile::LaunchOp launch,
                                         const target::TargetInfo &target,
                                         mlir::OpBuilder &builder);

/// Lowers the roles of `launch` to sm.role ops at the builder's place.
void lowerRoles(tile::LaunchOp launch, const SharedMemory &shared,
                mlir::OpBuilder &builder);

} // namespace tlc
