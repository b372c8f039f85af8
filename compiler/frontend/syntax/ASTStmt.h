// Statements and match patterns of the syntax tree; see ASTExpr.h for the rules
// that all nodes follow.
#pragma once

#include "compiler/frontend/syntax/ASTExpr.h"

namespace tlc::frontend::ast {

struct Stmt;
struct Pattern;
using Block = llvm::ArrayRef<const Stmt *>;

enum class StmtKind : uint8_t {
  FunctionDef,
  ClassDef,
  Return,
  Delete,
  Assign,
  AugAssign,
  AnnAssign,
  TypeAlias,
  For,
  While,
  If,
  With,
  Match,
  Raise,
  Try,
  Assert,
  Import,
  ImportFrom,
  Global,
  Nonlocal,
  ExprStmt,
  Pass,
  Break,
  Continue,
};

/// Base of all statements. The range of a compound statement ends with its last
/// inner statement; decorators lie before it.
struct Stmt {
  const StmtKind kind;
  llvm::SMRange range;

protected:
  Stmt(StmtKind kind, llvm::SMRange range) : kind(kind), range(range) {}
};

template <StmtKind K> struct StmtOf : Stmt {
  explicit StmtOf(llvm::SMRange range) : Stmt(K, range) {}
  static bool classof(const Stmt *s) { return s->kind == K; }
};

/// A type parameter `T`, `T: bound`, `*Ts` or `**P` (PEP 695).
struct TypeParam {
  enum class Kind : uint8_t { TypeVar, TypeVarTuple, ParamSpec };
  Kind kind = Kind::TypeVar;
  Identifier name;
  const Expr *bound = nullptr; // may be null
};

struct FunctionDef : StmtOf<StmtKind::FunctionDef> {
  using StmtOf::StmtOf;
  Identifier name;
  ExprList decorators; // outermost first, without '@'
  llvm::ArrayRef<TypeParam> typeParams;
  llvm::ArrayRef<Parameter> params; // in source order, names are unique
  const Expr *returns = nullptr;    // may be null
  Block body;                       // never empty
  bool isAsync = false;
};

struct ClassDef : StmtOf<StmtKind::ClassDef> {
  using StmtOf::StmtOf;
  Identifier name;
  ExprList decorators;
  llvm::ArrayRef<TypeParam> typeParams;
  ExprList bases;
  llvm::ArrayRef<Keyword> keywords;
  Block body;
};

struct Return : StmtOf<StmtKind::Return> {
  using StmtOf::StmtOf;
  const Expr *value = nullptr; // may be null
};

struct Delete : StmtOf<StmtKind::Delete> {
  using StmtOf::StmtOf;
  ExprList targets;
};

/// `targets[0] = targets[1] = ... = value`. Targets are Name, Attribute,
/// Subscript, or Tuple/List of targets (with at most one Starred).
struct Assign : StmtOf<StmtKind::Assign> {
  using StmtOf::StmtOf;
  ExprList targets;
  const Expr *value = nullptr;
};

/// `target op= value`; the target is Name, Attribute or Subscript.
struct AugAssign : StmtOf<StmtKind::AugAssign> {
  using StmtOf::StmtOf;
  const Expr *target = nullptr;
  BinaryOperator op = BinaryOperator::Add;
  llvm::SMRange opRange; // of `op=`
  const Expr *value = nullptr;
};

/// `target: annotation [= value]`
struct AnnAssign : StmtOf<StmtKind::AnnAssign> {
  using StmtOf::StmtOf;
  const Expr *target = nullptr;
  const Expr *annotation = nullptr;
  const Expr *value = nullptr; // may be null
};

/// `type name[typeParams] = value`
struct TypeAlias : StmtOf<StmtKind::TypeAlias> {
  using StmtOf::StmtOf;
  Identifier name;
  llvm::ArrayRef<TypeParam> typeParams;
  const Expr *value = nullptr;
};

struct For : StmtOf<StmtKind::For> {
  using StmtOf::StmtOf;
  const Expr *target = nullptr;
  const Expr *iter = nullptr;
  Block body;
  Block orelse; // empty without else
  bool isAsync = false;
};

struct While : StmtOf<StmtKind::While> {
  using StmtOf::StmtOf;
  const Expr *test = nullptr;
  Block body;
  Block orelse;
};

/// `elif` is an If as the only statement of orelse.
struct If : StmtOf<StmtKind::If> {
  using StmtOf::StmtOf;
  const Expr *test = nullptr;
  Block body;
  Block orelse;
};

/// `context as target`
struct WithItem {
  const Expr *context = nullptr;
  const Expr *target = nullptr; // may be null
};

struct With : StmtOf<StmtKind::With> {
  using StmtOf::StmtOf;
  llvm::ArrayRef<WithItem> items;
  Block body;
  bool isAsync = false;
};

struct MatchCase {
  const Pattern *pattern = nullptr;
  const Expr *guard = nullptr; // may be null
  Block body;
};

struct Match : StmtOf<StmtKind::Match> {
  using StmtOf::StmtOf;
  const Expr *subject = nullptr;
  llvm::ArrayRef<MatchCase> cases;
};

/// `raise exc from cause`; both may be null.
struct Raise : StmtOf<StmtKind::Raise> {
  using StmtOf::StmtOf;
  const Expr *exc = nullptr;
  const Expr *cause = nullptr;
};

/// `except type as name:`
struct ExceptHandler {
  const Expr *type = nullptr; // may be null
  Identifier name;            // may be empty
  Block body;
  llvm::SMRange range;
};

struct Try : StmtOf<StmtKind::Try> {
  using StmtOf::StmtOf;
  Block body;
  llvm::ArrayRef<ExceptHandler> handlers;
  Block orelse;
  Block finalbody;
  bool isStar = false; // except*
};

struct Assert : StmtOf<StmtKind::Assert> {
  using StmtOf::StmtOf;
  const Expr *test = nullptr;
  const Expr *msg = nullptr; // may be null
};

/// `name as asName`; `name` may be dotted, or "*" in ImportFrom.
struct Alias {
  Identifier name;
  Identifier asName; // may be empty
};

struct Import : StmtOf<StmtKind::Import> {
  using StmtOf::StmtOf;
  llvm::ArrayRef<Alias> names;
};

/// `from ...module import names`; `level` counts the leading dots.
struct ImportFrom : StmtOf<StmtKind::ImportFrom> {
  using StmtOf::StmtOf;
  Identifier module; // may be empty
  unsigned level = 0;
  llvm::ArrayRef<Alias> names;
};

struct Global : StmtOf<StmtKind::Global> {
  using StmtOf::StmtOf;
  llvm::ArrayRef<Identifier> names;
};

struct Nonlocal : StmtOf<StmtKind::Nonlocal> {
  using StmtOf::StmtOf;
  llvm::ArrayRef<Identifier> names;
};

struct ExprStmt : StmtOf<StmtKind::ExprStmt> {
  using StmtOf::StmtOf;
  const Expr *value = nullptr;
};

using Pass = StmtOf<StmtKind::Pass>;
using Break = StmtOf<StmtKind::Break>;
using Continue = StmtOf<StmtKind::Continue>;

enum class PatternKind : uint8_t {
  Value,
  Singleton,
  Sequence,
  Mapping,
  Class,
  Star,
  As,
  Or,
};

/// One pattern of a `match` statement. A flat node: which fields are used is
/// said at each.
struct Pattern {
  Pattern(PatternKind kind, llvm::SMRange range) : kind(kind), range(range) {}
  const PatternKind kind;
  llvm::SMRange range;
  const Expr *value = nullptr; // Value, Singleton: constant; Class: the class
  llvm::ArrayRef<const Pattern *> patterns; // Sequence, Or, Mapping, Class
  ExprList keys;                            // Mapping
  llvm::ArrayRef<Identifier> kwNames;       // Class: `name=pattern`
  llvm::ArrayRef<const Pattern *> kwPatterns;
  const Pattern *pattern = nullptr; // As: null for a capture or `_`
  Identifier name; // As, Star, Mapping's **rest; empty for the wildcard
};

} // namespace tlc::frontend::ast
