// MLIR's diagnostics and locations as ours.
#pragma once

#include "compiler/support/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"

namespace tlc {

/// The source range of a location: that of a FileLineCol(Range), looked for
/// inside named, fused and call-site locations; empty if there is none.
SourceSpan sourceSpan(mlir::Location location);

/// Reports `diagnostic` to `engine`. An error that is worded like an entry of
/// Diagnostics.def becomes that entry. Another is KernelUnsupported where it
/// says that something is not possible "yet" or not supported, else
/// KernelRefused. Remarks worded like an entry become it as well. A note that
/// begins with "help: " becomes help.
void report(DiagnosticEngine &engine, mlir::Diagnostic &diagnostic);

/// Whether a remark is worded like an entry of Diagnostics.def: it is for every
/// user, not only for those who ask for decisions.
bool isListedRemark(mlir::Diagnostic &diagnostic);

} // namespace tlc
