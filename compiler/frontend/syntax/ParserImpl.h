// The recursive descent parser: ParserExpr.cpp, ParserArgs.cpp,
// ParserString.cpp (expressions), ParserStmt.cpp, ParserPattern.cpp
// (statements), Parser.cpp (what they share). Private to these files.
//
// A parse function returns null (or false) after an error was reported, and its
// callers then do so too: parsing stops at the first error.
#pragma once

#include "compiler/frontend/syntax/AST.h"
#include "compiler/frontend/syntax/Lexer.h"
#include "compiler/frontend/syntax/Parser.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

namespace tlc::frontend {

class Parser {
public:
  Parser(TokenStream stream, ast::Module &module, DiagnosticEngine &diags)
      : stream(std::move(stream)), module(module), diags(diags) {}
  bool parseFile();

private:
  using ExprVector = llvm::SmallVector<const ast::Expr *, 8>;
  using BlockVector = llvm::SmallVector<const ast::Stmt *, 8>;

  // ---- Tokens (Parser.cpp) --------------------------------------------------
  const Token &token(size_t ahead = 0) const {
    return stream.tokens[std::min(pos + ahead, stream.tokens.size() - 1)];
  }
  template <typename... Kinds> bool at(Kinds... kinds) const {
    return token().is(kinds...);
  }
  bool atName(llvm::StringRef name) const {
    return at(TokenKind::Name) && token().text == name;
  }
  /// Takes the current token; the last one, EndOfFile or Error, stays.
  Token take();
  bool consume(TokenKind kind);
  /// Takes a token of that kind or reports that it was expected.
  bool expect(TokenKind kind, const llvm::Twine &what = {});
  bool parseIdentifier(ast::Identifier &out, llvm::StringRef what);
  /// From the begin of a token or node to the last token taken.
  llvm::SMRange since(llvm::SMLoc begin) const { return {begin, lastEnd}; }

  // ---- Errors (Parser.cpp) --------------------------------------------------
  /// Reports that the current token does not fit. Always returns null.
  std::nullptr_t expected(const llvm::Twine &what);
  std::nullptr_t expectedExpression();
  std::nullptr_t expectedColon(const Token &head);
  /// Reports what makes the current token meaningless, an invalid token or an
  /// unclosed bracket; false if there is nothing of that sort.
  bool reportDeeperCause();
  /// An error inside a bracket that is never closed is its consequence.
  bool reportUnclosedBracket(llvm::SMRange where);
  std::nullptr_t error(Diag diag, llvm::SMRange range,
                       llvm::ArrayRef<std::string> holes = {});
  /// Marks that an error was reported by somebody else.
  std::nullptr_t fail() {
    failed = true;
    return nullptr;
  }
  std::nullptr_t tooDeep(llvm::SMRange range, unsigned limit);

  /// Counts one level of nesting while it lives.
  struct Nesting {
    Nesting(unsigned &depth) : depth(depth) { ++depth; }
    ~Nesting() { --depth; }
    Nesting(const Nesting &) = delete;
    Nesting &operator=(const Nesting &) = delete;
    unsigned &depth;
  };

  // ---- Nodes ----------------------------------------------------------------
  template <typename T> T *make(llvm::SMLoc begin) {
    return module.create<T>(since(begin));
  }
  /// Computes the height of a complete expression; null if it is too high.
  const ast::Expr *finish(ast::Expr *expr);
  /// Stores what a parse function returned; false if that is null.
  template <typename T> static bool keep(const T *&slot, const T *node) {
    slot = node;
    return node;
  }
  template <typename T>
  llvm::ArrayRef<T> save(const llvm::SmallVectorImpl<T> &list) {
    return module.copy(llvm::ArrayRef<T>(list));
  }

  // ---- Expressions (ParserExpr.cpp, ParserAtom.cpp) -------------------------
  bool startsExpression() const;
  const ast::Expr *parseExpression();      // conditional, lambda
  const ast::Expr *parseNamedExpression(); // or name := value
  const ast::Expr *parseStarExpression();  // or *value
  const ast::Expr *parseStarExpressions(); // or a tuple of these
  const ast::Expr *parseYieldOrExpressions();
  const ast::Expr *parseYield();
  const ast::Expr *parseDisjunction();
  const ast::Expr *parseConjunction();
  const ast::Expr *parseInversion();
  const ast::Expr *parseComparison();
  const ast::Expr *parseBinary(unsigned minPrecedence);
  const ast::Expr *parseUnary();
  const ast::Expr *parsePower();
  const ast::Expr *parsePrimary();
  const ast::Expr *parseAtom();
  const ast::Expr *parseGroup();
  const ast::Expr *parseList();
  const ast::Expr *parseBraces();
  const ast::Expr *parseDictRest(llvm::SMLoc begin, const ast::Expr *key);
  const ast::Expr *parseLambda();
  const ast::Expr *parseIndex();
  const ast::Expr *parseSlice();
  const ast::Expr *parseNumber();
  /// `for ... in ... if ...` clauses; at least one.
  bool parseComprehension(llvm::SmallVectorImpl<ast::Comprehension> &out);
  bool atComprehension() const;
  template <typename T>
  const ast::Expr *finishComprehension(llvm::SMLoc begin,
                                       const ast::Expr *element,
                                       TokenKind close);
  /// Elements up to `close`, which is not taken. Reports a missing comma.
  bool parseElements(TokenKind close, ExprVector &out);

  // ---- Calls and parameters (ParserArgs.cpp) --------------------------------
  bool parseArguments(llvm::SMLoc open, ExprVector &args,
                      llvm::SmallVectorImpl<ast::Keyword> &keywords);
  bool parseBareGenerator(llvm::SMLoc open, ExprVector &args,
                          llvm::ArrayRef<ast::Keyword> keywords);
  bool parseArgument(ExprVector &args,
                     llvm::SmallVectorImpl<ast::Keyword> &keywords);
  bool parsePositional(ExprVector &args, llvm::ArrayRef<ast::Keyword> keywords);
  bool parseKeyword(llvm::SmallVectorImpl<ast::Keyword> &keywords);
  bool failParameter(const Token &at, llvm::StringRef why);
  /// Parameters up to `close` (')' or ':'), which is not taken.
  bool parseParameters(TokenKind close,
                       llvm::SmallVectorImpl<ast::Parameter> &out);
  bool parseParameter(TokenKind close, ast::ParameterKind kind,
                      llvm::SmallVectorImpl<ast::Parameter> &out);
  bool parseTypeParams(llvm::ArrayRef<ast::TypeParam> &out);

  // ---- Strings (ParserString.cpp) -------------------------------------------
  struct StringParts;
  const ast::Expr *parseStrings();
  bool parseFString(StringParts &parts);
  bool parseFStringText(StringParts &parts, bool isRaw, bool inFormat);
  bool parseField(StringParts &parts, bool isRaw);
  bool parseFormat(ast::FormattedValue *field, bool isRaw);
  void flushText(StringParts &parts);

  // ---- Targets (Parser.cpp) -------------------------------------------------
  /// Checks that an expression may stand there; `verb` is for the message:
  /// "assign to", "delete".
  bool checkTarget(const ast::Expr *expr, llvm::StringRef verb,
                   bool allowTuple = true, bool allowStar = false);
  bool invalidTarget(const ast::Expr *expr, llvm::StringRef verb,
                     llvm::StringRef what);
  /// The targets of `for` and comprehensions.
  const ast::Expr *parseTargets();

  // ---- Statements (ParserStmt.cpp, ParserCompound.cpp) ----------------------
  bool parseStatement(BlockVector &out);
  bool parseSimpleStatements(BlockVector &out);
  const ast::Stmt *parseSimple();
  const ast::Stmt *parseCompound();
  bool atCompound() const;
  const ast::Stmt *parseExpressionStatement();
  const ast::Stmt *parseAssign(llvm::SMLoc begin, const ast::Expr *first);
  const ast::Stmt *parseAnnAssign(llvm::SMLoc begin, const ast::Expr *target);
  const ast::Stmt *parseAugAssign(llvm::SMLoc begin, const ast::Expr *target,
                                  ast::BinaryOperator op);
  const ast::Stmt *parseReturn();
  const ast::Stmt *parseRaise();
  const ast::Stmt *parseAssert();
  const ast::Stmt *parseDelete();
  const ast::Stmt *parseImport();
  const ast::Stmt *parseImportFrom();
  bool parseDottedName(ast::Identifier &out);
  bool parseImportName(llvm::SmallVectorImpl<ast::Alias> &out, bool dotted);
  template <typename T> const ast::Stmt *parseNames();
  template <typename T> const ast::Stmt *parseLoopControl();
  const ast::Stmt *parseTypeAlias();
  bool atTypeAlias() const;

  /// ':' and the block of the statement that begins with `head`.
  bool parseBlock(ast::Block &out, const Token &head);
  /// An `else` and its block, if there is one.
  bool parseElse(ast::Block &out);
  bool parseLoopBody(ast::Block &body, ast::Block &orelse, const Token &head);
  const ast::Stmt *parseIf();
  const ast::Stmt *parseWhile();
  const ast::Stmt *parseFor(llvm::SMLoc begin, bool isAsync);
  const ast::Stmt *parseWith(llvm::SMLoc begin, bool isAsync);
  bool parseWithItem(llvm::SmallVectorImpl<ast::WithItem> &out);
  bool parseWithItems(llvm::SmallVectorImpl<ast::WithItem> &out);
  bool atParenthesizedWithItems() const;
  const ast::Stmt *parseTry();
  bool parseHandler(llvm::SmallVectorImpl<ast::ExceptHandler> &out,
                    bool &isStar);
  const ast::Stmt *parseDecorated();
  const ast::Stmt *parseFunction(llvm::SMLoc begin, ast::ExprList decorators,
                                 bool isAsync);
  const ast::Stmt *parseClass(ast::ExprList decorators);
  const ast::Stmt *parseAsync();

  // ---- match (ParserPattern.cpp) --------------------------------------------
  bool atMatch() const;
  const ast::Stmt *parseMatch();
  bool parseCase(llvm::SmallVectorImpl<ast::MatchCase> &out);
  const ast::Pattern *parsePatterns();
  const ast::Pattern *parseStarPattern();
  const ast::Pattern *parseAsPattern();
  const ast::Pattern *parseOrPattern();
  const ast::Pattern *parseClosedPattern();
  const ast::Pattern *parseLiteralPattern();
  const ast::Pattern *parseNamePattern();
  const ast::Pattern *parseSequencePattern(TokenKind close);
  const ast::Pattern *parseMappingPattern();
  const ast::Pattern *parseClassPattern(const ast::Expr *type);
  const ast::Expr *parseLiteral();
  const ast::Expr *parseDottedExpression();
  bool bindCapture(const ast::Identifier &name);
  ast::Pattern *makePattern(ast::PatternKind kind, llvm::SMLoc begin) {
    return module.create<ast::Pattern>(kind, since(begin));
  }

  TokenStream stream;
  ast::Module &module;
  DiagnosticEngine &diags;
  size_t pos = 0;
  llvm::SMLoc lastEnd; // of the last token taken that is not a line's end
  bool failed = false;
  unsigned nesting = 0; // expressions
  unsigned blocks = 0;  // statements
  bool inFunction = false;
  bool inLoop = false;
  llvm::SmallVector<llvm::StringRef, 8> captures; // of the current case
};

} // namespace tlc::frontend
