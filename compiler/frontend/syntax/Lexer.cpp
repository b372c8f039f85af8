#include "compiler/frontend/syntax/LexerImpl.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ConvertUTF.h"

namespace tlc::frontend {

/// Blocks may be nested that deep, as in CPython.
static constexpr unsigned kMaxIndents = 100;
TokenStream lex(llvm::StringRef text) { return Lexer(text).run(); }

bool isNameStart(char c) {
  return llvm::isAlpha(c) || c == '_' || (static_cast<unsigned char>(c) & 0x80);
}

bool isNameChar(char c) { return isNameStart(c) || llvm::isDigit(c); }

bool Lexer::fail(
    const char *begin, const char *last,
    std::function<void(DiagnosticEngine &, llvm::SMRange)> report) {
  cur = last;
  push(TokenKind::Error, begin);
  llvm::SMRange range = stream.tokens.back().range();
  stream.reportError = [report = std::move(report), range](
                           DiagnosticEngine &diags) { report(diags, range); };
  return false;
}

TokenStream Lexer::run() {
  if (checkEncoding()) {
    if (startsWith("\xEF\xBB\xBF"))
      cur += 3;
    bool ok = true;
    while (ok && !atEnd()) {
      if (!fstrings.empty() && fstrings.back().inText)
        ok = lexFStringText();
      else if (lineStart)
        ok = lexLineStart();
      else
        ok = lexToken();
    }
    if (ok)
      finish();
  }
  return std::move(stream);
}

/// Checks the whole text at once, comments and strings included.
bool Lexer::checkEncoding() {
  const auto *pos = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  const auto *last = reinterpret_cast<const llvm::UTF8 *>(text.end());
  size_t bad = text.find('\0');
  if (!llvm::isLegalUTF8String(&pos, last))
    bad = std::min(bad,
                   size_t(reinterpret_cast<const char *>(pos) - text.begin()));
  if (bad == llvm::StringRef::npos)
    return true;
  return fail(Diag::InvalidEncoding, text.begin() + bad,
              text.begin() + bad + 1);
}

/// Ends an open line and all blocks, or reports what was left open.
void Lexer::finish() {
  if (!fstrings.empty()) {
    const FString &string = fstrings.back();
    failUnterminated(string.begin, string.textBegin, string.quote,
                     string.triple);
    return;
  }
  if (!brackets.empty()) {
    const char *open = brackets.back().pos;
    stream.unclosedBracket = llvm::StringRef(brackets.front().pos, 1);
    fail(open, open + 1, [c = *open](auto &diags, llvm::SMRange range) {
      diags.report(Diag::UnclosedBracket, range) << c;
    });
    return;
  }
  if (!stream.tokens.empty() && !stream.tokens.back().is(TokenKind::Newline))
    push(TokenKind::Newline, cur);
  for (; indents.size() > 1; indents.pop_back())
    push(TokenKind::Dedent, cur);
  push(TokenKind::EndOfFile, cur);
}

// ---- Lines ------------------------------------------------------------------

/// Skips blank and comment lines; for others turns the indentation into tokens.
bool Lexer::lexLineStart() {
  const char *begin = cur;
  unsigned column = 0, alt = 0, joined = 0;
  for (; !atEnd(); ++cur) {
    if (*cur == ' ')
      ++column, ++alt;
    else if (*cur == '\t')
      column = (column / 8 + 1) * 8, ++alt;
    else if (*cur == '\f')
      column = alt = 0;
    else if (*cur == '\\') {
      // The indentation of the first of the joined lines counts, if it has one.
      if (!joined)
        joined = column;
      if (!skipContinuation())
        return false;
      --cur;
    } else
      break;
  }
  if (joined)
    column = alt = joined;
  if (peek() == '#')
    while (!atLineEnd())
      ++cur;
  if (atEnd())
    return true;
  if (atLineEnd()) {
    skipLineEnd();
    return true;
  }
  lineStart = false;
  return applyIndentation(begin, column, alt);
}

bool Lexer::applyIndentation(const char *lineBegin, unsigned column,
                             unsigned alt) {
  IndentLevel top = indents.back();
  if ((column > top.column) != (alt > top.alt) ||
      (column < top.column) != (alt < top.alt))
    return fail(Diag::InconsistentTabs, lineBegin, cur);
  if (column > top.column) {
    if (indents.size() > kMaxIndents)
      return fail(lineBegin, cur, [](auto &diags, llvm::SMRange range) {
        diags.report(Diag::NestingTooDeep, range) << kMaxIndents;
      });
    indents.push_back({column, alt});
    push(TokenKind::Indent, lineBegin);
    return true;
  }
  while (column < indents.back().column) {
    indents.pop_back();
    push(TokenKind::Dedent, cur);
  }
  if (column != indents.back().column)
    return fail(Diag::InconsistentDedent, lineBegin, cur);
  if (alt != indents.back().alt)
    return fail(Diag::InconsistentTabs, lineBegin, cur);
  return true;
}

bool Lexer::lexNewline() {
  const char *begin = cur;
  skipLineEnd();
  if (!brackets.empty() || !fstrings.empty())
    return true;
  push(TokenKind::Newline, begin);
  stream.tokens.back().text = llvm::StringRef(begin, 0);
  lineStart = true;
  return true;
}

bool Lexer::skipContinuation() {
  const char *begin = cur++;
  if (atEnd() || !atLineEnd())
    return fail(Diag::StrayBackslash, begin, cur);
  skipLineEnd();
  // Nothing to go on with: CPython calls this an unexpected end of the file.
  if (atEnd())
    return fail(Diag::StrayBackslash, begin, begin + 1);
  return true;
}

// ---- Tokens -----------------------------------------------------------------

bool Lexer::lexToken() {
  switch (char c = *cur) {
  case ' ':
  case '\t':
  case '\f':
    ++cur;
    return true;
  case '\n':
  case '\r':
    return lexNewline();
  case '#':
    while (!atLineEnd())
      ++cur;
    return true;
  case '\\':
    return skipContinuation();
  default:
    if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1))))
      return lexNumber();
    if (unsigned prefix = stringPrefix())
      return lexString(prefix);
    if (isNameStart(c))
      return lexName();
    return lexPunctuator();
  }
}

/// Whether a character beyond ASCII may be part of a name. By ranges: symbols,
/// punctuation and spaces are told from letters, not each letter from the next.
static bool isNameCodepoint(uint32_t c) {
  struct Range {
    uint32_t first, last;
  };
  static constexpr Range kExcluded[] = {
      {0x80, 0xA9},       {0xAB, 0xB4},       {0xB6, 0xB6},
      {0xB7, 0xB9},       {0xBB, 0xBF},       {0xD7, 0xD7},
      {0xF7, 0xF7},       {0x1680, 0x1680},   {0x2000, 0x203E},
      {0x2041, 0x2053},   {0x2055, 0x2070},   {0x2072, 0x207E},
      {0x2080, 0x208F},   {0x20A0, 0x20CF},   {0x2190, 0x2BFF},
      {0x2E00, 0x3004},   {0x3008, 0x3020},   {0xD800, 0xF8FF},
      {0xFE10, 0xFE1F},   {0xFE30, 0xFE32},   {0xFE50, 0xFE6F},
      {0xFEFF, 0xFF0F},   {0xFF1A, 0xFF20},   {0xFF3B, 0xFF3E},
      {0xFF5B, 0xFF65},   {0xFFE0, 0xFFFF},   {0x1F000, 0x1FAFF},
      {0xE0000, 0xE00FF}, {0xF0000, 0x10FFFF}};
  return llvm::none_of(kExcluded, [c](Range range) {
    return range.first <= c && c <= range.last;
  });
}

/// Decodes the character at `pos`; the text is known to be valid UTF-8.
static uint32_t decodeUtf8(const char *&pos, const char *end) {
  const auto *source = reinterpret_cast<const llvm::UTF8 *>(pos);
  llvm::UTF32 codepoint = 0;
  llvm::UTF32 *target = &codepoint;
  unsigned length = llvm::getNumBytesForUTF8(*source);
  const llvm::UTF8 *last = source + std::min<ptrdiff_t>(length, end - pos);
  llvm::ConvertUTF8toUTF32(&source, last, &target, target + 1,
                           llvm::lenientConversion);
  pos += length;
  return codepoint;
}

bool Lexer::lexName() {
  const char *begin = cur;
  while (!atEnd() && isNameChar(*cur)) {
    if (!(static_cast<unsigned char>(*cur) & 0x80)) {
      ++cur;
      continue;
    }
    const char *next = cur;
    if (!isNameCodepoint(decodeUtf8(next, end)))
      return failInvalidCharacter();
    cur = next;
  }
  llvm::StringRef name(begin, cur - begin);
  TokenKind kind = llvm::StringSwitch<TokenKind>(name)
#define TLC_KEYWORD(Name, Text) .Case(Text, TokenKind::Name)
#include "compiler/frontend/syntax/Token.def"
                       .Default(TokenKind::Name);
  push(kind, begin);
  return true;
}

bool Lexer::failInvalidCharacter() {
  const char *begin = cur, *next = cur;
  uint32_t codepoint = decodeUtf8(next, end);
  std::string shown = "U+" + llvm::utohexstr(codepoint, false, 4);
  if (codepoint > 0xA0)
    shown = "'" + std::string(begin, next) + "' (" + shown + ")";
  else if (llvm::isPrint(char(codepoint)) && codepoint < 0x80)
    shown = "'" + std::string(begin, next) + "'";
  llvm::StringRef help;
  if ((codepoint >= 0x2018 && codepoint <= 0x201F))
    help = "write a plain quote, ' or \"";
  else if (codepoint >= 0x2010 && codepoint <= 0x2015)
    help = "write a plain minus, -";
  else if (codepoint == 0xA0 || (codepoint >= 0x2000 && codepoint <= 0x200B))
    help = "write a plain space";
  return fail(begin, next, [=](auto &diags, llvm::SMRange range) {
    auto builder = diags.report(Diag::InvalidCharacter, range);
    builder << shown;
    if (!help.empty())
      builder.help(help);
  });
}

bool Lexer::lexPunctuator() {
  // In a field `!=` is an operator but `!` begins the conversion, and at its
  // own level ':' begins the format, even in `:=`.
  if (*cur == ':' && atFieldLevel()) {
    const char *begin = cur++;
    push(TokenKind::FieldColon, begin);
    fstrings.back().inText = true;
    return true;
  }
  struct Punctuator {
    llvm::StringLiteral text;
    TokenKind kind;
  };
  static constexpr Punctuator kPunctuators[] = {
#define TLC_PUNCTUATOR(Name, Text) {Text, TokenKind::Name},
#include "compiler/frontend/syntax/Token.def"
  };
  const auto *found = llvm::find_if(
      kPunctuators, [&](const Punctuator &p) { return startsWith(p.text); });
  if (found == std::end(kPunctuators))
    return failInvalidCharacter();
  if (found->kind == TokenKind::Exclaim && !atFieldLevel())
    return failInvalidCharacter();
  switch (found->kind) {
  case TokenKind::LParen:
  case TokenKind::LBracket:
  case TokenKind::LBrace:
    return lexOpen(found->kind);
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::RBrace:
    return lexClose(found->kind);
  default:
    const char *begin = cur;
    cur += found->text.size();
    push(found->kind, begin);
    return true;
  }
}

bool Lexer::failTooManyOpen() {
  return fail(cur, cur + 1, [](auto &diags, llvm::SMRange range) {
    diags.report(Diag::NestingTooDeep, range) << kMaxOpen;
  });
}

bool Lexer::lexOpen(TokenKind kind) {
  if (brackets.size() >= kMaxOpen)
    return failTooManyOpen();
  brackets.push_back({cur, /*isField=*/false});
  const char *begin = cur++;
  push(kind, begin);
  return true;
}

static char closingOf(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

bool Lexer::lexClose(TokenKind kind) {
  char close = *cur;
  if (close == '}' && atFieldLevel()) {
    FString &string = fstrings.back();
    string.fields.pop_back();
    brackets.pop_back();
    string.inText = true;
    const char *begin = cur++;
    push(TokenKind::FieldClose, begin);
    return true;
  }
  if (brackets.empty())
    return fail(cur, cur + 1, [close](auto &diags, llvm::SMRange range) {
      diags.report(Diag::UnmatchedBracket, range) << close;
    });
  const char *open = brackets.back().pos;
  if (closingOf(*open) != close) {
    stream.unclosedBracket = llvm::StringRef(brackets.front().pos, 1);
    return fail(cur, cur + 1, [=](auto &diags, llvm::SMRange range) {
      llvm::SMLoc loc = llvm::SMLoc::getFromPointer(open);
      auto builder = diags.report(Diag::MismatchedBracket, range);
      builder << close << *open;
      builder.note(llvm::SMRange(loc, loc), llvm::Twine("'") +
                                                llvm::StringRef(open, 1) +
                                                "' was opened here");
    });
  }
  brackets.pop_back();
  const char *begin = cur++;
  push(kind, begin);
  return true;
}

} // namespace tlc::frontend
