// Tokens of Python 3.12. Soft keywords (match, case, type, _) are Names.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"
#include <cstdint>

namespace tlc::frontend {

enum class TokenKind : uint8_t {
#define TLC_TOKEN(Name, Text) Name,
#include "compiler/frontend/syntax/Token.def"
};

/// A token is a kind and a piece of the source buffer. Newline, Dedent and
/// EndOfFile may be empty pieces.
struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  llvm::StringRef text;

  bool is(TokenKind other) const { return kind == other; }
  template <typename... Kinds> bool is(TokenKind first, Kinds... others) const {
    return kind == first || is(others...);
  }
  llvm::SMLoc begin() const {
    return llvm::SMLoc::getFromPointer(text.begin());
  }
  llvm::SMLoc end() const { return llvm::SMLoc::getFromPointer(text.end()); }
  llvm::SMRange range() const { return {begin(), end()}; }
};

/// "Name", "FStringStart" ...: the enumerator.
llvm::StringRef tokenName(TokenKind kind);
/// For messages: "'for'", "a number", "the end of the line".
std::string describe(TokenKind kind);
/// As above, with the text of a name or number.
std::string describe(const Token &token);
bool isKeyword(TokenKind kind);

} // namespace tlc::frontend
