// Arguments of calls and classes, parameters of functions, type parameters.
#include "compiler/frontend/syntax/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

namespace tlc::frontend {

using namespace ast;

// ---- Arguments --------------------------------------------------------------

/// Arguments up to and with ')'; '(' was taken and is at `open`.
bool Parser::parseArguments(llvm::SMLoc open, ExprVector &args,
                            llvm::SmallVectorImpl<Keyword> &keywords) {
  while (!at(TokenKind::RParen)) {
    if (!parseArgument(args, keywords))
      return false;
    if (atComprehension() && !parseBareGenerator(open, args, keywords))
      return false;
    if (!consume(TokenKind::Comma) && !at(TokenKind::RParen)) {
      expected("',' or ')'");
      return false;
    }
  }
  take();
  return true;
}

/// The argument just read turned out to be the element of a generator, which
/// must be the only argument: its parentheses are those of the call.
bool Parser::parseBareGenerator(llvm::SMLoc open, ExprVector &args,
                                llvm::ArrayRef<Keyword> keywords) {
  const Expr *element = args.empty() ? nullptr : args.pop_back_val();
  if (!element || llvm::isa<Starred>(element) || !keywords.empty()) {
    expected("',' or ')'");
    return false;
  }
  llvm::SmallVector<Comprehension, 2> clauses;
  if (!parseComprehension(clauses))
    return false;
  llvm::SMRange written(element->range.Start, since(open).End);
  if (!args.empty() || !at(TokenKind::RParen)) {
    if (args.empty() && !at(TokenKind::Comma)) {
      expected("',' or ')'");
      return false;
    }
    error(Diag::BareGenerator, written);
    return false;
  }
  auto *node = module.create<GeneratorExp>(llvm::SMRange(open, token().end()));
  node->element = element;
  node->generators = save(clauses);
  args.push_back(finish(node));
  return args.back();
}

bool Parser::parseArgument(ExprVector &args,
                           llvm::SmallVectorImpl<Keyword> &keywords) {
  bool hasName = at(TokenKind::Name) || isKeyword(token().kind);
  if (at(TokenKind::Pow) || (hasName && token(1).is(TokenKind::Equal)))
    return parseKeyword(keywords);
  return parsePositional(args, keywords);
}

bool Parser::parsePositional(ExprVector &args,
                             llvm::ArrayRef<Keyword> keywords) {
  llvm::SMLoc begin = token().begin();
  bool isStar = consume(TokenKind::Star);
  const Expr *value = isStar ? parseExpression() : parseNamedExpression();
  if (!value)
    return false;
  bool afterUnpack = llvm::any_of(
      keywords, [](const Keyword &keyword) { return keyword.isUnpack(); });
  if (afterUnpack || (!keywords.empty() && !isStar)) {
    // With `=` behind it this was meant as a keyword, and another error.
    if (at(TokenKind::Equal))
      expected("',' or ')'");
    else
      error(Diag::ArgumentOrder, since(begin),
            {afterUnpack ? "'**'" : "a keyword argument"});
    return false;
  }
  if (isStar) {
    auto *star = make<Starred>(begin);
    star->value = value;
    value = finish(star);
  }
  args.push_back(value);
  return value;
}

bool Parser::parseKeyword(llvm::SmallVectorImpl<Keyword> &keywords) {
  Keyword keyword;
  Token first = token();
  if (!consume(TokenKind::Pow)) {
    if (!parseIdentifier(keyword.name, "a keyword argument"))
      return false;
    take();
    for (const Keyword &other : keywords)
      if (other.name.name == keyword.name.name) {
        error(Diag::DuplicateName, first.range(),
              {"the keyword argument", keyword.name.name.str()});
        return false;
      }
  }
  keyword.value = parseExpression();
  if (!keyword.value)
    return false;
  keyword.range = since(first.begin());
  keywords.push_back(keyword);
  return true;
}

// ---- Parameters -------------------------------------------------------------

bool Parser::failParameter(const Token &at, llvm::StringRef why) {
  error(Diag::ParameterOrder, at.range(), {why.str()});
  return false;
}

bool Parser::parseParameters(TokenKind close,
                             llvm::SmallVectorImpl<Parameter> &out) {
  ParameterKind kind = ParameterKind::Normal;
  bool sawSlash = false, sawStar = false;
  for (bool comma = true; !at(close); comma = consume(TokenKind::Comma)) {
    if (!comma) {
      expected("',' or " + describe(close));
      return false;
    }
    Token first = token();
    if (!out.empty() && out.back().kind == ParameterKind::KwArgs)
      return failParameter(first, "no parameter can follow '**'");
    if (consume(TokenKind::Slash)) {
      if (sawSlash || sawStar || out.empty())
        return failParameter(first, sawSlash  ? "'/' appears twice"
                                    : sawStar ? "'/' must come before '*'"
                                              : "'/' needs a parameter before "
                                                "it");
      sawSlash = true;
      for (Parameter &param : out)
        param.kind = ParameterKind::PositionalOnly;
      continue;
    }
    if (consume(TokenKind::Star)) {
      if (sawStar)
        return failParameter(first, "'*' appears twice");
      sawStar = true;
      kind = ParameterKind::KeywordOnly;
      if (at(TokenKind::Comma)) {
        if (token(1).is(close) || token(1).is(TokenKind::Pow))
          return failParameter(first, "a parameter must follow a bare '*'");
        continue;
      }
      if (at(close))
        return failParameter(first, "a parameter must follow a bare '*'");
      if (!parseParameter(close, ParameterKind::VarArgs, out))
        return false;
      continue;
    }
    bool isKwArgs = consume(TokenKind::Pow);
    if (!parseParameter(close, isKwArgs ? ParameterKind::KwArgs : kind, out))
      return false;
  }
  return true;
}

bool Parser::parseParameter(TokenKind close, ParameterKind kind,
                            llvm::SmallVectorImpl<Parameter> &out) {
  Parameter param;
  param.kind = kind;
  Token first = token();
  if (!parseIdentifier(param.name, "a parameter name"))
    return false;
  for (const Parameter &other : out)
    if (other.name.name == param.name.name) {
      error(Diag::DuplicateName, first.range(),
            {"the parameter", param.name.name.str()});
      return false;
    }
  // In a lambda ':' ends the parameters.
  if (close == TokenKind::RParen && consume(TokenKind::Colon)) {
    bool isStar = kind == ParameterKind::VarArgs && at(TokenKind::Star);
    param.annotation = isStar ? parseStarExpression() : parseExpression();
    if (!param.annotation)
      return false;
  }
  Token equal = token();
  if (consume(TokenKind::Equal)) {
    if (kind == ParameterKind::VarArgs || kind == ParameterKind::KwArgs)
      return failParameter(equal, "'*' and '**' parameters have no default");
    if (!keep(param.defaultValue, parseExpression()))
      return false;
  }
  bool afterDefault = !out.empty() && out.back().defaultValue;
  bool positional = kind == ParameterKind::Normal;
  if (positional && afterDefault && !param.defaultValue)
    return failParameter(first, "a parameter without default follows one with "
                                "a default");
  param.range = since(first.begin());
  out.push_back(param);
  return true;
}

/// `[T, U: bound, *Ts, **P]` if there is a '['.
bool Parser::parseTypeParams(llvm::ArrayRef<TypeParam> &out) {
  if (!consume(TokenKind::LBracket))
    return true;
  llvm::SmallVector<TypeParam, 2> params;
  do {
    if (!params.empty() && at(TokenKind::RBracket))
      break;
    TypeParam param;
    if (consume(TokenKind::Star))
      param.kind = TypeParam::Kind::TypeVarTuple;
    else if (consume(TokenKind::Pow))
      param.kind = TypeParam::Kind::ParamSpec;
    if (!parseIdentifier(param.name, "a type parameter"))
      return false;
    bool isVar = param.kind == TypeParam::Kind::TypeVar;
    if (isVar && consume(TokenKind::Colon) &&
        !keep(param.bound, parseExpression()))
      return false;
    if (at(TokenKind::Equal)) {
      error(Diag::SyntaxNewer, token().range(),
            {"a default of a type parameter"});
      return false;
    }
    params.push_back(param);
  } while (consume(TokenKind::Comma));
  out = save(params);
  return expect(TokenKind::RBracket, "',' or ']'");
}

} // namespace tlc::frontend
