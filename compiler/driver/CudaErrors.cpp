// Finds the user's faults in what NVRTC refuses.
#include "compiler/driver/CudaErrors.h"

#include "compiler/driver/MlirDiagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace tlc {

/// The first errors say what is wrong; later ones follow from them.
constexpr size_t kShown = 4;

CudaErrors::CudaErrors(tile::KernelOp kernel, StringRef cuda, StringRef file,
                       StringRef source, const nvrtc::Options &options,
                       DiagnosticEngine &engine)
    : cuda(cuda), file(file), source(source), options(options), engine(engine),
      kernelSpan(sourceSpan(kernel.getLoc())) {
  if (auto prelude = kernel.getPrelude())
    texts = importedTexts(*prelude);
  kernel.walk([&](tile::CallExternOp call) {
    calls.push_back({call.getCallee().str(), sourceSpan(call.getLoc())});
  });
}

bool CudaErrors::report(StringRef log) {
  // Broken text makes what follows wrong: by itself it says what it lacks.
  if (reportTexts())
    return true;
  std::vector<CudaError> errors = parseCudaErrors(log);
  if (reportCalls(errors) || reportUnresolved(log))
    return true;
  if (texts.empty())
    return false;
  return errors.empty() ? reportAssembler(log) : reportSideEffect(log);
}

std::string CudaErrors::refusal(StringRef text, const nvrtc::Options &how) {
  auto output = nvrtc::compile(text, "kernel.cu", how);
  if (output)
    return "";
  std::string log;
  handleAllErrors(output.takeError(), [&](const nvrtc::NvrtcError &error) {
    log = error.what().str();
  });
  return log;
}

const ImportedText *CudaErrors::textOf(StringRef name) const {
  auto it =
      find_if(texts, [&](const ImportedText &t) { return t.name == name; });
  return it == texts.end() ? nullptr : &*it;
}

SourceSpan CudaErrors::spanOf(const ImportedText &imported) const {
  if (imported.line == 0)
    return kernelSpan;
  return {file.str(), imported.line, imported.column, imported.line,
          imported.column + 1};
}

void CudaErrors::reportAt(const ImportedText &imported, unsigned line,
                          unsigned column, const Twine &message) {
  if (auto place = placeInLiteral(source, file, imported, line, column)) {
    engine.report(Diag::ImportedTextRejected, *place) << message;
    return;
  }
  // The text was put together, or comes from elsewhere.
  StringRef wrong = lineOf(imported.text, line).trim();
  auto report = engine.report(Diag::ImportedTextRejected, spanOf(imported))
                << message;
  if (!wrong.empty())
    report.note("line " + Twine(line) + " of the text: " + wrong);
}

/// The texts, behind the functions of ours that they may use, without the
/// kernel.
bool CudaErrors::reportTexts() {
  if (texts.empty())
    return false;
  const ImportedText &last = texts.back();
  size_t begin = cuda.find("#line 1 \"" + last.name + "\"\n");
  size_t end = begin == StringRef::npos ? begin : cuda.find(last.text, begin);
  if (end == StringRef::npos)
    return false;
  nvrtc::Options how = options;
  how.cubin = false;
  auto errors = parseCudaErrors(
      refusal((cuda.take_front(end) + last.text + "\n").str(), how));
  for (const CudaError &error : ArrayRef(errors).take_front(kShown)) {
    const ImportedText *text =
        error.file.empty() ? &texts.back() : textOf(error.file);
    if (text)
      reportAt(*text, error.line, error.column, error.text);
    else // a header, or what the text's own #line names
      engine.report(Diag::ImportedTextRejected, spanOf(texts.front()))
          << error.file + "(" + Twine(error.line) + "): " + error.text;
  }
  return !errors.empty();
}

/// `name` stands before the callee's :: or < where it is not all of it.
static bool names(StringRef callee, StringRef name) {
  return callee.consume_front(name) &&
         (callee.empty() || callee.starts_with("::") || callee[0] == '<');
}

bool CudaErrors::reportCalls(ArrayRef<CudaError> errors) {
  std::vector<const Call *> reported;
  for (const CudaError &error : errors) {
    StringRef text = error.text;
    StringRef quoted = text.split('"').second.split('"').first;
    bool undeclared = text.ends_with("is undefined");
    auto isHere = [&](const Call &call) {
      return call.span.line == error.line && call.span.file == error.file;
    };
    auto isMeant = [&](const Call &call) {
      return undeclared ? names(call.callee, quoted) : isHere(call);
    };
    auto it = find_if(
        calls, [&](const Call &call) { return isHere(call) && isMeant(call); });
    if (it == calls.end())
      it = find_if(calls, isMeant);
    // Of one call, the first error says what is wrong.
    if (it == calls.end() || is_contained(reported, &*it) ||
        reported.size() == kShown)
      continue;
    reported.push_back(&*it);
    undeclared |= text.contains("followed by \"::\"");
    engine.report(Diag::ExternRejected, it->span)
        << it->callee << (undeclared ? "it is not declared" : text);
  }
  return !reported.empty();
}

/// Declared, called, and nowhere defined: only the assembler sees that.
bool CudaErrors::reportUnresolved(StringRef log) {
  auto [before, after] = log.split("Unresolved extern function '");
  if (after.empty())
    return false;
  std::string name = demangle(after.split('\'').first);
  StringRef plain = StringRef(name).split('(').first;
  for (const Call &call : calls)
    if (call.callee == plain) {
      engine.report(Diag::ExternRejected, call.span)
          << call.callee << "it is declared, but not defined";
      return true;
    }
  for (const ImportedText &text : texts) {
    size_t at = StringRef(text.text).find(plain);
    if (at == StringRef::npos)
      continue;
    StringRef upTo = StringRef(text.text).take_front(at);
    reportAt(text, upTo.count('\n') + 1, upTo.size() - upTo.rfind('\n'),
             "'" + name + "' is declared, but not defined");
    return true;
  }
  return false;
}

/// What the .loc before line `number` of PTX names: a file and a line.
static std::pair<StringRef, unsigned> placeInPtx(StringRef ptx,
                                                 unsigned number) {
  SmallVector<StringRef> lines, words;
  ptx.split(lines, '\n');
  unsigned line = 0;
  StringRef index;
  for (size_t i = std::min<size_t>(number, lines.size()); i-- > 0;) {
    words.clear();
    SplitString(lines[i], words, " \t,");
    if (words.size() > 2 && words[0] == ".loc" &&
        !words[2].getAsInteger(10, line)) {
      index = words[1];
      break;
    }
  }
  for (StringRef other : lines) {
    words.clear();
    SplitString(other, words, " \t");
    if (words.size() > 2 && words[0] == ".file" && words[1] == index)
      return {other.split('"').second.split('"').first, line};
  }
  return {};
}

/// Wrong assembly in an imported text: line information leads to it.
bool CudaErrors::reportAssembler(StringRef log) {
  nvrtc::Options how = options;
  how.lineInfo = true;
  std::string again = refusal(cuda, how);
  how.cubin = false;
  auto output = nvrtc::compile(cuda, "kernel.cu", how);
  if (!output) {
    consumeError(output.takeError());
    return false;
  }
  SmallVector<StringRef> lines;
  StringRef(again).split(lines, '\n');
  size_t reported = 0;
  for (StringRef line : lines) {
    unsigned number = 0;
    StringRef place = line.split(", line ").second;
    auto [label, message] = place.split(": ");
    if (place.consumeInteger(10, number) || !label.contains("error"))
      continue;
    auto [name, at] = placeInPtx(output->ptx, number);
    // The path of the folder stands before it.
    size_t begin = name.rfind("T.import_source");
    const ImportedText *text =
        begin == StringRef::npos ? nullptr : textOf(name.substr(begin));
    if (text && reported++ < kShown)
      reportAt(*text, at, 0, "ptxas: " + message.trim());
  }
  return reported > 0;
}

std::string CudaErrors::withoutTexts() const {
  std::string rest = cuda.str();
  for (const ImportedText &text : texts) {
    size_t at = rest.find(text.text);
    if (at != std::string::npos)
      rest.erase(at, text.text.size());
  }
  return rest;
}

/// Our text is right by itself: the imported one changes what it means.
bool CudaErrors::reportSideEffect(StringRef log) {
  nvrtc::Options how = options;
  how.cubin = false;
  for (const CudaError &error : parseCudaErrors(refusal(withoutTexts(), how))) {
    StringRef quoted = StringRef(error.text).split('"').second.split('"').first;
    if (none_of(calls, [&](const Call &c) { return names(c.callee, quoted); }))
      return false;
  }
  std::vector<CudaError> errors = parseCudaErrors(log);
  auto report =
      engine.report(Diag::ImportedTextRejected, spanOf(texts.front()))
      << "it changes what the kernel's own code means: " + errors.front().text;
  if (!errors.front().sourceLine.empty())
    report.note("in: " + StringRef(errors.front().sourceLine).trim());
  report.help("a macro of the text has a name that the kernel's code uses");
  return true;
}

} // namespace tlc
