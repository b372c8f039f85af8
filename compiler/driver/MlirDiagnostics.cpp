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

/// Reads the holes of `pattern` out of `text`; false if the text does not have
/// that form. What follows a fitting text after "; " is advice.
static bool matchText(StringRef pattern, StringRef text,
                      SmallVectorImpl<StringRef> &holes) {
  size_t open = pattern.find('{');
  if (!text.consume_front(pattern.take_front(open)))
    return false;
  while (open != StringRef::npos) {
    pattern = pattern.drop_front(pattern.find('}', open) + 1);
    open = pattern.find('{');
    StringRef literal = pattern.take_front(open);
    size_t at = literal.empty() ? text.size() : text.find(literal);
    if (at == StringRef::npos)
      return false;
    holes.push_back(text.take_front(at));
    text = text.drop_front(at + literal.size());
  }
  return text.empty() || text.starts_with("; ");
}

/// The entry of Diagnostics.def that has this text, with the values of its
/// holes: passes that word an error or a remark like its entry get its code and
/// help.
static std::optional<Diag> findEntry(StringRef text, bool isRemark,
                                     SmallVectorImpl<StringRef> &holes) {
  for (const DiagInfo &entry : allDiagnostics()) {
    bool fits = isRemark ? entry.diagClass == DiagClass::Remark
                         : entry.diagClass <= DiagClass::Unsupported;
    if (!fits || entry.text.starts_with("{"))
      continue;
    holes.clear();
    // Holes that do not come in order cannot be filled in order.
    bool inOrder = true;
    int next = 0;
    for (size_t at = 0; (at = entry.text.find('{', at)) != StringRef::npos;)
      inOrder &= entry.text[++at] == '0' + next++;
    if (inOrder && matchText(entry.text, text, holes))
      return entry.diag;
  }
  holes.clear();
  return std::nullopt;
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

bool isListedRemark(mlir::Diagnostic &diagnostic) {
  SmallVector<StringRef> holes;
  std::string text = diagnostic.str();
  return diagnostic.getSeverity() == DiagnosticSeverity::Remark &&
         findEntry(text, /*isRemark=*/true, holes).has_value();
}

void report(DiagnosticEngine &engine, mlir::Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  SmallVector<StringRef> holes;
  std::optional<Diag> entry;
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error ||
      diagnostic.getSeverity() == DiagnosticSeverity::Remark)
    entry = findEntry(
        text, diagnostic.getSeverity() == DiagnosticSeverity::Remark, holes);
  if (!entry)
    holes.push_back(text);
  DiagnosticBuilder builder =
      engine.report(entry.value_or(kindOf(diagnostic, text)),
                    sourceSpan(diagnostic.getLocation()));
  for (StringRef hole : holes)
    builder << hole;
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    std::string noteText = note.str();
    if (StringRef help = noteText; help.consume_front("help: "))
      builder.help(help);
    else
      builder.note(sourceSpan(note.getLocation()), noteText);
  }
}

} // namespace tlc
