// Compound statements: those that have blocks.
#include "compiler/frontend/syntax/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

namespace tlc::frontend {

using namespace ast;

bool Parser::atCompound() const {
  switch (token().kind) {
  case TokenKind::At:
  case TokenKind::Async:
  case TokenKind::Class:
  case TokenKind::Def:
  case TokenKind::For:
  case TokenKind::If:
  case TokenKind::Try:
  case TokenKind::While:
  case TokenKind::With:
    return true;
  default:
    return atMatch();
  }
}

const Stmt *Parser::parseCompound() {
  Nesting level(blocks);
  if (blocks > kMaxBlocks)
    return tooDeep(token().range(), kMaxBlocks);
  llvm::SMLoc begin = token().begin();
  switch (token().kind) {
  case TokenKind::At:
    return parseDecorated();
  case TokenKind::Async:
    return parseAsync();
  case TokenKind::Class:
    return parseClass({});
  case TokenKind::Def:
    return parseFunction(begin, {}, /*isAsync=*/false);
  case TokenKind::For:
    return parseFor(begin, /*isAsync=*/false);
  case TokenKind::If:
    return parseIf();
  case TokenKind::Try:
    return parseTry();
  case TokenKind::While:
    return parseWhile();
  case TokenKind::With:
    return parseWith(begin, /*isAsync=*/false);
  default:
    return parseMatch();
  }
}

// ---- Blocks -----------------------------------------------------------------

bool Parser::parseBlock(Block &out, const Token &head) {
  if (!consume(TokenKind::Colon)) {
    expectedColon(head);
    return false;
  }
  BlockVector body;
  if (!consume(TokenKind::Newline)) {
    if (!parseSimpleStatements(body))
      return false;
    out = save(body);
    return true;
  }
  if (!consume(TokenKind::Indent)) {
    if (reportDeeperCause())
      return false;
    failed = true;
    diags.report(Diag::ExpectedBlock, token().range())
            .note(head.range(), "the block belongs to this")
        << "'" + head.text.str() + "'";
    return false;
  }
  while (!at(TokenKind::Dedent, TokenKind::EndOfFile))
    if (!parseStatement(body))
      return false;
  consume(TokenKind::Dedent);
  out = save(body);
  return true;
}

bool Parser::parseElse(Block &out) {
  Token head = token();
  return !consume(TokenKind::Else) || parseBlock(out, head);
}

bool Parser::parseLoopBody(Block &body, Block &orelse, const Token &head) {
  bool outer = std::exchange(inLoop, true);
  bool ok = parseBlock(body, head);
  inLoop = outer;
  return ok && parseElse(orelse);
}

// ---- if, while, for ---------------------------------------------------------

/// At `if` or `elif`.
const Stmt *Parser::parseIf() {
  Nesting level(blocks);
  if (blocks > kMaxBlocks)
    return tooDeep(token().range(), kMaxBlocks);
  Token head = take();
  auto *stmt = module.create<If>(head.range());
  if (!keep(stmt->test, parseNamedExpression()) ||
      !parseBlock(stmt->body, head))
    return nullptr;
  if (at(TokenKind::Elif)) {
    const Stmt *next = parseIf();
    if (!next)
      return nullptr;
    stmt->orelse = save(BlockVector{next});
  } else if (!parseElse(stmt->orelse)) {
    return nullptr;
  }
  stmt->range = since(head.begin());
  return stmt;
}

const Stmt *Parser::parseWhile() {
  Token head = take();
  auto *stmt = module.create<While>(head.range());
  if (!keep(stmt->test, parseNamedExpression()) ||
      !parseLoopBody(stmt->body, stmt->orelse, head))
    return nullptr;
  stmt->range = since(head.begin());
  return stmt;
}

const Stmt *Parser::parseFor(llvm::SMLoc begin, bool isAsync) {
  Token head = take();
  auto *stmt = module.create<For>(head.range());
  stmt->isAsync = isAsync;
  if (!keep(stmt->target, parseTargets()) || !expect(TokenKind::In) ||
      !keep(stmt->iter, parseStarExpressions()) ||
      !parseLoopBody(stmt->body, stmt->orelse, head))
    return nullptr;
  stmt->range = since(begin);
  return stmt;
}

// ---- with -------------------------------------------------------------------

/// Whether `(a as b, c)` stands between `with` and ':'. Without an `as` it
/// reads as a tuple, which parseWith() takes apart.
bool Parser::atParenthesizedWithItems() const {
  if (!at(TokenKind::LParen))
    return false;
  bool hasAs = false;
  unsigned depth = 0;
  for (size_t ahead = pos; ahead < stream.tokens.size(); ++ahead) {
    const Token &next = stream.tokens[ahead];
    if (next.is(TokenKind::LParen, TokenKind::LBracket, TokenKind::LBrace,
                TokenKind::FieldOpen))
      ++depth;
    else if (next.is(TokenKind::RParen, TokenKind::RBracket, TokenKind::RBrace,
                     TokenKind::FieldClose))
      --depth;
    else if (depth == 1 && next.is(TokenKind::As))
      hasAs = true;
    if (depth == 0)
      return hasAs && ahead + 1 < stream.tokens.size() &&
             stream.tokens[ahead + 1].is(TokenKind::Colon);
  }
  return false;
}

bool Parser::parseWithItem(llvm::SmallVectorImpl<WithItem> &out) {
  WithItem item;
  if (!keep(item.context, parseExpression()))
    return false;
  if (consume(TokenKind::As)) {
    item.target = parseBinary(0);
    if (!item.target || !checkTarget(item.target, "assign to"))
      return false;
  }
  out.push_back(item);
  return true;
}

/// The elements of `with (a, b):`, which are contexts and not one tuple.
static llvm::ArrayRef<const Expr *> tupleOfContexts(const Expr *context) {
  const auto *tuple = llvm::dyn_cast<Tuple>(context);
  if (!tuple || !tuple->parenthesized)
    return {};
  bool isPlain = llvm::all_of(tuple->elts, [](const Expr *element) {
    return !llvm::isa<Starred>(element) &&
           (!llvm::isa<NamedExpr>(element) || element->parenthesized);
  });
  return isPlain ? tuple->elts : ExprList();
}

bool Parser::parseWithItems(llvm::SmallVectorImpl<WithItem> &out) {
  bool inParens = atParenthesizedWithItems();
  if (inParens)
    take();
  do {
    if (inParens && !out.empty() && at(TokenKind::RParen))
      break;
    if (!parseWithItem(out))
      return false;
  } while (consume(TokenKind::Comma));
  if (inParens)
    return expect(TokenKind::RParen, "',' or ')'");
  if (out.size() == 1 && !out[0].target) {
    ExprList contexts = tupleOfContexts(out[0].context);
    if (!contexts.empty())
      out.clear();
    for (const Expr *context : contexts)
      out.push_back({context, nullptr});
  }
  return true;
}

const Stmt *Parser::parseWith(llvm::SMLoc begin, bool isAsync) {
  Token head = take();
  llvm::SmallVector<WithItem, 2> items;
  auto *stmt = module.create<With>(head.range());
  stmt->isAsync = isAsync;
  if (!parseWithItems(items) || !parseBlock(stmt->body, head))
    return nullptr;
  stmt->items = save(items);
  stmt->range = since(begin);
  return stmt;
}

// ---- try --------------------------------------------------------------------

bool Parser::parseHandler(llvm::SmallVectorImpl<ExceptHandler> &out,
                          bool &isStar) {
  Token head = take();
  Token star = token();
  bool hasStar = consume(TokenKind::Star);
  if (!out.empty() && hasStar != isStar) {
    error(Diag::InvalidSyntax, hasStar ? star.range() : head.range(),
          {isStar ? "'except*'" : "'except'",
           hasStar ? "'except*'" : "'except'"});
    return false;
  }
  isStar = hasStar;
  ExceptHandler handler;
  if (!at(TokenKind::Colon) || isStar) {
    if (!keep(handler.type, parseExpression()))
      return false;
    if (at(TokenKind::Comma)) {
      expected("':' (several types need parentheses)");
      return false;
    }
    if (consume(TokenKind::As) && !parseIdentifier(handler.name, "a name"))
      return false;
  }
  if (!parseBlock(handler.body, head))
    return false;
  handler.range = since(head.begin());
  out.push_back(handler);
  return true;
}

const Stmt *Parser::parseTry() {
  Token head = take();
  auto *stmt = module.create<Try>(head.range());
  if (!parseBlock(stmt->body, head))
    return nullptr;
  llvm::SmallVector<ExceptHandler, 2> handlers;
  while (at(TokenKind::Except))
    if (!parseHandler(handlers, stmt->isStar))
      return nullptr;
  if (!handlers.empty() && !parseElse(stmt->orelse))
    return nullptr;
  Token finally = token();
  if (consume(TokenKind::Finally)) {
    if (!parseBlock(stmt->finalbody, finally))
      return nullptr;
  } else if (handlers.empty()) {
    return expected("'except' or 'finally'");
  }
  stmt->handlers = save(handlers);
  stmt->range = since(head.begin());
  return stmt;
}

// ---- Definitions ------------------------------------------------------------

const Stmt *Parser::parseDecorated() {
  ExprVector decorators;
  while (consume(TokenKind::At)) {
    const Expr *decorator = parseNamedExpression();
    if (!decorator || !expect(TokenKind::Newline, "the end of the decorator"))
      return nullptr;
    decorators.push_back(decorator);
  }
  llvm::SMLoc begin = token().begin();
  if (at(TokenKind::Class))
    return parseClass(save(decorators));
  bool isAsync = at(TokenKind::Async) && token(1).is(TokenKind::Def);
  if (isAsync)
    take();
  if (!at(TokenKind::Def))
    return expected("'def' or 'class' after the decorator");
  return parseFunction(begin, save(decorators), isAsync);
}

const Stmt *Parser::parseAsync() {
  llvm::SMLoc begin = take().begin();
  if (at(TokenKind::Def))
    return parseFunction(begin, {}, /*isAsync=*/true);
  if (at(TokenKind::For))
    return parseFor(begin, /*isAsync=*/true);
  if (at(TokenKind::With))
    return parseWith(begin, /*isAsync=*/true);
  return expected("'def', 'for' or 'with' after 'async'");
}

const Stmt *Parser::parseFunction(llvm::SMLoc begin, ExprList decorators,
                                  bool isAsync) {
  Token head = take();
  auto *stmt = module.create<FunctionDef>(head.range());
  stmt->decorators = decorators;
  stmt->isAsync = isAsync;
  llvm::SmallVector<Parameter, 8> params;
  if (!parseIdentifier(stmt->name, "a function name") ||
      !parseTypeParams(stmt->typeParams) ||
      !expect(TokenKind::LParen, "'(' of the parameters") ||
      !parseParameters(TokenKind::RParen, params) || !expect(TokenKind::RParen))
    return nullptr;
  stmt->params = save(params);
  if (consume(TokenKind::Arrow) && !keep(stmt->returns, parseExpression()))
    return nullptr;
  bool outerFunction = std::exchange(inFunction, true);
  bool outerLoop = std::exchange(inLoop, false);
  bool ok = parseBlock(stmt->body, head);
  inFunction = outerFunction;
  inLoop = outerLoop;
  stmt->range = since(begin);
  return ok ? stmt : nullptr;
}

const Stmt *Parser::parseClass(ExprList decorators) {
  Token head = take();
  auto *stmt = module.create<ClassDef>(head.range());
  stmt->decorators = decorators;
  if (!parseIdentifier(stmt->name, "a class name") ||
      !parseTypeParams(stmt->typeParams))
    return nullptr;
  ExprVector bases;
  llvm::SmallVector<Keyword, 2> keywords;
  Token open = token();
  if (consume(TokenKind::LParen) &&
      !parseArguments(open.begin(), bases, keywords))
    return nullptr;
  stmt->bases = save(bases);
  stmt->keywords = save(keywords);
  bool outerFunction = std::exchange(inFunction, false);
  bool outerLoop = std::exchange(inLoop, false);
  bool ok = parseBlock(stmt->body, head);
  inFunction = outerFunction;
  inLoop = outerLoop;
  stmt->range = since(head.begin());
  return ok ? stmt : nullptr;
}

} // namespace tlc::frontend
