// Reads NVRTC's log and finds the characters of a text in a string literal.
#include "compiler/driver/ImportedText.h"

#include "compiler/frontend/syntax/Lexer.h"
#include "compiler/frontend/syntax/Literals.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

using llvm::StringRef;

namespace tlc {

/// `FILE(LINE): error: TEXT`, or without a place at the end of the text; what
/// else a line may be is none.
static std::optional<CudaError> parseHead(StringRef line) {
  if (line.consume_front("At end of source: error: "))
    return CudaError{"", 0, 0, line.trim().str(), ""};
  for (StringRef label : {"): error: ", "): catastrophic error: "}) {
    auto [place, text] = line.split(label);
    size_t open = place.rfind('(');
    CudaError error;
    if (text.empty() || open == StringRef::npos ||
        place.drop_front(open + 1).getAsInteger(10, error.line))
      continue;
    error.file = place.take_front(open).str();
    error.text = text.trim().str();
    return error;
  }
  return std::nullopt;
}

std::vector<CudaError> parseCudaErrors(StringRef log) {
  constexpr size_t indent = 2; // of the line and of the caret below it
  std::vector<CudaError> errors;
  llvm::SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    std::optional<CudaError> error = parseHead(lines[i]);
    if (!error)
      continue;
    if (i + 2 < lines.size() && lines[i + 2].trim() == "^" &&
        lines[i + 1].size() > indent) {
      error->sourceLine = lines[i + 1].drop_front(indent).rtrim().str();
      error->column = lines[i + 2].find('^') - indent + 1;
    }
    errors.push_back(std::move(*error));
  }
  return errors;
}

constexpr StringRef kHead = "#line 1 \"T.import_source";

std::vector<ImportedText> importedTexts(StringRef prelude) {
  std::vector<ImportedText> texts;
  while (!prelude.empty()) {
    ImportedText next{0, 0, "T.import_source", ""};
    if (prelude.starts_with(kHead)) {
      auto [head, rest] = prelude.split('\n');
      next.name = head.split('"').second.rtrim('"').str();
      auto [line, column] = StringRef(next.name).rsplit(' ').second.split(':');
      if (line.getAsInteger(10, next.line) ||
          column.getAsInteger(10, next.column))
        next.line = next.column = 0;
      prelude = rest;
    }
    size_t end = prelude.find(("\n" + kHead).str());
    next.text = prelude.take_front(end).str();
    prelude =
        end == StringRef::npos ? StringRef() : prelude.drop_front(end + 1);
    texts.push_back(std::move(next));
  }
  return texts;
}

StringRef lineOf(StringRef text, unsigned number) {
  for (; number > 1; --number)
    text = text.split('\n').second;
  return number == 0 ? StringRef() : text.split('\n').first;
}

/// Characters of the first element of a literal: one character or one escape.
static size_t elementLength(StringRef body) {
  if (body.starts_with("\r\n"))
    return 2;
  if (body.front() != '\\' || body.size() < 2)
    return 1;
  char kind = body[1];
  size_t length = 2;
  if (kind == 'x' || kind == 'u' || kind == 'U')
    length = kind == 'x' ? 4 : kind == 'u' ? 6 : 10;
  else if (kind == 'N')
    length = body.find('}') + 1;
  else if (kind == '\r' && body.substr(2, 1) == "\n")
    length = 3;
  else
    while (kind >= '0' && kind <= '7' && length < 4 && length < body.size() &&
           body[length] >= '0' && body[length] <= '7')
      ++length;
  return std::clamp<size_t>(length, 1, body.size());
}

/// The element of a literal that makes character `offset` of its value.
static size_t findInLiteral(const frontend::StringLiteral &literal,
                            size_t offset, DiagnosticEngine &scratch) {
  std::string value;
  size_t at = 0;
  while (at < literal.body.size()) {
    StringRef rest = literal.body.drop_front(at);
    size_t length =
        literal.isRaw && !rest.starts_with("\r\n") ? 1 : elementLength(rest);
    frontend::decodeString(rest.take_front(length), false, literal.isRaw, false,
                           scratch, value);
    if (value.size() > offset)
      break;
    at += length;
  }
  return at;
}

/// The literal whose value the text is: that at the argument, else the first.
static std::optional<frontend::StringLiteral>
findLiteral(StringRef source, const ImportedText &imported,
            const llvm::SourceMgr &sources, DiagnosticEngine &scratch) {
  std::optional<frontend::StringLiteral> found;
  for (const frontend::Token &token : frontend::lex(source).tokens) {
    if (!token.is(frontend::TokenKind::String))
      continue;
    frontend::StringLiteral literal = frontend::splitString(token.text);
    std::string value;
    if (literal.isBytes ||
        !frontend::decodeString(literal.body, false, literal.isRaw, false,
                                scratch, value) ||
        value != imported.text)
      continue;
    auto [line, column] = sources.getLineAndColumn(token.begin());
    if (line == imported.line && column == imported.column)
      return literal;
    if (!found)
      found = literal;
  }
  return found;
}

std::optional<SourceSpan> placeInLiteral(StringRef source, StringRef file,
                                         const ImportedText &imported,
                                         unsigned line, unsigned column) {
  StringRef text = imported.text, wanted = lineOf(text, line);
  size_t offset = text.size();
  if (line != 0 && line <= text.count('\n') + 1) {
    size_t first = std::min(wanted.find_first_not_of(" \t"), wanted.size());
    offset = wanted.data() - text.data() +
             (column ? std::min<size_t>(column - 1, wanted.size()) : first);
  }
  // What is missing at the end of the text is missing behind its last word.
  if (offset == text.size())
    offset = text.rtrim().size();
  llvm::SourceMgr sources;
  unsigned id = sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(source, file), llvm::SMLoc());
  DiagnosticEngine scratch(sources);
  auto literal = findLiteral(sources.getMemoryBuffer(id)->getBuffer(), imported,
                             sources, scratch);
  if (!literal)
    return std::nullopt;
  size_t at = findInLiteral(*literal, offset, scratch);
  auto place = llvm::SMLoc::getFromPointer(literal->body.data() + at);
  auto [fileLine, fileColumn] = sources.getLineAndColumn(place, id);
  return SourceSpan{file.str(), fileLine, fileColumn, fileLine, fileColumn + 1};
}

} // namespace tlc
