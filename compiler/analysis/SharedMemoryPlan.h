// Where shared tiles lie. Tiles do not share bytes: a slot is reused by its
// ring only, so that its order is the ring's.
#ifndef TLC_COMPILER_ANALYSIS_SHAREDMEMORYPLAN_H
#define TLC_COMPILER_ANALYSIS_SHAREDMEMORYPLAN_H

#include "compiler/target/TargetInfo.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace tlc::analysis {

/// One tile or one group of barriers.
struct SharedRequest {
  std::string name;       ///< as the program calls it
  int64_t bytesPerSlot;   ///< > 0
  int64_t stages = 1;     ///< slots, one after the other
  int64_t alignment = 16; ///< of every slot; a power of two
  mlir::Location loc;     ///< where it is declared
  std::string shape;      ///< for people: "256x256"; empty for barriers
  std::string dtype;      ///< for people: "float16"; empty for barriers
};

/// Offsets from the base of the block's shared memory, whose address is a
/// multiple of `alignment`.
struct SharedPlan {
  llvm::SmallVector<int64_t> offsets;    ///< first slot; order of requests
  llvm::SmallVector<int64_t> slotStride; ///< bytes from slot to slot
  int64_t totalBytes = 0;
  int64_t alignment = 16;
};

/// Places all requests, the most aligned first so that nothing is lost between
/// them, else in their order. Above the limit of `target` it reports bytes
/// needed and allowed and the two largest tiles through `emitError` and fails.
mlir::FailureOr<SharedPlan>
planSharedMemory(llvm::ArrayRef<SharedRequest> requests,
                 const target::TargetInfo &target,
                 llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace tlc::analysis

#endif // TLC_COMPILER_ANALYSIS_SHAREDMEMORYPLAN_H
