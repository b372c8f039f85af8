// Primaries and atoms: attributes, calls, subscripts, displays, comprehensions.
#include "compiler/frontend/syntax/Literals.h"
#include "compiler/frontend/syntax/ParserImpl.h"

namespace tlc::frontend {

using namespace ast;

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
  if (!at(TokenKind::Colon) && !keep(lower, parseStarExpression()))
    return nullptr;
  if (!at(TokenKind::Colon))
    return lower;
  if (lower && llvm::isa<Starred>(lower))
    return error(Diag::InvalidStarred, lower->range, {"*"});
  take();
  auto atPartEnd = [&] {
    return at(TokenKind::Colon, TokenKind::Comma, TokenKind::RBracket);
  };
  if (!atPartEnd() && !keep(upper, parseExpression()))
    return nullptr;
  if (consume(TokenKind::Colon) && !atPartEnd() &&
      !keep(step, parseExpression()))
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
