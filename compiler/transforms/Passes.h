// The tile -> tile decisions: free functions, and the passes that wrap them.
#ifndef TLC_COMPILER_TRANSFORMS_PASSES_H
#define TLC_COMPILER_TRANSFORMS_PASSES_H

#include "compiler/support/Levers.h"
#include "compiler/target/TargetInfo.h"
#include "dialects/tile/Tile.h"

#include "mlir/Pass/Pass.h"

namespace tlc::tile {

/// What selectInstructions must not use.
struct SelectOptions {
  bool cpAsync = false; ///< loads of tiles by cp.async instead of TMA
  bool disableTma = false;
  bool disableWgmma = false;
  LeverSet levers;
};

/// Sets `inst` and `reason` of copies and products, and the warp partition of
/// products, which may change their form first. Fails, with errors at the ops,
/// if a product has no instruction or an instruction that was asked for by name
/// is not possible.
mlir::LogicalResult selectInstructions(KernelOp kernel,
                                       const target::TargetInfo &target,
                                       const SelectOptions &options = {});

/// Sets the layouts of fragments, copies, fills and parallel nests, and the
/// swizzles of shared tiles; needs the decisions of selectInstructions.
///
/// Layouts are texts of analysis::LinearLayout over the threads of the launch:
///  - a fragment's over its shape;
///  - a parallel nest's over its extents: (register, thread) is the turn in
///    which the thread runs the point. Where threads hold copies of what the
///    nest writes, each of them runs the point; effects on shared and global
///    memory then belong to the primary thread only;
///  - a copy's or fill's over the sizes other than 1 (one dimension of extent
///    1 if there is none). A copy between two fragments has the layout of the
///    destination.
/// Layouts may be larger than the tile: check inRange.
/// Fails, with an error at the op, where fragments would have to change hands
/// between threads.
mlir::LogicalResult inferLayouts(KernelOp kernel,
                                 const target::TargetInfo &target,
                                 const LeverSet &levers = {});

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/Passes.h.inc"

/// Makes the passes known to pass pipelines and command lines.
inline void registerTileTransformPasses() { registerTileTransformsPasses(); }

} // namespace tlc::tile

#endif // TLC_COMPILER_TRANSFORMS_PASSES_H
