#include "compiler/support/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cassert>

namespace tlc {

static constexpr DiagInfo kDiagnostics[] = {
#define TLC_DIAG(Name, Code, Class, Text, Help, Explanation)                   \
  {Diag::Name, #Name, Code, DiagClass::Class, Text, Help, Explanation},
#include "compiler/support/Diagnostics.def"
#undef TLC_DIAG
};

const DiagInfo &info(Diag diag) { return kDiagnostics[unsigned(diag)]; }

llvm::ArrayRef<DiagInfo> allDiagnostics() { return kDiagnostics; }

const DiagInfo *findDiagnostic(llvm::StringRef code) {
  const auto *it = llvm::find_if(kDiagnostics, [&](const DiagInfo &entry) {
    return entry.code.equals_insensitive(code);
  });
  return it == std::end(kDiagnostics) ? nullptr : it;
}

llvm::StringRef label(DiagClass diagClass) {
  switch (diagClass) {
  case DiagClass::Error:
    return "error";
  case DiagClass::Unsupported:
    return "unsupported";
  case DiagClass::Internal:
    return "internal error";
  case DiagClass::Warning:
    return "warning";
  case DiagClass::Remark:
    return "remark";
  }
  return "error";
}

SourceSpan sourceSpan(const llvm::SourceMgr &sources, llvm::SMRange range) {
  if (!range.isValid())
    return {};
  unsigned buffer = sources.FindBufferContainingLoc(range.Start);
  if (!buffer)
    return {};
  SourceSpan span;
  span.file = sources.getMemoryBuffer(buffer)->getBufferIdentifier().str();
  std::tie(span.line, span.column) =
      sources.getLineAndColumn(range.Start, buffer);
  std::tie(span.endLine, span.endColumn) =
      sources.getLineAndColumn(range.End, buffer);
  return span;
}

std::string fillHoles(llvm::StringRef text, llvm::ArrayRef<std::string> holes) {
  std::string out;
  while (!text.empty()) {
    size_t open = text.find('{');
    out += text.take_front(open);
    text = text.substr(open);
    unsigned index = 0;
    size_t close = text.find('}');
    if (close != llvm::StringRef::npos &&
        !text.substr(1, close - 1).getAsInteger(10, index)) {
      if (index < holes.size())
        out += holes[index];
      text = text.substr(close + 1);
    } else if (!text.empty()) {
      out += text.front();
      text = text.drop_front();
    }
  }
  return out;
}

std::string shortestText(double value) {
  std::string text;
  for (int digits = 1; digits <= 17; ++digits) {
    text.clear();
    llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, value);
    double back = 0;
    if (!llvm::StringRef(text).getAsDouble(back) && back == value)
      break;
  }
  return text;
}

llvm::StringRef nearestName(llvm::StringRef name,
                            llvm::ArrayRef<llvm::StringRef> candidates) {
  // A third of the letters may differ, but never all of a short name.
  unsigned limit = std::clamp<unsigned>((name.size() + 2) / 3, 1, 4);
  if (name.size() <= 1)
    return {};
  llvm::StringRef best;
  for (llvm::StringRef candidate : candidates) {
    if (candidate.equals_insensitive(name) && candidate != name)
      return candidate;
    unsigned distance = name.edit_distance(candidate, true, limit);
    if (distance == 0 || distance > limit || distance >= candidate.size())
      continue;
    if (best.empty() || distance < limit) {
      best = candidate;
      limit = distance;
    }
  }
  return best;
}

// ---- DiagnosticBuilder ------------------------------------------------------

DiagnosticBuilder::DiagnosticBuilder(DiagnosticEngine &engine, Diag diag,
                                     SourceSpan span)
    : engine(&engine), diagnostic{diag, std::move(span), {}, {}, {}} {}

DiagnosticBuilder::DiagnosticBuilder(DiagnosticBuilder &&other) noexcept
    : engine(other.engine), diagnostic(std::move(other.diagnostic)),
      holes(std::move(other.holes)) {
  other.engine = nullptr;
}

DiagnosticBuilder::~DiagnosticBuilder() {
  if (!engine)
    return;
  const DiagInfo &entry = info(diagnostic.diag);
  diagnostic.text = fillHoles(entry.text, holes);
  if (!entry.help.empty())
    diagnostic.help.push_back(fillHoles(entry.help, holes));
  engine->add(std::move(diagnostic));
}

DiagnosticBuilder &DiagnosticBuilder::note(llvm::SMRange range,
                                           const llvm::Twine &text) & {
  return note(sourceSpan(engine->sourceManager(), range), text);
}

DiagnosticBuilder &DiagnosticBuilder::note(SourceSpan span,
                                           const llvm::Twine &text) & {
  diagnostic.notes.push_back({std::move(span), text.str()});
  return *this;
}

DiagnosticBuilder &DiagnosticBuilder::note(const llvm::Twine &text) & {
  return note(SourceSpan(), text);
}

DiagnosticBuilder &DiagnosticBuilder::help(const llvm::Twine &text) & {
  diagnostic.help.push_back(text.str());
  return *this;
}

DiagnosticBuilder &
DiagnosticBuilder::suggest(llvm::StringRef name,
                           llvm::ArrayRef<llvm::StringRef> candidates) & {
  llvm::StringRef nearest = nearestName(name, candidates);
  return nearest.empty() ? *this : help("did you mean '" + nearest + "'?");
}

// ---- DiagnosticEngine -------------------------------------------------------

DiagnosticBuilder DiagnosticEngine::report(Diag diag, llvm::SMRange range) {
  return {*this, diag, sourceSpan(sources, range)};
}

DiagnosticBuilder DiagnosticEngine::report(Diag diag, SourceSpan span) {
  return {*this, diag, std::move(span)};
}

static bool isSame(const Diagnostic &a, const Diagnostic &b) {
  return a.diag == b.diag && a.span.line == b.span.line &&
         a.span.column == b.span.column && a.span.file == b.span.file &&
         a.text == b.text;
}

void DiagnosticEngine::add(Diagnostic diagnostic) {
  bool repeated = llvm::any_of(
      list, [&](const Diagnostic &other) { return isSame(other, diagnostic); });
  if (repeated)
    return;
  if (diagnostic.isError() && numErrors++ >= kMaxErrors)
    return;
  list.push_back(std::move(diagnostic));
}

} // namespace tlc
