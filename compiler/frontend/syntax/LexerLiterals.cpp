// Numbers, strings and f-strings. Values are computed by the parser
// (Literals.h); here only their extent is found and their form checked.
#include "compiler/frontend/syntax/LexerImpl.h"

#include "llvm/ADT/StringExtras.h"

namespace tlc::frontend {

// ---- Numbers ----------------------------------------------------------------

static bool isDecimal(char c) { return llvm::isDigit(c); }
static bool isHex(char c) { return llvm::isHexDigit(c); }
static bool isOctal(char c) { return c >= '0' && c <= '7'; }
static bool isBinary(char c) { return c == '0' || c == '1'; }

bool Lexer::failNumber(const char *begin, llvm::StringRef why) {
  while (!atEnd() && isNameChar(*cur))
    ++cur;
  llvm::StringRef number(begin, cur - begin);
  return fail(begin, cur, [=](auto &diags, llvm::SMRange range) {
    diags.report(Diag::InvalidNumber, range) << number << why;
  });
}

/// Skips digits with single underscores between them; false if an underscore is
/// not followed by a digit.
bool Lexer::skipDigits(bool (*isDigit)(char)) {
  while (true) {
    while (isDigit(peek()))
      ++cur;
    if (peek() != '_')
      return true;
    if (!isDigit(peek(1)))
      return false;
    ++cur;
  }
}

/// A letter right behind a number is an error, except for the start of a
/// keyword that may follow an operand: `1if x else 2`.
bool Lexer::checkNumberEnd(const char *begin, llvm::StringRef what) {
  if (!isNameChar(peek()))
    return true;
  for (llvm::StringRef keyword :
       {"and", "else", "for", "if", "in", "is", "not", "or"})
    if (startsWith(keyword))
      return true;
  return failNumber(begin, what);
}

bool Lexer::lexNumber() {
  const char *begin = cur;
  if (*cur == '0' && llvm::StringRef("xXoObB").contains(peek(1))) {
    char radix = llvm::toLower(peek(1));
    auto isDigit = radix == 'x' ? isHex : radix == 'o' ? isOctal : isBinary;
    cur += 2;
    if (peek() == '_')
      ++cur;
    if (!isDigit(peek()) || !skipDigits(isDigit))
      return failNumber(begin, "a digit is missing or not allowed");
    if (!checkNumberEnd(begin, "a digit is missing or not allowed"))
      return false;
    push(TokenKind::Number, begin);
    return true;
  }
  bool isInteger = true;
  if (!skipDigits(isDecimal))
    return failNumber(begin, "'_' must stand between digits");
  const char *integerEnd = cur;
  if (peek() == '.') {
    ++cur;
    isInteger = false;
    if (isDecimal(peek()) && !skipDigits(isDecimal))
      return failNumber(begin, "'_' must stand between digits");
  }
  unsigned sign = peek(1) == '+' || peek(1) == '-';
  if ((peek() == 'e' || peek() == 'E') && isDecimal(peek(1 + sign))) {
    cur += 1 + sign;
    isInteger = false;
    if (!skipDigits(isDecimal))
      return failNumber(begin, "'_' must stand between digits");
  }
  if (peek() == 'j' || peek() == 'J') {
    ++cur;
    isInteger = false;
  }
  llvm::StringRef digits(begin, integerEnd - begin);
  if (isInteger && digits.starts_with("0") &&
      digits.find_first_not_of("0_") != llvm::StringRef::npos)
    return failNumber(begin, "a decimal number does not begin with 0; octal "
                             "numbers begin with 0o");
  if (!checkNumberEnd(begin, "letters follow the digits"))
    return false;
  push(TokenKind::Number, begin);
  return true;
}

// ---- Strings ----------------------------------------------------------------

unsigned Lexer::stringPrefix() const {
  unsigned length = 0;
  while (length < 2 && llvm::StringRef("rRbBuUfF").contains(peek(length)))
    ++length;
  if (peek(length) != '"' && peek(length) != '\'')
    return 0;
  std::string prefix = llvm::StringRef(cur, length).lower();
  if (length == 2 && prefix != "rb" && prefix != "br" && prefix != "rf" &&
      prefix != "fr")
    return 0;
  return length + 1;
}

bool Lexer::failUnterminated(const char *begin, const char *textBegin,
                             char quote, bool triple) {
  std::string quotes(triple ? 3 : 1, quote);
  if (FString *outer = fieldString();
      outer && outer->quote == quote && outer->triple == triple) {
    // What looks like the start of a string is the end of the f-string.
    const char *open = brackets[outer->fields.back() - 1].pos;
    return fail(open, open + 1, [](auto &diags, llvm::SMRange range) {
      diags.report(Diag::InvalidFString, range)
          << "this '{' has no '}' before the closing quote";
    });
  }
  return fail(begin, textBegin, [=](auto &diags, llvm::SMRange range) {
    diags.report(Diag::UnterminatedString, range) << quotes;
  });
}

bool Lexer::lexString(unsigned prefix) {
  char quote = peek(prefix - 1);
  const char *begin = cur;
  std::string quotes(3, quote);
  bool triple = llvm::StringRef(cur + prefix - 1, end - cur - (prefix - 1))
                    .starts_with(quotes);
  llvm::StringRef letters(begin, prefix - 1);
  if (letters.contains_insensitive("f"))
    return startFString(prefix, quote, triple);
  cur += prefix + (triple ? 2 : 0);
  const char *textBegin = cur;
  while (true) {
    if (atEnd() || (!triple && atLineEnd()))
      return failUnterminated(begin, textBegin, quote, triple);
    if (*cur == '\\') {
      ++cur;
      if (atEnd())
        return failUnterminated(begin, textBegin, quote, triple);
      if (atLineEnd())
        skipLineEnd();
      else
        ++cur;
      continue;
    }
    if (*cur == quote && (!triple || startsWith(quotes)))
      break;
    ++cur;
  }
  cur += triple ? 3 : 1;
  push(TokenKind::String, begin);
  return true;
}

// ---- F-strings --------------------------------------------------------------

bool Lexer::startFString(unsigned prefix, char quote, bool triple) {
  const char *begin = cur;
  cur += prefix + (triple ? 2 : 0);
  push(TokenKind::FStringStart, begin);
  FString string{begin, cur, quote, triple, false, true, {}};
  string.raw = llvm::StringRef(begin, prefix).contains_insensitive("r");
  fstrings.push_back(std::move(string));
  return true;
}

/// Skips a backslash and what it escapes. Braces are never escaped, but those
/// of \N{...} belong to it.
void Lexer::skipFStringEscape(const FString &string) {
  ++cur;
  if (atEnd() || *cur == '{' || *cur == '}')
    return;
  if (!string.raw && startsWith("N{")) {
    while (!atLineEnd() && *cur != '}' && *cur != string.quote)
      ++cur;
    if (peek() == '}')
      ++cur;
    return;
  }
  if (atLineEnd())
    skipLineEnd();
  else
    ++cur;
}

/// Literal text up to a brace or the closing quotes, or a format up to a brace.
bool Lexer::lexFStringText() {
  FString &string = fstrings.back();
  bool inFormat = !string.fields.empty();
  std::string quotes(string.triple ? 3 : 1, string.quote);
  const char *begin = cur;
  while (true) {
    if (atEnd() || (!string.triple && atLineEnd()))
      return failUnterminated(string.begin, string.textBegin, string.quote,
                              string.triple);
    if (startsWith(quotes) || *cur == '{' || *cur == '}') {
      if (!inFormat && (startsWith("{{") || startsWith("}}"))) {
        cur += 2;
        continue;
      }
      break;
    }
    if (*cur == '\\')
      skipFStringEscape(string);
    else
      ++cur;
  }
  if (cur != begin)
    push(TokenKind::FStringMiddle, begin);
  if (*cur == '{' || *cur == '}')
    return lexFStringBrace();
  begin = cur;
  if (inFormat)
    return fail(begin, begin + 1, [](auto &diags, llvm::SMRange range) {
      diags.report(Diag::InvalidFString, range)
          << "expected '}' before the closing quote";
    });
  cur += quotes.size();
  push(TokenKind::FStringEnd, begin);
  fstrings.pop_back();
  return true;
}

bool Lexer::lexFStringBrace() {
  FString &string = fstrings.back();
  const char *begin = cur;
  if (*cur == '{') {
    if (brackets.size() >= kMaxOpen)
      return failTooManyOpen();
    brackets.push_back({cur++, /*isField=*/true});
    string.fields.push_back(brackets.size());
    string.inText = false;
    push(TokenKind::FieldOpen, begin);
    return true;
  }
  if (string.fields.empty())
    return fail(begin, begin + 1, [](auto &diags, llvm::SMRange range) {
      diags.report(Diag::InvalidFString, range)
          << "a single '}' must be doubled";
    });
  // Ends the format and with it the field; what follows is again text, of the
  // string or of the format around the field.
  ++cur;
  string.fields.pop_back();
  brackets.pop_back();
  push(TokenKind::FieldClose, begin);
  return true;
}

} // namespace tlc::frontend
