// The levels in their order.
#include "compiler/explain/Collect.h"

#include "compiler/pipeline/Pipelines.h"

#include "llvm/Support/raw_ostream.h"

namespace tlc::explain {

Status explain(Compilation &compilation, Explanation &result) {
  const CompileOptions &options = compilation.options();
  result.arch = options.arch;
  result.fencePolicy = spelling(options.warFence).str();
  result.defines = options.defines;
  const llvm::SourceMgr &manager = compilation.sources();
  result.file = manager.getMemoryBuffer(manager.getMainFileID())
                    ->getBufferIdentifier()
                    .str();
  // The program is lowered in place: each level is read before the next.
  Status status = compilation.print(Level::WS, llvm::nulls());
  if (status != Status::Ok)
    return status;
  collectRoles(compilation.module(), Sources(manager), result);
  status = compilation.print(Level::SM, llvm::nulls());
  if (status != Status::Ok)
    return status;
  collectMachine(compilation.module(), *target::lookupTarget(options.arch),
                 result);
  status = compilation.compile(Level::Cuda);
  if (status == Status::Ok)
    collectInstructions(compilation.module(), result);
  return status;
}

} // namespace tlc::explain
