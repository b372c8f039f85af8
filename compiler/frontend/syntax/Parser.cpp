#include "compiler/frontend/syntax/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

namespace tlc::frontend {

std::unique_ptr<ast::Module> parseModule(llvm::SourceMgr &sources,
                                         unsigned bufferId,
                                         DiagnosticEngine &diags) {
  auto module = std::make_unique<ast::Module>(bufferId);
  llvm::StringRef text = sources.getMemoryBuffer(bufferId)->getBuffer();
  if (!Parser(lex(text), *module, diags).parseFile())
    return nullptr;
  return module;
}

bool Parser::parseFile() {
  BlockVector body;
  lastEnd = token().begin();
  while (!at(TokenKind::EndOfFile))
    if (!parseStatement(body))
      return false;
  module.body = save(body);
  return true;
}

// ---- Tokens -----------------------------------------------------------------

Token Parser::take() {
  Token result = token();
  if (!result.is(TokenKind::Newline, TokenKind::Indent, TokenKind::Dedent))
    lastEnd = result.end();
  if (pos + 1 < stream.tokens.size())
    ++pos;
  return result;
}

bool Parser::consume(TokenKind kind) {
  if (!at(kind))
    return false;
  take();
  return true;
}

bool Parser::expect(TokenKind kind, const llvm::Twine &what) {
  if (consume(kind))
    return true;
  if (what.isTriviallyEmpty())
    expected(describe(kind));
  else
    expected(what);
  return false;
}

bool Parser::parseIdentifier(ast::Identifier &out, llvm::StringRef what) {
  if (isKeyword(token().kind) && !failed) {
    error(Diag::KeywordAsName, token().range(),
          {token().text.str(), what.str()});
    return false;
  }
  if (!at(TokenKind::Name)) {
    expected(what);
    return false;
  }
  Token name = take();
  out = {name.text, name.range()};
  return true;
}

// ---- Errors -----------------------------------------------------------------

std::nullptr_t Parser::error(Diag diag, llvm::SMRange range,
                             llvm::ArrayRef<std::string> holes) {
  if (failed || reportUnclosedBracket(range))
    return nullptr;
  failed = true;
  auto builder = diags.report(diag, range);
  for (const std::string &hole : holes)
    builder << hole;
  return nullptr;
}

std::nullptr_t Parser::tooDeep(llvm::SMRange range, unsigned limit) {
  return error(Diag::NestingTooDeep, range, {std::to_string(limit)});
}

bool Parser::reportUnclosedBracket(llvm::SMRange where) {
  llvm::StringRef open = stream.unclosedBracket;
  if (open.empty() || open.begin() >= where.Start.getPointer())
    return false;
  llvm::SMLoc begin = llvm::SMLoc::getFromPointer(open.begin());
  llvm::SMLoc end = llvm::SMLoc::getFromPointer(open.end());
  failed = true;
  diags.report(Diag::UnclosedBracket, llvm::SMRange(begin, end))
          .note(where, "this cannot follow inside the bracket")
      << open;
  return true;
}

bool Parser::reportDeeperCause() {
  if (failed)
    return true;
  if (at(TokenKind::Error)) {
    failed = true;
    stream.reportError(diags);
    return true;
  }
  return reportUnclosedBracket(token().range());
}

std::nullptr_t Parser::expected(const llvm::Twine &what) {
  if (reportDeeperCause())
    return nullptr;
  if (at(TokenKind::Indent))
    return error(Diag::UnexpectedIndent, token().range());
  if (at(TokenKind::Equal))
    return error(Diag::AssignmentInExpression, token().range());
  return error(Diag::InvalidSyntax, token().range(),
               {what.str(), describe(token())});
}

std::nullptr_t Parser::expectedExpression() {
  if (reportDeeperCause())
    return nullptr;
  if (at(TokenKind::Indent))
    return error(Diag::UnexpectedIndent, token().range());
  return error(Diag::ExpectedExpression, token().range(), {describe(token())});
}

std::nullptr_t Parser::expectedColon(const Token &head) {
  if (reportDeeperCause())
    return nullptr;
  if (at(TokenKind::Equal))
    return error(Diag::AssignmentInExpression, token().range());
  return error(Diag::ExpectedColon, token().range(),
               {"'" + head.text.str() + "'", describe(token())});
}

const ast::Expr *Parser::finish(ast::Expr *expr) {
  uint32_t height = 0;
  ast::forEachChild(expr, [&](const ast::Expr *child) {
    height = std::max(height, child->height);
  });
  expr->height = height + 1;
  if (expr->height > kMaxHeight)
    return tooDeep(expr->range, kMaxHeight);
  return expr;
}

// ---- Targets ----------------------------------------------------------------

/// What an expression is, for "cannot assign to ...".
static std::string describeExpr(const ast::Expr *expr) {
  using ast::ExprKind;
  switch (expr->kind) {
  case ExprKind::Constant:
    if (llvm::cast<ast::Constant>(expr)->isNone())
      return "None";
    return "a literal";
  case ExprKind::Call:
    return "a call";
  case ExprKind::BinOp:
  case ExprKind::UnaryOp:
  case ExprKind::BoolOp:
    return "an expression";
  case ExprKind::Compare:
    return "a comparison";
  case ExprKind::IfExp:
    return "a conditional expression";
  case ExprKind::Lambda:
    return "a lambda";
  case ExprKind::Tuple:
    return "a tuple";
  case ExprKind::List:
    return "a list";
  case ExprKind::Set:
  case ExprKind::Dict:
    return "a set or dict display";
  case ExprKind::ListComp:
  case ExprKind::SetComp:
  case ExprKind::DictComp:
    return "a comprehension";
  case ExprKind::GeneratorExp:
    return "a generator expression";
  case ExprKind::JoinedStr:
    return "an f-string";
  case ExprKind::NamedExpr:
    return "a named expression";
  case ExprKind::Starred:
    return "a starred expression";
  case ExprKind::Yield:
  case ExprKind::YieldFrom:
    return "a yield expression";
  case ExprKind::Await:
    return "an await expression";
  default:
    return "this";
  }
}

bool Parser::invalidTarget(const ast::Expr *expr, llvm::StringRef verb,
                           llvm::StringRef what) {
  error(Diag::InvalidTarget, expr->range, {verb.str(), what.str()});
  return false;
}

bool Parser::checkTarget(const ast::Expr *expr, llvm::StringRef verb,
                         bool allowTuple, bool allowStar) {
  using namespace ast;
  if (llvm::isa<Name, Attribute, Subscript>(expr))
    return true;
  if (const auto *star = llvm::dyn_cast<Starred>(expr); star && allowStar)
    return checkTarget(star->value, verb);
  ExprList elements;
  bool isSequence = true;
  if (const auto *tuple = llvm::dyn_cast<Tuple>(expr))
    elements = tuple->elts;
  else if (const auto *list = llvm::dyn_cast<List>(expr))
    elements = list->elts;
  else
    isSequence = false;
  if (!isSequence || !allowTuple)
    return invalidTarget(expr, verb, describeExpr(expr));
  bool starred = false;
  for (const Expr *element : elements) {
    if (llvm::isa<Starred>(element) && verb != "delete") {
      if (starred)
        return invalidTarget(element, verb, "more than one starred target");
      starred = true;
    }
    if (!checkTarget(element, verb, true, verb != "delete"))
      return false;
  }
  return true;
}

const ast::Expr *Parser::parseTargets() {
  llvm::SMLoc begin = token().begin();
  ExprVector elements;
  bool isTuple = false;
  do {
    if (isTuple && at(TokenKind::In))
      break;
    llvm::SMLoc first = token().begin();
    bool isStar = consume(TokenKind::Star);
    const ast::Expr *target = parseBinary(0);
    if (!target)
      return nullptr;
    if (isStar) {
      auto *star = make<ast::Starred>(first);
      star->value = target;
      target = finish(star);
      if (!target)
        return nullptr;
    }
    elements.push_back(target);
    isTuple |= at(TokenKind::Comma);
  } while (consume(TokenKind::Comma));
  const ast::Expr *result = elements.front();
  if (isTuple) {
    auto *tuple = make<ast::Tuple>(begin);
    tuple->elts = save(elements);
    result = finish(tuple);
  }
  return result && checkTarget(result, "assign to") ? result : nullptr;
}

} // namespace tlc::frontend
