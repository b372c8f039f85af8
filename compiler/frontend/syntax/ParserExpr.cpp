// Expressions, from conditional expressions down to atoms.
#include "compiler/frontend/syntax/Literals.h"
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
  if (startsExpression() && !(value = parseStarExpressions()))
    return nullptr;
  auto *yield = make<Yield>(keyword.begin());
  yield->value = value;
  return finish(yield);
}

bool Parser::parseElements(TokenKind close, ExprVector &out) {
  while (!at(close)) {
    const Expr *element = parseStarExpression();
    if (!element)
      return false;
    out.push_back(element);
    if (!consume(TokenKind::Comma) && !at(close)) {
      expected("',' or " + describe(close));
      return false;
    }
  }
  return true;
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

// ---- Primaries --------------------------------------------------------------

const Expr *Parser::parsePrimary() {
  llvm::SMLoc begin = token().begin();
  const Expr *value = parseAtom();
  while (value) {
    if (consume(TokenKind::Dot)) {
      Identifier attr;
      if (!parseIdentifier(attr, "an attribute name"))
        return nullptr;
      auto *node = make<Attribute>(begin);
      node->value = value;
      node->attr = attr;
      value = finish(node);
    } else if (at(TokenKind::LParen)) {
      llvm::SMLoc open = take().begin();
      ExprVector args;
      llvm::SmallVector<Keyword, 8> keywords;
      if (!parseArguments(open, args, keywords))
        return nullptr;
      auto *call = make<Call>(begin);
      call->callee = value;
      call->args = save(args);
      call->keywords = save(keywords);
      value = finish(call);
    } else if (at(TokenKind::LBracket)) {
      const Expr *index = parseIndex();
      if (!index)
        return nullptr;
      auto *node = make<Subscript>(begin);
      node->value = value;
      node->index = index;
      value = finish(node);
    } else {
      break;
    }
  }
  return value;
}

/// The index of a subscript; takes both brackets.
const Expr *Parser::parseIndex() {
  take();
  llvm::SMLoc begin = token().begin();
  ExprVector indices;
  bool isTuple = false;
  do {
    if (isTuple && at(TokenKind::RBracket))
      break;
    const Expr *index = parseSlice();
    if (!index)
      return nullptr;
    indices.push_back(index);
    isTuple |= at(TokenKind::Comma) || llvm::isa<Starred>(index);
  } while (consume(TokenKind::Comma));
  const Expr *result = indices.front();
  if (isTuple) {
    auto *tuple = make<Tuple>(begin);
    tuple->elts = save(indices);
    result = finish(tuple);
  }
  if (!result || !expect(TokenKind::RBracket, "',' or ']'"))
    return nullptr;
  return result;
}

const Expr *Parser::parseSlice() {
  llvm::SMLoc begin = token().begin();
  const Expr *lower = nullptr, *upper = nullptr, *step = nullptr;
  if (!at(TokenKind::Colon) && !(lower = parseStarExpression()))
    return nullptr;
  if (!at(TokenKind::Colon))
    return lower;
  if (lower && llvm::isa<Starred>(lower))
    return error(Diag::InvalidStarred, lower->range, {"*"});
  take();
  auto atPartEnd = [&] {
    return at(TokenKind::Colon, TokenKind::Comma, TokenKind::RBracket);
  };
  if (!atPartEnd() && !(upper = parseExpression()))
    return nullptr;
  if (consume(TokenKind::Colon) && !atPartEnd() && !(step = parseExpression()))
    return nullptr;
  auto *slice = make<Slice>(begin);
  slice->lower = lower;
  slice->upper = upper;
  slice->step = step;
  return finish(slice);
}

// ---- Atoms ------------------------------------------------------------------

const Expr *Parser::parseAtom() {
  Token first = token();
  switch (first.kind) {
  case TokenKind::Name: {
    take();
    auto *name = make<Name>(first.begin());
    name->id = first.text;
    return name;
  }
  case TokenKind::Number:
    return parseNumber();
  case TokenKind::String:
  case TokenKind::FStringStart:
    return parseStrings();
  case TokenKind::LParen:
    return parseGroup();
  case TokenKind::LBracket:
    return parseList();
  case TokenKind::LBrace:
    return parseBraces();
  case TokenKind::None:
  case TokenKind::True:
  case TokenKind::False:
  case TokenKind::Ellipsis: {
    take();
    auto *constant = make<Constant>(first.begin());
    constant->boolValue = first.is(TokenKind::True);
    constant->type = first.is(TokenKind::None)       ? Constant::Type::None
                     : first.is(TokenKind::Ellipsis) ? Constant::Type::Ellipsis
                                                     : Constant::Type::Bool;
    return constant;
  }
  default:
    return expectedExpression();
  }
}

const Expr *Parser::parseNumber() {
  Token number = take();
  auto *constant = make<Constant>(number.begin());
  decodeNumber(number.text, module, *constant);
  return constant;
}

bool Parser::atComprehension() const {
  return at(TokenKind::For) ||
         (at(TokenKind::Async) && token(1).is(TokenKind::For));
}

bool Parser::parseComprehension(llvm::SmallVectorImpl<Comprehension> &out) {
  while (atComprehension()) {
    Comprehension clause;
    clause.isAsync = consume(TokenKind::Async);
    take();
    clause.target = parseTargets();
    if (!clause.target || !expect(TokenKind::In))
      return false;
    clause.iter = parseDisjunction();
    if (!clause.iter)
      return false;
    ExprVector conditions;
    while (consume(TokenKind::If)) {
      const Expr *condition =
          at(TokenKind::Name) && token(1).is(TokenKind::ColonEqual)
              ? parseNamedExpression()
              : parseDisjunction();
      if (!condition)
        return false;
      conditions.push_back(condition);
    }
    clause.ifs = save(conditions);
    out.push_back(clause);
  }
  return true;
}

template <typename T>
const Expr *Parser::finishComprehension(llvm::SMLoc begin, const Expr *element,
                                        TokenKind close) {
  if (llvm::isa<Starred>(element))
    return error(Diag::InvalidStarred, element->range, {"*"});
  llvm::SmallVector<Comprehension, 2> clauses;
  if (!parseComprehension(clauses) || !expect(close))
    return nullptr;
  auto *node = make<T>(begin);
  node->element = element;
  node->generators = save(clauses);
  return finish(node);
}

/// Only the parser, which has just made the node, changes it.
static const Expr *parenthesize(const Expr *expr) {
  const_cast<Expr *>(expr)->parenthesized = true;
  return expr;
}

/// What begins with '(': a tuple, a generator, a yield or just parentheses.
const Expr *Parser::parseGroup() {
  Token open = take();
  if (at(TokenKind::Yield)) {
    const Expr *yield = parseYield();
    if (!yield || !expect(TokenKind::RParen))
      return nullptr;
    return parenthesize(yield);
  }
  ExprVector elements;
  bool comma = false;
  if (!at(TokenKind::RParen)) {
    const Expr *first = parseStarExpression();
    if (!first)
      return nullptr;
    if (atComprehension())
      return finishComprehension<GeneratorExp>(open.begin(), first,
                                               TokenKind::RParen);
    elements.push_back(first);
    comma = consume(TokenKind::Comma);
    if (!comma && !at(TokenKind::RParen))
      return expected("',' or ')'");
    if (comma && !parseElements(TokenKind::RParen, elements))
      return nullptr;
  }
  take();
  if (elements.size() == 1 && !comma) {
    if (llvm::isa<Starred>(elements.front()))
      return error(Diag::InvalidStarred, elements.front()->range, {"*"});
    return parenthesize(elements.front());
  }
  auto *tuple = make<Tuple>(open.begin());
  tuple->parenthesized = true;
  tuple->elts = save(elements);
  return finish(tuple);
}

const Expr *Parser::parseList() {
  Token open = take();
  ExprVector elements;
  if (!at(TokenKind::RBracket)) {
    const Expr *first = parseStarExpression();
    if (!first)
      return nullptr;
    if (atComprehension())
      return finishComprehension<ListComp>(open.begin(), first,
                                           TokenKind::RBracket);
    elements.push_back(first);
    if (!consume(TokenKind::Comma) && !at(TokenKind::RBracket))
      return expected("',' or ']'");
    if (!parseElements(TokenKind::RBracket, elements))
      return nullptr;
  }
  take();
  auto *list = make<List>(open.begin());
  list->elts = save(elements);
  return finish(list);
}

/// What begins with '{': a dict, a set or one of their comprehensions.
const Expr *Parser::parseBraces() {
  Token open = take();
  if (at(TokenKind::RBrace, TokenKind::Pow))
    return parseDictRest(open.begin(), nullptr);
  const Expr *first = parseStarExpression();
  if (!first)
    return nullptr;
  if (at(TokenKind::Colon)) {
    if (llvm::isa<Starred>(first))
      return error(Diag::InvalidStarred, first->range, {"*"});
    if (llvm::isa<NamedExpr>(first) && !first->parenthesized)
      return expected("',' or '}'");
    return parseDictRest(open.begin(), first);
  }
  if (atComprehension())
    return finishComprehension<SetComp>(open.begin(), first, TokenKind::RBrace);
  ExprVector elements{first};
  if (!consume(TokenKind::Comma) && !at(TokenKind::RBrace))
    return expected("',' or '}'");
  if (!parseElements(TokenKind::RBrace, elements))
    return nullptr;
  take();
  auto *set = make<Set>(open.begin());
  set->elts = save(elements);
  return finish(set);
}

/// The entries of a dict. `key` is the first key if it was read already.
const Expr *Parser::parseDictRest(llvm::SMLoc begin, const Expr *key) {
  ExprVector keys, values;
  for (; !at(TokenKind::RBrace); key = nullptr) {
    const Expr *value = nullptr;
    if (!key && consume(TokenKind::Pow)) {
      value = parseBinary(0);
    } else {
      if (!key)
        key = parseExpression();
      if (!key || !expect(TokenKind::Colon))
        return nullptr;
      value = parseExpression();
    }
    if (!value)
      return nullptr;
    if (key && keys.empty() && atComprehension()) {
      llvm::SmallVector<Comprehension, 2> clauses;
      if (!parseComprehension(clauses) || !expect(TokenKind::RBrace))
        return nullptr;
      auto *node = make<DictComp>(begin);
      node->key = key;
      node->value = value;
      node->generators = save(clauses);
      return finish(node);
    }
    keys.push_back(key);
    values.push_back(value);
    if (!consume(TokenKind::Comma) && !at(TokenKind::RBrace))
      return expected("',' or '}'");
  }
  take();
  auto *dict = make<Dict>(begin);
  dict->keys = save(keys);
  dict->values = save(values);
  return finish(dict);
}

} // namespace tlc::frontend
