// Prints thread programs as CUDA C++ without includes. Never changes the IR;
// what it cannot print is an error at the op.
#pragma once

#include "compiler/target/cuda/Signature.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc::cuda {

/// One `__global__` function for each sm.launch of the module, in order. The
/// text is complete: NVRTC and nvcc take it for sm_90a as it is. `signatures`
/// says how each is launched.
mlir::LogicalResult
emitCuda(mlir::ModuleOp module, llvm::raw_ostream &os,
         llvm::SmallVectorImpl<KernelSignature> &signatures);

/// Registers the test pass `emit-cuda`, which prints to standard output.
void registerEmitCudaPass();

} // namespace tlc::cuda
