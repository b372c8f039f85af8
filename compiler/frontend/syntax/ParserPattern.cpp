// The `match` statement and its patterns.
#include "compiler/frontend/syntax/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

namespace tlc::frontend {

using namespace ast;

/// `match` is a keyword only if the line ends with ':' and an indented `case`
/// follows, which nothing else that begins with a name can do.
bool Parser::atMatch() const {
  if (!atName("match"))
    return false;
  size_t ahead = pos + 1;
  while (!stream.tokens[ahead].is(TokenKind::Newline, TokenKind::EndOfFile,
                                  TokenKind::Error))
    ++ahead;
  return ahead + 2 < stream.tokens.size() && ahead > pos + 2 &&
         stream.tokens[ahead - 1].is(TokenKind::Colon) &&
         stream.tokens[ahead + 1].is(TokenKind::Indent) &&
         stream.tokens[ahead + 2].is(TokenKind::Name) &&
         stream.tokens[ahead + 2].text == "case";
}

const Stmt *Parser::parseMatch() {
  Token head = take();
  auto *stmt = module.create<Match>(head.range());
  llvm::SMLoc begin = token().begin();
  const Expr *subject = parseStarExpression();
  if (subject && (at(TokenKind::Comma) || llvm::isa<Starred>(subject))) {
    ExprVector elements{subject};
    if (!expect(TokenKind::Comma) || !parseElements(TokenKind::Colon, elements))
      return nullptr;
    auto *tuple = make<Tuple>(begin);
    tuple->elts = save(elements);
    subject = finish(tuple);
  }
  if (!subject)
    return nullptr;
  if (!consume(TokenKind::Colon))
    return expectedColon(head);
  take(); // Newline and Indent, as atMatch() has seen
  take();
  llvm::SmallVector<MatchCase, 4> cases;
  while (!at(TokenKind::Dedent, TokenKind::EndOfFile))
    if (!parseCase(cases))
      return nullptr;
  consume(TokenKind::Dedent);
  stmt->subject = subject;
  stmt->cases = save(cases);
  stmt->range = since(head.begin());
  return stmt;
}

bool Parser::parseCase(llvm::SmallVectorImpl<MatchCase> &out) {
  Token head = token();
  if (!atName("case")) {
    expected("'case'");
    return false;
  }
  take();
  captures.clear();
  MatchCase result;
  if (!keep(result.pattern, parsePatterns()))
    return false;
  if (consume(TokenKind::If) && !keep(result.guard, parseNamedExpression()))
    return false;
  if (!parseBlock(result.body, head))
    return false;
  out.push_back(result);
  return true;
}

bool Parser::bindCapture(const Identifier &name) {
  if (llvm::is_contained(captures, name.name)) {
    error(Diag::DuplicateName, name.range,
          {"the captured name", name.name.str()});
    return false;
  }
  captures.push_back(name.name);
  return true;
}

/// The pattern of a case: like others, or a sequence without brackets.
const Pattern *Parser::parsePatterns() {
  llvm::SMLoc begin = token().begin();
  const Pattern *first = parseStarPattern();
  if (!first)
    return nullptr;
  if (!at(TokenKind::Comma) && first->kind != PatternKind::Star)
    return first;
  llvm::SmallVector<const Pattern *, 4> patterns{first};
  if (!expect(TokenKind::Comma))
    return nullptr;
  while (!at(TokenKind::Colon, TokenKind::If)) {
    const Pattern *next = parseStarPattern();
    if (!next)
      return nullptr;
    patterns.push_back(next);
    if (!consume(TokenKind::Comma))
      break;
  }
  Pattern *sequence = makePattern(PatternKind::Sequence, begin);
  sequence->patterns = save(patterns);
  return sequence;
}

const Pattern *Parser::parseStarPattern() {
  llvm::SMLoc begin = token().begin();
  if (!consume(TokenKind::Star))
    return parseAsPattern();
  Identifier name;
  if (!parseIdentifier(name, "a name to capture"))
    return nullptr;
  Pattern *star = makePattern(PatternKind::Star, begin);
  if (name.name != "_") {
    if (!bindCapture(name))
      return nullptr;
    star->name = name;
  }
  return star;
}

const Pattern *Parser::parseAsPattern() {
  Nesting level(nesting);
  if (nesting > kMaxNesting)
    return tooDeep(token().range(), kMaxNesting);
  llvm::SMLoc begin = token().begin();
  const Pattern *inner = parseOrPattern();
  if (!inner || !consume(TokenKind::As))
    return inner;
  Identifier name;
  if (!parseIdentifier(name, "a name to capture"))
    return nullptr;
  if (name.name == "_")
    return error(Diag::InvalidPattern, name.range,
                 {"'_' cannot be used as a target"});
  if (!bindCapture(name))
    return nullptr;
  Pattern *as = makePattern(PatternKind::As, begin);
  as->pattern = inner;
  as->name = name;
  return as;
}

/// `a | b`. Alternatives capture the same names, so each starts anew.
const Pattern *Parser::parseOrPattern() {
  llvm::SMLoc begin = token().begin();
  size_t outer = captures.size();
  const Pattern *first = parseClosedPattern();
  if (!first || !at(TokenKind::Pipe))
    return first;
  llvm::SmallVector<const Pattern *, 4> patterns{first};
  while (consume(TokenKind::Pipe)) {
    captures.truncate(outer);
    const Pattern *next = parseClosedPattern();
    if (!next)
      return nullptr;
    patterns.push_back(next);
  }
  Pattern *node = makePattern(PatternKind::Or, begin);
  node->patterns = save(patterns);
  return node;
}

const Pattern *Parser::parseClosedPattern() {
  switch (token().kind) {
  case TokenKind::Name:
    return parseNamePattern();
  case TokenKind::LParen:
    return parseSequencePattern(TokenKind::RParen);
  case TokenKind::LBracket:
    return parseSequencePattern(TokenKind::RBracket);
  case TokenKind::LBrace:
    return parseMappingPattern();
  case TokenKind::None:
  case TokenKind::True:
  case TokenKind::False: {
    Token constant = token();
    const Expr *value = parseAtom();
    Pattern *node = makePattern(PatternKind::Singleton, constant.begin());
    node->value = value;
    return node;
  }
  default:
    return parseLiteralPattern();
  }
}

/// A string, or a number such as 1, -1, 1 + 2j.
const Expr *Parser::parseLiteral() {
  llvm::SMLoc begin = token().begin();
  const Expr *value = nullptr;
  if (at(TokenKind::String, TokenKind::FStringStart)) {
    value = parseStrings();
    if (value && llvm::isa<JoinedStr>(value))
      return error(Diag::InvalidPattern, value->range,
                   {"an f-string is not a constant"});
    return value;
  }
  bool isNumber = at(TokenKind::Number) ||
                  (at(TokenKind::Minus) && token(1).is(TokenKind::Number));
  if (!isNumber)
    return expected("a pattern");
  value = parseUnary();
  if (!value || !at(TokenKind::Plus, TokenKind::Minus))
    return value;
  Token op = take();
  if (!at(TokenKind::Number))
    return expected("an imaginary number");
  const Expr *imaginary = parseNumber();
  auto *sum = make<BinOp>(begin);
  sum->op = op.is(TokenKind::Plus) ? BinaryOperator::Add : BinaryOperator::Sub;
  sum->opRange = op.range();
  sum->lhs = value;
  sum->rhs = imaginary;
  return finish(sum);
}

const Pattern *Parser::parseLiteralPattern() {
  llvm::SMLoc begin = token().begin();
  const Expr *value = parseLiteral();
  if (!value)
    return nullptr;
  Pattern *node = makePattern(PatternKind::Value, begin);
  node->value = value;
  return node;
}

/// `a.b.c` as an expression.
const Expr *Parser::parseDottedExpression() {
  llvm::SMLoc begin = token().begin();
  const Expr *value = parseAtom();
  while (value && consume(TokenKind::Dot)) {
    Identifier attr;
    if (!parseIdentifier(attr, "an attribute name"))
      return nullptr;
    auto *node = make<Attribute>(begin);
    node->value = value;
    node->attr = attr;
    value = finish(node);
  }
  return value;
}

/// A capture, the wildcard, a dotted value or a class.
const Pattern *Parser::parseNamePattern() {
  Token name = token();
  if (!token(1).is(TokenKind::Dot, TokenKind::LParen)) {
    take();
    Pattern *node = makePattern(PatternKind::As, name.begin());
    if (name.text == "_")
      return node;
    node->name = {name.text, name.range()};
    return bindCapture(node->name) ? node : nullptr;
  }
  const Expr *value = parseDottedExpression();
  if (!value)
    return nullptr;
  if (at(TokenKind::LParen))
    return parseClassPattern(value);
  Pattern *node = makePattern(PatternKind::Value, name.begin());
  node->value = value;
  return node;
}

/// `[a, *b]`, `(a, b)`, or a pattern in parentheses.
const Pattern *Parser::parseSequencePattern(TokenKind close) {
  Token open = take();
  llvm::SmallVector<const Pattern *, 4> patterns;
  bool comma = false;
  while (!at(close)) {
    const Pattern *next = parseStarPattern();
    if (!next)
      return nullptr;
    patterns.push_back(next);
    comma = consume(TokenKind::Comma);
    if (!comma && !at(close))
      return expected("',' or " + describe(close));
  }
  take();
  bool isGroup = close == TokenKind::RParen && patterns.size() == 1 && !comma;
  if (isGroup && patterns.front()->kind == PatternKind::Star)
    return error(Diag::InvalidStarred, patterns.front()->range, {"*"});
  if (isGroup)
    return patterns.front();
  Pattern *node = makePattern(PatternKind::Sequence, open.begin());
  node->patterns = save(patterns);
  return node;
}

/// `{key: pattern, **rest}`
const Pattern *Parser::parseMappingPattern() {
  Token open = take();
  ExprVector keys;
  llvm::SmallVector<const Pattern *, 4> patterns;
  Identifier rest;
  while (!at(TokenKind::RBrace)) {
    if (consume(TokenKind::Pow)) {
      if (!parseIdentifier(rest, "a name to capture") || !bindCapture(rest))
        return nullptr;
      consume(TokenKind::Comma);
      if (!at(TokenKind::RBrace))
        return expected("'}' after '**'");
      break;
    }
    const Expr *key = at(TokenKind::None, TokenKind::True, TokenKind::False)
                          ? parseAtom()
                      : at(TokenKind::Name) ? parseDottedExpression()
                                            : parseLiteral();
    if (!key)
      return nullptr;
    if (llvm::isa<Name>(key))
      return error(Diag::InvalidPattern, key->range,
                   {"a key must be a literal or a dotted name"});
    const Pattern *value = nullptr;
    if (!expect(TokenKind::Colon) || !keep(value, parseAsPattern()))
      return nullptr;
    keys.push_back(key);
    patterns.push_back(value);
    if (!consume(TokenKind::Comma) && !at(TokenKind::RBrace))
      return expected("',' or '}'");
  }
  take();
  Pattern *node = makePattern(PatternKind::Mapping, open.begin());
  node->keys = save(keys);
  node->patterns = save(patterns);
  node->name = rest;
  return node;
}

/// `Type(pattern, name=pattern)`, at '('.
const Pattern *Parser::parseClassPattern(const Expr *type) {
  take();
  llvm::SmallVector<const Pattern *, 4> positional, named;
  llvm::SmallVector<Identifier, 4> names;
  while (!at(TokenKind::RParen)) {
    bool isNamed = at(TokenKind::Name) && token(1).is(TokenKind::Equal);
    if (isNamed) {
      Token name = take();
      names.push_back({name.text, name.range()});
      take();
    } else if (!names.empty()) {
      return error(Diag::InvalidPattern, token().range(),
                   {"positional patterns come before named ones"});
    }
    const Pattern *pattern = parseAsPattern();
    if (!pattern)
      return nullptr;
    (isNamed ? named : positional).push_back(pattern);
    if (!consume(TokenKind::Comma) && !at(TokenKind::RParen))
      return expected("',' or ')'");
  }
  take();
  Pattern *node = makePattern(PatternKind::Class, type->range.Start);
  node->value = type;
  node->patterns = save(positional);
  node->kwNames = save(names);
  node->kwPatterns = save(named);
  return node;
}

} // namespace tlc::frontend
