#include "compiler/frontend/syntax/Token.h"

namespace tlc::frontend {

llvm::StringRef tokenName(TokenKind kind) {
  switch (kind) {
#define TLC_TOKEN(Name, Text)                                                  \
  case TokenKind::Name:                                                        \
    return #Name;
#include "compiler/frontend/syntax/Token.def"
  }
  return "";
}

std::string describe(TokenKind kind) {
  switch (kind) {
#define TLC_TOKEN(Name, Text)                                                  \
  case TokenKind::Name:                                                        \
    return Text;
#define TLC_KEYWORD(Name, Text)                                                \
  case TokenKind::Name:                                                        \
    return "'" Text "'";
#define TLC_PUNCTUATOR(Name, Text) TLC_KEYWORD(Name, Text)
#include "compiler/frontend/syntax/Token.def"
  }
  return "";
}

std::string describe(const Token &token) {
  if (token.is(TokenKind::Name, TokenKind::Number))
    return "'" + token.text.str() + "'";
  return describe(token.kind);
}

bool isKeyword(TokenKind kind) {
  switch (kind) {
#define TLC_KEYWORD(Name, Text) case TokenKind::Name:
#include "compiler/frontend/syntax/Token.def"
    return true;
  default:
    return false;
  }
}

} // namespace tlc::frontend
