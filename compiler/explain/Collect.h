// From the programs of a compilation to what they say about its decisions.
#pragma once

#include "compiler/driver/Compiler.h"
#include "compiler/explain/Explanation.h"
#include "compiler/explain/Sources.h"
#include "compiler/target/TargetInfo.h"

namespace tlc::explain {

/// Brings `compilation`, whose source has been read, down to the thread program
/// and collects at every level on the way. What was collected before a failure
/// stays in `result`; the diagnostics are in the compilation.
Status explain(Compilation &compilation, Explanation &result);

/// Roles, rings, order and reasons of a `ws` program; makes the kernels.
void collectRoles(mlir::ModuleOp ws, const Sources &sources,
                  Explanation &result);
/// Adds threads, barriers and shared memory from the `sm` program of the same
/// kernels.
void collectMachine(mlir::ModuleOp sm, const target::TargetInfo &target,
                    Explanation &result);
/// Names the instructions that the statements have become, from the thread
/// program of the same kernels.
void collectInstructions(mlir::ModuleOp threads, Explanation &result);

} // namespace tlc::explain
