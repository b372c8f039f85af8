// Bridge from MLIR's diagnostics.
#include "compiler/driver/MlirDiagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlc {

SourceSpan sourceSpan(Location location) {
  return llvm::TypeSwitch<LocationAttr, SourceSpan>(location)
      .Case([](FileLineColRange range) {
        return SourceSpan{range.getFilename().str(), range.getStartLine(),
                          range.getStartColumn(), range.getEndLine(),
                          range.getEndColumn()};
      })
      .Case([](NameLoc named) { return sourceSpan(named.getChildLoc()); })
      .Case([](CallSiteLoc call) { return sourceSpan(call.getCallee()); })
      .Case([](FusedLoc fused) {
        for (Location part : fused.getLocations())
          if (SourceSpan span = sourceSpan(part); span.line)
            return span;
        return SourceSpan();
      })
      .Default([](LocationAttr) { return SourceSpan(); });
}

static Diag kindOf(const mlir::Diagnostic &diagnostic, StringRef text) {
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    return text.contains(" yet") || text.contains("not supported")
               ? Diag::KernelUnsupported
               : Diag::KernelRefused;
  case DiagnosticSeverity::Warning:
    return Diag::KernelWarning;
  default:
    return Diag::KernelRemark;
  }
}

void report(DiagnosticEngine &engine, mlir::Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  DiagnosticBuilder builder = engine.report(
      kindOf(diagnostic, text), sourceSpan(diagnostic.getLocation()));
  builder << text;
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    std::string noteText = note.str();
    if (StringRef help = noteText; help.consume_front("help: "))
      builder.help(help);
    else
      builder.note(sourceSpan(note.getLocation()), noteText);
  }
}

} // namespace tlc
