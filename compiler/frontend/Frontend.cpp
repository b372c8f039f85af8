// Parses a buffer and hands the tree to the elaborator.
#include "compiler/frontend/Frontend.h"

#include "compiler/frontend/elaborate/Elaborator.h"
#include "compiler/frontend/syntax/Parser.h"

namespace tlc::frontend {

mlir::OwningOpRef<mlir::ModuleOp> elaborate(llvm::SourceMgr &sources,
                                            unsigned bufferId,
                                            const FrontendOptions &options,
                                            mlir::MLIRContext &context,
                                            DiagnosticEngine &diags) {
  auto module = parseModule(sources, bufferId, diags);
  if (!module)
    return nullptr;
  return Elaborator(*module, sources, options, context, diags).run();
}

std::vector<KernelInfo> listKernels(llvm::SourceMgr &sources, unsigned bufferId,
                                    DiagnosticEngine &diags) {
  auto module = parseModule(sources, bufferId, diags);
  if (!module)
    return {};
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  FrontendOptions options;
  return Elaborator(*module, sources, options, context, diags).listKernels();
}

} // namespace tlc::frontend
