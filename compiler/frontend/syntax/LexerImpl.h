// The lexer's state, shared by Lexer.cpp (lines, indentation, names, operators)
// and LexerLiterals.cpp (numbers, strings, f-strings). Private to the two.
#pragma once

#include "compiler/frontend/syntax/Lexer.h"

#include "llvm/ADT/SmallVector.h"

namespace tlc::frontend {

class Lexer {
public:
  explicit Lexer(llvm::StringRef text)
      : cur(text.begin()), end(text.end()), text(text) {}
  TokenStream run();

private:
  /// An open bracket, or the brace of an f-string field.
  struct Bracket {
    const char *pos;
    bool isField;
  };
  /// An f-string that has not ended. It is read in turns: literal text here,
  /// fields as ordinary tokens.
  struct FString {
    const char *begin;     // at the prefix
    const char *textBegin; // behind the opening quotes
    char quote;
    bool triple;
    bool raw;
    bool inText = true; // next comes literal text or a format, not a field
    /// The number of open brackets inside each open field; a field within the
    /// format of another one comes behind it.
    llvm::SmallVector<size_t, 2> fields;
  };

  // Lexer.cpp. A false result means that fail() was called.
  bool checkEncoding();
  bool lexLineStart();
  bool applyIndentation(const char *lineBegin, unsigned column, unsigned alt);
  bool lexToken();
  bool lexNewline();
  bool lexName();
  bool lexPunctuator();
  bool lexOpen(TokenKind kind);
  bool lexClose(TokenKind kind);
  bool skipContinuation();
  bool failInvalidCharacter();
  bool failTooManyOpen();
  void finish();

  // LexerLiterals.cpp
  bool lexNumber();
  bool skipDigits(bool (*isDigit)(char));
  bool checkNumberEnd(const char *begin, llvm::StringRef what);
  bool failNumber(const char *begin, llvm::StringRef why);
  /// The length of a string prefix with its quote at `cur`, 0 if there is none.
  unsigned stringPrefix() const;
  bool lexString(unsigned prefix);
  bool startFString(unsigned prefix, char quote, bool triple);
  bool lexFStringText();
  bool lexFStringBrace();
  void skipFStringEscape(const FString &string);
  bool failUnterminated(const char *begin, const char *textBegin, char quote,
                        bool triple);

  void push(TokenKind kind, const char *begin) {
    stream.tokens.push_back({kind, llvm::StringRef(begin, cur - begin)});
  }
  /// Ends lexing with an Error token over [begin, last).
  bool fail(const char *begin, const char *last,
            std::function<void(DiagnosticEngine &, llvm::SMRange)> report);
  bool fail(Diag diag, const char *begin, const char *last) {
    return fail(begin, last, [diag](auto &diags, llvm::SMRange range) {
      diags.report(diag, range);
    });
  }
  bool atEnd() const { return cur == end; }
  char peek(unsigned ahead = 0) const {
    return end - cur > ptrdiff_t(ahead) ? cur[ahead] : '\0';
  }
  bool startsWith(llvm::StringRef prefix) const {
    return llvm::StringRef(cur, end - cur).starts_with(prefix);
  }
  bool atLineEnd() const { return atEnd() || *cur == '\n' || *cur == '\r'; }
  void skipLineEnd() { cur += startsWith("\r\n") ? 2 : 1; }
  FString *fieldString() {
    return fstrings.empty() || fstrings.back().inText ? nullptr
                                                      : &fstrings.back();
  }
  /// Inside a field and not inside brackets of its own.
  bool atFieldLevel() {
    FString *string = fieldString();
    return string && string->fields.back() == brackets.size();
  }

  struct IndentLevel {
    unsigned column; // with tabs to multiples of 8
    unsigned alt;    // with tabs as one column
  };

  /// Open brackets and fields; the parser's own limit is lower.
  static constexpr unsigned kMaxOpen = 1000;

  const char *cur;
  const char *const end;
  const llvm::StringRef text;
  bool lineStart = true;
  llvm::SmallVector<IndentLevel, 16> indents{{0, 0}};
  llvm::SmallVector<Bracket, 16> brackets;
  llvm::SmallVector<FString, 2> fstrings;
  TokenStream stream;
};

/// Letters, digits, '_' and bytes of characters beyond ASCII.
bool isNameStart(char c);
bool isNameChar(char c);

} // namespace tlc::frontend
