// The launch metadata file (its format: runtime/core/LaunchMetadata.h), made
// from the IR. What is written depends on nothing but the kernel.
#pragma once

#include "compiler/target/cuda/Signature.h"
#include "compiler/target/nvrtc/Nvrtc.h"
#include "dialects/tile/Tile.h"

#include "llvm/Support/JSON.h"

namespace tlc {

/// The parameters and sizes of a kernel as they were written. Taken at the tile
/// level: lowering hides which parameters are read and written.
struct HostSignature {
  std::string name;
  llvm::json::Array params;
  llvm::json::Array symbols;
  llvm::json::Array outputs;    ///< names of what `tile.outputs` lists
  llvm::json::Array workspaces; ///< what T.alloc_global asks for
};
HostSignature describeSignature(tile::KernelOp kernel);

/// The text of the file. `functions` are the device functions in launch order.
std::string writeMetadata(const HostSignature &signature,
                          llvm::StringRef target,
                          llvm::ArrayRef<cuda::KernelSignature> functions,
                          llvm::ArrayRef<nvrtc::KernelUsage> usage);

} // namespace tlc
