// Expressions of the syntax tree. Shapes and names follow Python's `ast` module
// so that its documentation applies; what differs is said at the node. Nodes
// live in the arena of their ast::Module and are never destroyed one by one:
// fields are trivially destructible. Strings point into the source buffer or
// the arena. Nothing here knows what a name means.
#pragma once

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/SMLoc.h"
#include <cstdint>

namespace tlc::frontend::ast {

struct Expr;
using ExprList = llvm::ArrayRef<const Expr *>;

/// A name together with where it was written. `name` is empty if absent.
struct Identifier {
  llvm::StringRef name;
  llvm::SMRange range;
  explicit operator bool() const { return !name.empty(); }
};

enum class ExprKind : uint8_t {
  Constant,
  Name,
  Attribute,
  Subscript,
  Slice,
  Call,
  BinOp,
  UnaryOp,
  BoolOp,
  Compare,
  IfExp,
  Lambda,
  Tuple,
  List,
  Set,
  Dict,
  ListComp,
  SetComp,
  DictComp,
  GeneratorExp,
  JoinedStr,
  FormattedValue,
  NamedExpr,
  Starred,
  Yield,
  YieldFrom,
  Await,
};

enum class BinaryOperator : uint8_t {
  Add,
  Sub,
  Mult,
  MatMult,
  Div,
  FloorDiv,
  Mod,
  Pow,
  LShift,
  RShift,
  BitAnd,
  BitOr,
  BitXor,
};
enum class UnaryOperator : uint8_t { Not, Invert, Plus, Minus };
enum class BoolOperator : uint8_t { And, Or };
enum class CompareOperator : uint8_t {
  Eq,
  NotEq,
  Lt,
  LtE,
  Gt,
  GtE,
  Is,
  IsNot,
  In,
  NotIn,
};

/// Source spelling: "+", "//", "not in" ...
llvm::StringRef spelling(BinaryOperator op);
llvm::StringRef spelling(UnaryOperator op);
llvm::StringRef spelling(BoolOperator op);
llvm::StringRef spelling(CompareOperator op);

/// Base of all expressions. `range` is half open and, as in Python, leaves out
/// parentheses around the expression except those of a tuple.
struct Expr {
  const ExprKind kind;
  /// Written in parentheses of its own: `(x)`. For a tuple: `(a, b)`.
  bool parenthesized = false;
  /// Height of the tree below, at least 1; the parser bounds it, so recursion
  /// over a tree needs no depth check of its own.
  uint32_t height = 1;
  llvm::SMRange range;

protected:
  Expr(ExprKind kind, llvm::SMRange range) : kind(kind), range(range) {}
};

template <ExprKind K> struct ExprOf : Expr {
  explicit ExprOf(llvm::SMRange range) : Expr(K, range) {}
  static bool classof(const Expr *e) { return e->kind == K; }
};

/// A literal. Adjacent string literals are one Constant.
struct Constant : ExprOf<ExprKind::Constant> {
  enum class Type : uint8_t {
    None,
    Bool,
    Int,
    Float,
    Complex, // floatValue is the imaginary part
    String,
    Bytes,
    Ellipsis,
  };
  using ExprOf::ExprOf;
  Type type = Type::None;
  bool boolValue = false;
  /// The integer does not fit int64_t: read it with getAPInt().
  bool tooBig = false;
  int64_t intValue = 0;
  double floatValue = 0;
  /// String, Bytes: the decoded content (may hold NUL; strings are UTF-8).
  /// Int: its digits, without prefix and underscores, in base `radix`.
  llvm::StringRef text;
  uint8_t radix = 10;

  bool isNone() const { return type == Type::None; }
  bool isString() const { return type == Type::String; }
  /// The value of an Int of any size; signed, at least 64 bits wide.
  llvm::APInt getAPInt() const;
};

struct Name : ExprOf<ExprKind::Name> {
  using ExprOf::ExprOf;
  llvm::StringRef id;
};

/// `value.attr`
struct Attribute : ExprOf<ExprKind::Attribute> {
  using ExprOf::ExprOf;
  const Expr *value = nullptr;
  Identifier attr;
};

/// `value[index]`; several subscripts, or one with a trailing comma, are a
/// Tuple, see indices().
struct Subscript : ExprOf<ExprKind::Subscript> {
  using ExprOf::ExprOf;
  const Expr *value = nullptr;
  const Expr *index = nullptr;
  /// The subscripts one by one: the elements of an unparenthesised tuple, else
  /// the single index.
  ExprList indices() const;
};

/// `lower:upper:step` inside a subscript; each part may be null.
struct Slice : ExprOf<ExprKind::Slice> {
  using ExprOf::ExprOf;
  const Expr *lower = nullptr;
  const Expr *upper = nullptr;
  const Expr *step = nullptr;
};

/// `name=value` of a call or class; `**value` has no name.
struct Keyword {
  Identifier name;
  const Expr *value = nullptr;
  llvm::SMRange range;
  bool isUnpack() const { return !name; }
};

/// `callee(args, keywords)`. `*x` is a Starred among args.
struct Call : ExprOf<ExprKind::Call> {
  using ExprOf::ExprOf;
  const Expr *callee = nullptr;
  ExprList args;
  llvm::ArrayRef<Keyword> keywords;
  /// The keyword of that name or null.
  const Keyword *findKeyword(llvm::StringRef name) const;
};

struct BinOp : ExprOf<ExprKind::BinOp> {
  using ExprOf::ExprOf;
  BinaryOperator op = BinaryOperator::Add;
  llvm::SMRange opRange;
  const Expr *lhs = nullptr;
  const Expr *rhs = nullptr;
};

struct UnaryOp : ExprOf<ExprKind::UnaryOp> {
  using ExprOf::ExprOf;
  UnaryOperator op = UnaryOperator::Not;
  const Expr *operand = nullptr;
};

/// `a and b and c`: two or more values, one operator.
struct BoolOp : ExprOf<ExprKind::BoolOp> {
  using ExprOf::ExprOf;
  BoolOperator op = BoolOperator::And;
  ExprList values;
};

/// `first ops[0] rest[0] ops[1] rest[1] ...`; at least one operator.
struct Compare : ExprOf<ExprKind::Compare> {
  using ExprOf::ExprOf;
  const Expr *first = nullptr;
  llvm::ArrayRef<CompareOperator> ops;
  ExprList rest;
};

/// `body if test else orelse`
struct IfExp : ExprOf<ExprKind::IfExp> {
  using ExprOf::ExprOf;
  const Expr *test = nullptr;
  const Expr *body = nullptr;
  const Expr *orelse = nullptr;
};

enum class ParameterKind : uint8_t {
  PositionalOnly, // before '/'
  Normal,
  VarArgs,     // *args
  KeywordOnly, // after '*' or '*args'
  KwArgs,      // **kwargs
};

/// One parameter of a def or lambda.
struct Parameter {
  Identifier name;
  ParameterKind kind = ParameterKind::Normal;
  const Expr *annotation = nullptr;   // may be null
  const Expr *defaultValue = nullptr; // may be null
  llvm::SMRange range;                // name, annotation and default
};

struct Lambda : ExprOf<ExprKind::Lambda> {
  using ExprOf::ExprOf;
  llvm::ArrayRef<Parameter> params; // in source order, names are unique
  const Expr *body = nullptr;
};

struct Tuple : ExprOf<ExprKind::Tuple> {
  using ExprOf::ExprOf;
  ExprList elts;
};

struct List : ExprOf<ExprKind::List> {
  using ExprOf::ExprOf;
  ExprList elts;
};

struct Set : ExprOf<ExprKind::Set> {
  using ExprOf::ExprOf;
  ExprList elts;
};

/// `{keys[i]: values[i]}`; a null key is `**values[i]`.
struct Dict : ExprOf<ExprKind::Dict> {
  using ExprOf::ExprOf;
  ExprList keys;
  ExprList values;
};

/// One `for target in iter if ... if ...` clause of a comprehension.
struct Comprehension {
  const Expr *target = nullptr;
  const Expr *iter = nullptr;
  ExprList ifs;
  bool isAsync = false;
};

/// List, set and generator comprehensions: `element` for each combination.
template <ExprKind K> struct ComprehensionOf : ExprOf<K> {
  using ExprOf<K>::ExprOf;
  const Expr *element = nullptr;
  llvm::ArrayRef<Comprehension> generators;
};
using ListComp = ComprehensionOf<ExprKind::ListComp>;
using SetComp = ComprehensionOf<ExprKind::SetComp>;
using GeneratorExp = ComprehensionOf<ExprKind::GeneratorExp>;

struct DictComp : ExprOf<ExprKind::DictComp> {
  using ExprOf::ExprOf;
  const Expr *key = nullptr;
  const Expr *value = nullptr;
  llvm::ArrayRef<Comprehension> generators;
};

/// An f-string: Constants of type String and FormattedValues, to be joined.
struct JoinedStr : ExprOf<ExprKind::JoinedStr> {
  using ExprOf::ExprOf;
  ExprList values;
};

/// `{value!conversion:spec}` of an f-string. For `{x=}` the text `x=` is a
/// Constant before it and, without `!` and `:`, conversion is 'r'.
struct FormattedValue : ExprOf<ExprKind::FormattedValue> {
  using ExprOf::ExprOf;
  const Expr *value = nullptr;
  char conversion = 0;               // 's', 'r', 'a' or 0
  const JoinedStr *format = nullptr; // null without ':'
};

/// `target := value`
struct NamedExpr : ExprOf<ExprKind::NamedExpr> {
  using ExprOf::ExprOf;
  const Name *target = nullptr;
  const Expr *value = nullptr;
};

/// `*value` in a call, display or target list.
struct Starred : ExprOf<ExprKind::Starred> {
  using ExprOf::ExprOf;
  const Expr *value = nullptr;
};

struct Yield : ExprOf<ExprKind::Yield> {
  using ExprOf::ExprOf;
  const Expr *value = nullptr; // may be null
};

struct YieldFrom : ExprOf<ExprKind::YieldFrom> {
  using ExprOf::ExprOf;
  const Expr *value = nullptr;
};

struct Await : ExprOf<ExprKind::Await> {
  using ExprOf::ExprOf;
  const Expr *value = nullptr;
};

/// Calls `fn` for each direct sub-expression, never null, in source order.
/// Parameter annotations and defaults and comprehension clauses are included.
void forEachChild(const Expr *expr, llvm::function_ref<void(const Expr *)> fn);

} // namespace tlc::frontend::ast
