// String literals: adjacent ones become one Constant or, if any of them is an
// f-string, one JoinedStr.
#include "compiler/frontend/syntax/Literals.h"
#include "compiler/frontend/syntax/ParserImpl.h"

namespace tlc::frontend {

using namespace ast;

/// What has been read of the literals: finished values and pending text.
struct Parser::StringParts {
  ExprVector values;
  std::string text;
  llvm::SMRange textRange; // invalid while there is no text
  bool isJoined = false;

  void addRange(llvm::SMRange range) {
    if (!textRange.isValid())
      textRange.Start = range.Start;
    textRange.End = range.End;
  }
};

/// Makes the pending text a value. Empty text is none in an f-string.
void Parser::flushText(StringParts &parts) {
  if (!parts.text.empty()) {
    auto *constant = module.create<Constant>(parts.textRange);
    constant->type = Constant::Type::String;
    constant->text = module.copy(llvm::StringRef(parts.text));
    parts.values.push_back(constant);
  }
  parts.text.clear();
  parts.textRange = {};
}

const Expr *Parser::parseStrings() {
  llvm::SMLoc begin = token().begin();
  StringParts parts;
  std::optional<bool> isBytes;
  while (at(TokenKind::String, TokenKind::FStringStart)) {
    Token first = token();
    StringLiteral literal;
    if (first.is(TokenKind::String))
      literal = splitString(first.text);
    if (isBytes && *isBytes != literal.isBytes)
      return error(Diag::MixedStrings, first.range());
    isBytes = literal.isBytes;
    if (first.is(TokenKind::FStringStart)) {
      if (!parseFString(parts))
        return nullptr;
      continue;
    }
    take();
    parts.addRange(first.range());
    if (!decodeString(literal.body, literal.isBytes, literal.isRaw,
                      /*isFString=*/false, diags, parts.text))
      return fail();
  }
  if (parts.isJoined) {
    flushText(parts);
    auto *joined = make<JoinedStr>(begin);
    joined->values = save(parts.values);
    return finish(joined);
  }
  auto *constant = make<Constant>(begin);
  constant->type =
      isBytes.value_or(false) ? Constant::Type::Bytes : Constant::Type::String;
  constant->text = module.copy(llvm::StringRef(parts.text));
  return constant;
}

bool Parser::parseFString(StringParts &parts) {
  Token start = take();
  bool isRaw = start.text.contains_insensitive("r");
  parts.isJoined = true;
  while (!consume(TokenKind::FStringEnd)) {
    if (at(TokenKind::FieldOpen)) {
      if (!parseField(parts, isRaw))
        return false;
    } else if (!parseFStringText(parts, isRaw, /*inFormat=*/false)) {
      return false;
    }
  }
  return true;
}

bool Parser::parseFStringText(StringParts &parts, bool isRaw, bool inFormat) {
  if (!at(TokenKind::FStringMiddle)) {
    expected("text of the f-string");
    return false;
  }
  Token text = take();
  parts.addRange(text.range());
  if (!decodeString(text.text, /*isBytes=*/false, isRaw,
                    /*isFString=*/!inFormat, diags, parts.text)) {
    fail();
    return false;
  }
  return true;
}

/// `{value=!r:format}`
bool Parser::parseField(StringParts &parts, bool isRaw) {
  Nesting level(nesting);
  if (nesting > kMaxNesting) {
    tooDeep(token().range(), kMaxNesting);
    return false;
  }
  Token open = take();
  if (at(TokenKind::FieldClose, TokenKind::Exclaim, TokenKind::FieldColon,
         TokenKind::Equal)) {
    error(Diag::InvalidFString, token().range(),
          {"an expression is missing in '{}'"});
    return false;
  }
  const Expr *value = parseYieldOrExpressions();
  if (!value)
    return false;
  bool isDebug = consume(TokenKind::Equal);
  // An Error token may lie before the field.
  if (isDebug && at(TokenKind::Error)) {
    reportDeeperCause();
    return false;
  }
  if (isDebug) {
    const char *textBegin = open.end().getPointer();
    const char *textEnd = token().begin().getPointer();
    parts.addRange({open.end(), token().begin()});
    parts.text.append(textBegin, textEnd);
  }
  flushText(parts);
  auto *field = make<FormattedValue>(open.begin());
  field->value = value;
  if (consume(TokenKind::Exclaim)) {
    if (!atName("s") && !atName("r") && !atName("a")) {
      error(Diag::InvalidFString, token().range(),
            {"the conversion after '!' must be s, r or a"});
      return false;
    }
    field->conversion = take().text.front();
  } else if (isDebug && !at(TokenKind::FieldColon)) {
    field->conversion = 'r';
  }
  if (at(TokenKind::FieldColon) && !parseFormat(field, isRaw))
    return false;
  if (!expect(TokenKind::FieldClose, "'}' of the f-string field"))
    return false;
  field->range = since(open.begin());
  const Expr *finished = finish(field);
  parts.values.push_back(finished);
  return finished;
}

bool Parser::parseFormat(FormattedValue *field, bool isRaw) {
  Token colon = take();
  StringParts parts;
  while (!at(TokenKind::FieldClose)) {
    if (at(TokenKind::FieldOpen)) {
      if (!parseField(parts, isRaw))
        return false;
    } else if (!parseFStringText(parts, isRaw, /*inFormat=*/true)) {
      return false;
    }
  }
  flushText(parts);
  auto *format = make<JoinedStr>(colon.begin());
  format->values = save(parts.values);
  field->format = format;
  return finish(format);
}

} // namespace tlc::frontend
