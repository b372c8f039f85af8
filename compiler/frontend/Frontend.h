// Entry point of the front end: a source buffer in, a tile module or
// diagnostics out. Parses the file, evaluates what the chosen kernels need of
// it and emits one `tile.kernel` for each of them.
#pragma once

#include "compiler/support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>
#include <string>
#include <vector>

namespace tlc::frontend {

struct FrontendOptions {
  /// The function to compile; empty: the only kernel or factory of the file,
  /// or all its kernels if none of them has a factory.
  std::string kernel;
  /// -D NAME=VALUE: parameters of the factory, else constants that the module
  /// assigns. A value is an int, float, True, False, None, a tuple, a quoted
  /// or bare string (which may name an element type).
  std::map<std::string, std::string> defines;
};

/// A function of a file that can be compiled.
struct KernelInfo {
  std::string name;
  /// Has to be called, with parameters of its own, to give a kernel.
  bool isFactory = false;
  /// Parameters of the factory and the text of their defaults ("" without).
  std::vector<std::pair<std::string, std::string>> params;
};

/// Compiles a buffer of `sources` to a module with one `tile.kernel` for each
/// selected kernel. On any error returns null; `diags` then has at least one.
/// Loads the dialects that it creates operations of.
mlir::OwningOpRef<mlir::ModuleOp> elaborate(llvm::SourceMgr &sources,
                                            unsigned bufferId,
                                            const FrontendOptions &options,
                                            mlir::MLIRContext &context,
                                            DiagnosticEngine &diags);

/// The kernels and factories of a buffer in source order; empty after a syntax
/// error, which is reported.
std::vector<KernelInfo> listKernels(llvm::SourceMgr &sources, unsigned bufferId,
                                    DiagnosticEngine &diags);

} // namespace tlc::frontend
