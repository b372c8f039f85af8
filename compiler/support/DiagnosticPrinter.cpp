// Renders diagnostics: text with the source line, caret and span, or JSON.
#include "compiler/support/Diagnostics.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc {

/// The buffer with that name, or 0: the last one wins, as it is the one that
/// was opened under that name most recently.
static unsigned findBuffer(const llvm::SourceMgr &sources,
                           llvm::StringRef file) {
  for (unsigned id = sources.getNumBuffers(); id > 0; --id)
    if (sources.getMemoryBuffer(id)->getBufferIdentifier() == file)
      return id;
  return 0;
}

static llvm::SourceMgr::DiagKind messageKind(DiagClass diagClass) {
  switch (diagClass) {
  case DiagClass::Warning:
    return llvm::SourceMgr::DK_Warning;
  case DiagClass::Remark:
    return llvm::SourceMgr::DK_Remark;
  default:
    return llvm::SourceMgr::DK_Error;
  }
}

/// Prints `file:line:col: message` and, if the line is at hand, the line with a
/// caret at the start of the span and '~' below the rest of it.
static void printMessage(const llvm::SourceMgr &sources, llvm::raw_ostream &os,
                         const SourceSpan &span, llvm::SourceMgr::DiagKind kind,
                         llvm::StringRef message, bool withLine) {
  unsigned buffer = span.line ? findBuffer(sources, span.file) : 0;
  llvm::SMLoc start;
  if (buffer)
    start = const_cast<llvm::SourceMgr &>(sources).FindLocForLineAndColumn(
        buffer, span.line, span.column);
  if (!withLine || !start.isValid()) {
    if (!span.file.empty())
      os << span.file << ":";
    if (span.line)
      os << span.line << ":" << span.column << ":";
    os << (span.file.empty() ? "" : " ") << message << "\n";
    return;
  }
  llvm::StringRef text = sources.getMemoryBuffer(buffer)->getBuffer();
  llvm::StringRef fromStart = text.substr(start.getPointer() - text.data());
  size_t rest = fromStart.find_first_of("\r\n");
  llvm::StringRef line(start.getPointer() - (span.column - 1),
                       span.column - 1 + fromStart.take_front(rest).size());
  unsigned begin = span.column - 1;
  unsigned end =
      span.endLine > span.line ? unsigned(line.size()) : span.endColumn - 1;
  std::pair<unsigned, unsigned> columns(begin, std::max(begin + 1, end));
  llvm::SMDiagnostic(sources, start, span.file, int(span.line),
                     int(span.column) - 1, kind, message, line, columns)
      .print(nullptr, os, os.has_colors(), /*ShowKindLabel=*/false);
}

static void printDiagnostic(const llvm::SourceMgr &sources,
                            llvm::raw_ostream &os,
                            const Diagnostic &diagnostic) {
  std::string header;
  llvm::raw_string_ostream(header)
      << label(diagnostic.diagClass()) << "[" << diagnostic.code()
      << "]: " << diagnostic.text;
  printMessage(sources, os, diagnostic.span,
               messageKind(diagnostic.diagClass()), header, /*withLine=*/true);
  for (const DiagNote &note : diagnostic.notes)
    printMessage(sources, os, note.span, llvm::SourceMgr::DK_Note,
                 "note: " + note.text, /*withLine=*/false);
  for (const std::string &help : diagnostic.help)
    os << "help: " << help << "\n";
}

void DiagnosticEngine::print(llvm::raw_ostream &os) const {
  for (const Diagnostic &diagnostic : list)
    printDiagnostic(sources, os, diagnostic);
  if (numErrors > kMaxErrors)
    os << "and " << numErrors - kMaxErrors << " more errors\n";
}

static void addSpan(llvm::json::OStream &json, const SourceSpan &span) {
  if (span.file.empty())
    return;
  json.attribute("file", llvm::json::fixUTF8(span.file));
  if (!span.line)
    return;
  json.attribute("line", span.line);
  json.attribute("column", span.column);
  json.attribute("endLine", span.endLine);
  json.attribute("endColumn", span.endColumn);
}

static void addDiagnostic(llvm::json::OStream &json,
                          const Diagnostic &diagnostic) {
  json.attribute("code", diagnostic.code());
  json.attribute("class", label(diagnostic.diagClass()));
  json.attribute("text", llvm::json::fixUTF8(diagnostic.text));
  addSpan(json, diagnostic.span);
  json.attributeArray("notes", [&] {
    for (const DiagNote &note : diagnostic.notes)
      json.object([&] {
        json.attribute("text", llvm::json::fixUTF8(note.text));
        addSpan(json, note.span);
      });
  });
  json.attributeArray("help", [&] {
    for (const std::string &help : diagnostic.help)
      json.value(llvm::json::fixUTF8(help));
  });
}

void DiagnosticEngine::printJSON(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os, 2);
  json.array([&] {
    for (const Diagnostic &diagnostic : list)
      json.object([&] { addDiagnostic(json, diagnostic); });
  });
  os << "\n";
}

} // namespace tlc
