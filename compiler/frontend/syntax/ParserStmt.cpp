// Simple statements.
#include "compiler/frontend/syntax/ParserImpl.h"

namespace tlc::frontend {

using namespace ast;

bool Parser::parseStatement(BlockVector &out) {
  if (at(TokenKind::Indent)) {
    expected("a statement");
    return false;
  }
  bool isName = !at(TokenKind::None, TokenKind::True, TokenKind::False);
  if (isName && isKeyword(token().kind) && token(1).is(TokenKind::Equal)) {
    error(Diag::KeywordAsName, token().range(),
          {token().text.str(), "a variable name"});
    return false;
  }
  if (!atCompound())
    return parseSimpleStatements(out);
  const Stmt *stmt = parseCompound();
  if (stmt)
    out.push_back(stmt);
  return stmt;
}

bool Parser::parseSimpleStatements(BlockVector &out) {
  do {
    const Stmt *stmt = parseSimple();
    if (!stmt)
      return false;
    out.push_back(stmt);
  } while (consume(TokenKind::Semicolon) && !at(TokenKind::Newline));
  return expect(TokenKind::Newline, "the end of the statement");
}

const Stmt *Parser::parseSimple() {
  switch (token().kind) {
  case TokenKind::Pass: {
    Token keyword = take();
    return make<Pass>(keyword.begin());
  }
  case TokenKind::Break:
    return parseLoopControl<Break>();
  case TokenKind::Continue:
    return parseLoopControl<Continue>();
  case TokenKind::Return:
    return parseReturn();
  case TokenKind::Raise:
    return parseRaise();
  case TokenKind::Assert:
    return parseAssert();
  case TokenKind::Del:
    return parseDelete();
  case TokenKind::Import:
    return parseImport();
  case TokenKind::From:
    return parseImportFrom();
  case TokenKind::Global:
    return parseNames<Global>();
  case TokenKind::Nonlocal:
    return parseNames<Nonlocal>();
  case TokenKind::Elif:
  case TokenKind::Else:
  case TokenKind::Except:
  case TokenKind::Finally:
    return expected("a statement");
  default:
    return atTypeAlias() ? parseTypeAlias() : parseExpressionStatement();
  }
}

// ---- Assignments ------------------------------------------------------------

static std::optional<BinaryOperator> augmentedOperator(TokenKind kind) {
  switch (kind) {
  case TokenKind::PlusEqual:
    return BinaryOperator::Add;
  case TokenKind::MinusEqual:
    return BinaryOperator::Sub;
  case TokenKind::StarEqual:
    return BinaryOperator::Mult;
  case TokenKind::AtEqual:
    return BinaryOperator::MatMult;
  case TokenKind::SlashEqual:
    return BinaryOperator::Div;
  case TokenKind::FloorDivEqual:
    return BinaryOperator::FloorDiv;
  case TokenKind::PercentEqual:
    return BinaryOperator::Mod;
  case TokenKind::PowEqual:
    return BinaryOperator::Pow;
  case TokenKind::LShiftEqual:
    return BinaryOperator::LShift;
  case TokenKind::RShiftEqual:
    return BinaryOperator::RShift;
  case TokenKind::AmpEqual:
    return BinaryOperator::BitAnd;
  case TokenKind::PipeEqual:
    return BinaryOperator::BitOr;
  case TokenKind::CaretEqual:
    return BinaryOperator::BitXor;
  default:
    return std::nullopt;
  }
}

const Stmt *Parser::parseExpressionStatement() {
  llvm::SMLoc begin = token().begin();
  const Expr *value = parseYieldOrExpressions();
  if (!value)
    return nullptr;
  if (at(TokenKind::Equal))
    return parseAssign(begin, value);
  if (at(TokenKind::Colon))
    return parseAnnAssign(begin, value);
  if (auto op = augmentedOperator(token().kind))
    return parseAugAssign(begin, value, *op);
  if (llvm::isa<Starred>(value))
    return error(Diag::InvalidStarred, value->range, {"*"});
  auto *stmt = make<ExprStmt>(begin);
  stmt->value = value;
  return stmt;
}

const Stmt *Parser::parseAssign(llvm::SMLoc begin, const Expr *first) {
  ExprVector targets;
  const Expr *value = first;
  while (consume(TokenKind::Equal)) {
    if (!checkTarget(value, "assign to"))
      return nullptr;
    targets.push_back(value);
    if (!keep(value, parseYieldOrExpressions()))
      return nullptr;
  }
  if (llvm::isa<Starred>(value))
    return error(Diag::InvalidStarred, value->range, {"*"});
  auto *stmt = make<Assign>(begin);
  stmt->targets = save(targets);
  stmt->value = value;
  return stmt;
}

const Stmt *Parser::parseAnnAssign(llvm::SMLoc begin, const Expr *target) {
  if (!checkTarget(target, "annotate", /*allowTuple=*/false))
    return nullptr;
  take();
  const Expr *annotation = parseExpression();
  if (!annotation)
    return nullptr;
  const Expr *value = nullptr;
  if (consume(TokenKind::Equal) && !keep(value, parseYieldOrExpressions()))
    return nullptr;
  if (value && llvm::isa<Starred>(value))
    return error(Diag::InvalidStarred, value->range, {"*"});
  auto *stmt = make<AnnAssign>(begin);
  stmt->target = target;
  stmt->annotation = annotation;
  stmt->value = value;
  return stmt;
}

const Stmt *Parser::parseAugAssign(llvm::SMLoc begin, const Expr *target,
                                   BinaryOperator op) {
  Token opToken = token();
  if (!checkTarget(target, ("apply '" + opToken.text + "' to").str(),
                   /*allowTuple=*/false))
    return nullptr;
  take();
  const Expr *value = parseYieldOrExpressions();
  if (!value)
    return nullptr;
  if (llvm::isa<Starred>(value))
    return error(Diag::InvalidStarred, value->range, {"*"});
  auto *stmt = make<AugAssign>(begin);
  stmt->target = target;
  stmt->op = op;
  stmt->opRange = opToken.range();
  stmt->value = value;
  return stmt;
}

// ---- Keyword statements -----------------------------------------------------

const Stmt *Parser::parseReturn() {
  Token keyword = take();
  if (!inFunction)
    return error(Diag::StatementOutside, keyword.range(),
                 {"return", "a function"});
  const Expr *value = nullptr;
  if (startsExpression() && !keep(value, parseStarExpressions()))
    return nullptr;
  if (value && llvm::isa<Starred>(value))
    return error(Diag::InvalidStarred, value->range, {"*"});
  auto *stmt = make<Return>(keyword.begin());
  stmt->value = value;
  return stmt;
}

template <typename T> const Stmt *Parser::parseLoopControl() {
  Token keyword = take();
  if (!inLoop)
    return error(Diag::StatementOutside, keyword.range(),
                 {keyword.text.str(), "a loop"});
  return make<T>(keyword.begin());
}

const Stmt *Parser::parseRaise() {
  Token keyword = take();
  const Expr *exc = nullptr, *cause = nullptr;
  if (startsExpression()) {
    if (!keep(exc, parseExpression()))
      return nullptr;
    if (consume(TokenKind::From) && !keep(cause, parseExpression()))
      return nullptr;
  }
  auto *stmt = make<Raise>(keyword.begin());
  stmt->exc = exc;
  stmt->cause = cause;
  return stmt;
}

const Stmt *Parser::parseAssert() {
  Token keyword = take();
  const Expr *test = parseExpression();
  const Expr *msg = nullptr;
  if (!test || (consume(TokenKind::Comma) && !keep(msg, parseExpression())))
    return nullptr;
  auto *stmt = make<Assert>(keyword.begin());
  stmt->test = test;
  stmt->msg = msg;
  return stmt;
}

const Stmt *Parser::parseDelete() {
  Token keyword = take();
  ExprVector targets;
  do {
    if (!targets.empty() && at(TokenKind::Newline, TokenKind::Semicolon))
      break;
    const Expr *target = parseExpression();
    if (!target || !checkTarget(target, "delete"))
      return nullptr;
    targets.push_back(target);
  } while (consume(TokenKind::Comma));
  auto *stmt = make<Delete>(keyword.begin());
  stmt->targets = save(targets);
  return stmt;
}

template <typename T> const Stmt *Parser::parseNames() {
  Token keyword = take();
  llvm::SmallVector<Identifier, 4> names;
  do {
    Identifier name;
    if (!parseIdentifier(name, "a variable name"))
      return nullptr;
    names.push_back(name);
  } while (consume(TokenKind::Comma));
  auto *stmt = make<T>(keyword.begin());
  stmt->names = save(names);
  return stmt;
}

bool Parser::atTypeAlias() const {
  return atName("type") && token(1).is(TokenKind::Name) &&
         token(2).is(TokenKind::Equal, TokenKind::LBracket);
}

const Stmt *Parser::parseTypeAlias() {
  Token keyword = take();
  Token name = take();
  auto *stmt = make<TypeAlias>(keyword.begin());
  stmt->name = {name.text, name.range()};
  if (!parseTypeParams(stmt->typeParams) || !expect(TokenKind::Equal))
    return nullptr;
  if (!keep(stmt->value, parseExpression()))
    return nullptr;
  stmt->range = since(keyword.begin());
  return stmt;
}

// ---- Imports ----------------------------------------------------------------

/// `a.b.c`, joined to one name.
bool Parser::parseDottedName(Identifier &out) {
  Identifier part;
  std::string name;
  llvm::SMLoc begin = token().begin();
  do {
    if (!parseIdentifier(part, "a module name"))
      return false;
    name += (name.empty() ? "" : ".") + part.name.str();
  } while (consume(TokenKind::Dot));
  out = {module.copy(llvm::StringRef(name)), since(begin)};
  return true;
}

bool Parser::parseImportName(llvm::SmallVectorImpl<Alias> &out, bool dotted) {
  Alias alias;
  bool ok = dotted ? parseDottedName(alias.name)
                   : parseIdentifier(alias.name, "a name to import");
  if (!ok)
    return false;
  if (consume(TokenKind::As) && !parseIdentifier(alias.asName, "a name"))
    return false;
  out.push_back(alias);
  return true;
}

const Stmt *Parser::parseImport() {
  Token keyword = take();
  llvm::SmallVector<Alias, 4> names;
  do {
    if (!parseImportName(names, /*dotted=*/true))
      return nullptr;
  } while (consume(TokenKind::Comma));
  auto *stmt = make<Import>(keyword.begin());
  stmt->names = save(names);
  return stmt;
}

const Stmt *Parser::parseImportFrom() {
  Token keyword = take();
  Identifier moduleName;
  unsigned level = 0;
  while (at(TokenKind::Dot, TokenKind::Ellipsis))
    level += take().text.size();
  bool needsName = !level || !at(TokenKind::Import);
  if (needsName && !parseDottedName(moduleName))
    return nullptr;
  if (!expect(TokenKind::Import))
    return nullptr;
  llvm::SmallVector<Alias, 8> names;
  if (at(TokenKind::Star)) {
    Token star = take();
    names.push_back({{star.text, star.range()}, {}});
  } else {
    bool inParens = consume(TokenKind::LParen);
    do {
      if (inParens && !names.empty() && at(TokenKind::RParen))
        break;
      if (!parseImportName(names, /*dotted=*/false))
        return nullptr;
    } while (consume(TokenKind::Comma));
    if (inParens && !expect(TokenKind::RParen, "',' or ')'"))
      return nullptr;
  }
  auto *stmt = make<ImportFrom>(keyword.begin());
  stmt->module = moduleName;
  stmt->level = level;
  stmt->names = save(names);
  return stmt;
}

} // namespace tlc::frontend
