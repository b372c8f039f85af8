// Expressions, from conditional expressions down to powers.
#include "compiler/frontend/syntax/ParserImpl.h"

namespace tlc::frontend {

using namespace ast;

bool Parser::startsExpression() const {
  switch (token().kind) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::FStringStart:
  case TokenKind::False:
  case TokenKind::None:
  case TokenKind::True:
  case TokenKind::Await:
  case TokenKind::Lambda:
  case TokenKind::Not:
  case TokenKind::Plus:
  case TokenKind::Minus:
  case TokenKind::Tilde:
  case TokenKind::Star:
  case TokenKind::LParen:
  case TokenKind::LBracket:
  case TokenKind::LBrace:
  case TokenKind::Ellipsis:
  // Invalid tokens are reported where an expression is wanted.
  case TokenKind::Error:
    return true;
  default:
    return false;
  }
}

// ---- Lists of expressions ---------------------------------------------------

const Expr *Parser::parseStarExpression() {
  llvm::SMLoc begin = token().begin();
  if (!consume(TokenKind::Star))
    return parseNamedExpression();
  const Expr *value = parseBinary(0);
  if (!value)
    return nullptr;
  auto *star = make<Starred>(begin);
  star->value = value;
  return finish(star);
}

const Expr *Parser::parseStarExpressions() {
  llvm::SMLoc begin = token().begin();
  const Expr *first =
      at(TokenKind::Star) ? parseStarExpression() : parseExpression();
  if (!first || !at(TokenKind::Comma))
    return first;
  ExprVector elements{first};
  while (consume(TokenKind::Comma) && startsExpression()) {
    const Expr *next =
        at(TokenKind::Star) ? parseStarExpression() : parseExpression();
    if (!next)
      return nullptr;
    elements.push_back(next);
  }
  auto *tuple = make<Tuple>(begin);
  tuple->elts = save(elements);
  return finish(tuple);
}

const Expr *Parser::parseYieldOrExpressions() {
  return at(TokenKind::Yield) ? parseYield() : parseStarExpressions();
}

const Expr *Parser::parseYield() {
  Token keyword = take();
  if (!inFunction)
    return error(Diag::StatementOutside, keyword.range(),
                 {"yield", "a function"});
  if (consume(TokenKind::From)) {
    const Expr *value = parseExpression();
    if (!value)
      return nullptr;
    auto *yield = make<YieldFrom>(keyword.begin());
    yield->value = value;
    return finish(yield);
  }
  const Expr *value = nullptr;
  if (startsExpression() && !keep(value, parseStarExpressions()))
    return nullptr;
  auto *yield = make<Yield>(keyword.begin());
  yield->value = value;
  return finish(yield);
}

// ---- Conditional, lambda, boolean -------------------------------------------

const Expr *Parser::parseNamedExpression() {
  if (!at(TokenKind::Name) || !token(1).is(TokenKind::ColonEqual))
    return parseExpression();
  Nesting level(nesting);
  if (nesting > kMaxNesting)
    return tooDeep(token().range(), kMaxNesting);
  Token name = take();
  auto *target = make<Name>(name.begin());
  target->id = name.text;
  take();
  const Expr *value = parseExpression();
  if (!value)
    return nullptr;
  auto *named = make<NamedExpr>(name.begin());
  named->target = target;
  named->value = value;
  return finish(named);
}

const Expr *Parser::parseExpression() {
  Nesting level(nesting);
  if (nesting > kMaxNesting)
    return tooDeep(token().range(), kMaxNesting);
  if (at(TokenKind::Lambda))
    return parseLambda();
  llvm::SMLoc begin = token().begin();
  const Expr *body = parseDisjunction();
  if (!body || !consume(TokenKind::If))
    return body;
  const Expr *test = parseDisjunction();
  if (!test || !expect(TokenKind::Else, "'else' of the conditional expression"))
    return nullptr;
  const Expr *orelse = parseExpression();
  if (!orelse)
    return nullptr;
  auto *conditional = make<IfExp>(begin);
  conditional->test = test;
  conditional->body = body;
  conditional->orelse = orelse;
  return finish(conditional);
}

const Expr *Parser::parseLambda() {
  Token keyword = take();
  llvm::SmallVector<Parameter, 4> params;
  if (!parseParameters(TokenKind::Colon, params) ||
      !expect(TokenKind::Colon, "':' of the lambda"))
    return nullptr;
  bool outerFunction = std::exchange(inFunction, true);
  bool outerLoop = std::exchange(inLoop, false);
  const Expr *body = parseExpression();
  inFunction = outerFunction;
  inLoop = outerLoop;
  if (!body)
    return nullptr;
  auto *lambda = make<Lambda>(keyword.begin());
  lambda->params = save(params);
  lambda->body = body;
  return finish(lambda);
}

const Expr *Parser::parseDisjunction() {
  llvm::SMLoc begin = token().begin();
  const Expr *first = parseConjunction();
  if (!first || !at(TokenKind::Or))
    return first;
  ExprVector values{first};
  while (consume(TokenKind::Or)) {
    const Expr *next = parseConjunction();
    if (!next)
      return nullptr;
    values.push_back(next);
  }
  auto *node = make<BoolOp>(begin);
  node->op = BoolOperator::Or;
  node->values = save(values);
  return finish(node);
}

const Expr *Parser::parseConjunction() {
  llvm::SMLoc begin = token().begin();
  const Expr *first = parseInversion();
  if (!first || !at(TokenKind::And))
    return first;
  ExprVector values{first};
  while (consume(TokenKind::And)) {
    const Expr *next = parseInversion();
    if (!next)
      return nullptr;
    values.push_back(next);
  }
  auto *node = make<BoolOp>(begin);
  node->op = BoolOperator::And;
  node->values = save(values);
  return finish(node);
}

const Expr *Parser::parseInversion() {
  if (!at(TokenKind::Not))
    return parseComparison();
  Nesting level(nesting);
  if (nesting > kMaxNesting)
    return tooDeep(token().range(), kMaxNesting);
  Token keyword = take();
  const Expr *operand = parseInversion();
  if (!operand)
    return nullptr;
  auto *node = make<UnaryOp>(keyword.begin());
  node->op = UnaryOperator::Not;
  node->operand = operand;
  return finish(node);
}

/// The comparison operator at the current token, of one or two tokens.
static std::optional<CompareOperator>
compareOperator(const Token &first, const Token &second, unsigned &length) {
  length = 1;
  switch (first.kind) {
  case TokenKind::EqualEqual:
    return CompareOperator::Eq;
  case TokenKind::NotEqual:
    return CompareOperator::NotEq;
  case TokenKind::Less:
    return CompareOperator::Lt;
  case TokenKind::LessEqual:
    return CompareOperator::LtE;
  case TokenKind::Greater:
    return CompareOperator::Gt;
  case TokenKind::GreaterEqual:
    return CompareOperator::GtE;
  case TokenKind::In:
    return CompareOperator::In;
  case TokenKind::Is:
    if (!second.is(TokenKind::Not))
      return CompareOperator::Is;
    length = 2;
    return CompareOperator::IsNot;
  case TokenKind::Not:
    if (!second.is(TokenKind::In))
      return std::nullopt;
    length = 2;
    return CompareOperator::NotIn;
  default:
    return std::nullopt;
  }
}

const Expr *Parser::parseComparison() {
  llvm::SMLoc begin = token().begin();
  const Expr *first = parseBinary(0);
  if (!first)
    return nullptr;
  llvm::SmallVector<CompareOperator, 2> ops;
  ExprVector rest;
  unsigned length = 0;
  while (auto op = compareOperator(token(), token(1), length)) {
    while (length--)
      take();
    const Expr *operand = parseBinary(0);
    if (!operand)
      return nullptr;
    ops.push_back(*op);
    rest.push_back(operand);
  }
  if (ops.empty())
    return first;
  auto *compare = make<Compare>(begin);
  compare->first = first;
  compare->ops = save(ops);
  compare->rest = save(rest);
  return finish(compare);
}

// ---- Arithmetic -------------------------------------------------------------

namespace {
struct BinaryInfo {
  BinaryOperator op;
  unsigned precedence; // 1 is the loosest, 0 means none
};
} // namespace

static BinaryInfo binaryInfo(TokenKind kind) {
  switch (kind) {
  case TokenKind::Pipe:
    return {BinaryOperator::BitOr, 1};
  case TokenKind::Caret:
    return {BinaryOperator::BitXor, 2};
  case TokenKind::Amp:
    return {BinaryOperator::BitAnd, 3};
  case TokenKind::LShift:
    return {BinaryOperator::LShift, 4};
  case TokenKind::RShift:
    return {BinaryOperator::RShift, 4};
  case TokenKind::Plus:
    return {BinaryOperator::Add, 5};
  case TokenKind::Minus:
    return {BinaryOperator::Sub, 5};
  case TokenKind::Star:
    return {BinaryOperator::Mult, 6};
  case TokenKind::At:
    return {BinaryOperator::MatMult, 6};
  case TokenKind::Slash:
    return {BinaryOperator::Div, 6};
  case TokenKind::FloorDiv:
    return {BinaryOperator::FloorDiv, 6};
  case TokenKind::Percent:
    return {BinaryOperator::Mod, 6};
  default:
    return {BinaryOperator::Add, 0};
  }
}

/// Precedence climbing: operators that bind tighter than `minPrecedence`, all
/// of them left-associative.
const Expr *Parser::parseBinary(unsigned minPrecedence) {
  llvm::SMLoc begin = token().begin();
  const Expr *lhs = parseUnary();
  while (lhs) {
    BinaryInfo info = binaryInfo(token().kind);
    if (info.precedence <= minPrecedence)
      return lhs;
    Token op = take();
    const Expr *rhs = parseBinary(info.precedence);
    if (!rhs)
      return nullptr;
    auto *node = make<BinOp>(begin);
    node->op = info.op;
    node->opRange = op.range();
    node->lhs = lhs;
    node->rhs = rhs;
    lhs = finish(node);
  }
  return lhs;
}

const Expr *Parser::parseUnary() {
  if (!at(TokenKind::Plus, TokenKind::Minus, TokenKind::Tilde))
    return parsePower();
  Nesting level(nesting);
  if (nesting > kMaxNesting)
    return tooDeep(token().range(), kMaxNesting);
  Token op = take();
  const Expr *operand = parseUnary();
  if (!operand)
    return nullptr;
  auto *node = make<UnaryOp>(op.begin());
  node->op = op.is(TokenKind::Plus)    ? UnaryOperator::Plus
             : op.is(TokenKind::Minus) ? UnaryOperator::Minus
                                       : UnaryOperator::Invert;
  node->operand = operand;
  return finish(node);
}

/// `base ** exponent`, where the exponent may have a sign and another power.
const Expr *Parser::parsePower() {
  llvm::SMLoc begin = token().begin();
  const Expr *base = nullptr;
  if (consume(TokenKind::Await)) {
    const Expr *value = parsePrimary();
    if (!value)
      return nullptr;
    auto *await = make<Await>(begin);
    await->value = value;
    base = finish(await);
  } else {
    base = parsePrimary();
  }
  if (!base || !at(TokenKind::Pow))
    return base;
  Nesting level(nesting);
  if (nesting > kMaxNesting)
    return tooDeep(token().range(), kMaxNesting);
  Token op = take();
  const Expr *exponent = parseUnary();
  if (!exponent)
    return nullptr;
  auto *node = make<BinOp>(begin);
  node->op = BinaryOperator::Pow;
  node->opRange = op.range();
  node->lhs = base;
  node->rhs = exponent;
  return finish(node);
}

} // namespace tlc::frontend
