#include "compiler/frontend/syntax/AST.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SourceMgr.h"

namespace tlc::frontend::ast {

llvm::StringRef spelling(BinaryOperator op) {
  static constexpr llvm::StringLiteral kSpellings[] = {
      "+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"};
  return kSpellings[unsigned(op)];
}

llvm::StringRef spelling(UnaryOperator op) {
  static constexpr llvm::StringLiteral kSpellings[] = {"not", "~", "+", "-"};
  return kSpellings[unsigned(op)];
}

llvm::StringRef spelling(BoolOperator op) {
  return op == BoolOperator::And ? "and" : "or";
}

llvm::StringRef spelling(CompareOperator op) {
  static constexpr llvm::StringLiteral kSpellings[] = {
      "==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};
  return kSpellings[unsigned(op)];
}

llvm::StringRef kindName(ExprKind kind) {
  static constexpr llvm::StringLiteral kNames[] = {
      "Constant",  "Name",           "Attribute", "Subscript", "Slice",
      "Call",      "BinOp",          "UnaryOp",   "BoolOp",    "Compare",
      "IfExp",     "Lambda",         "Tuple",     "List",      "Set",
      "Dict",      "ListComp",       "SetComp",   "DictComp",  "GeneratorExp",
      "JoinedStr", "FormattedValue", "NamedExpr", "Starred",   "Yield",
      "YieldFrom", "Await"};
  static_assert(std::size(kNames) == unsigned(ExprKind::Await) + 1);
  return kNames[unsigned(kind)];
}

llvm::StringRef kindName(StmtKind kind) {
  static constexpr llvm::StringLiteral kNames[] = {
      "FunctionDef", "ClassDef",  "Return", "Delete", "Assign", "AugAssign",
      "AnnAssign",   "TypeAlias", "For",    "While",  "If",     "With",
      "Match",       "Raise",     "Try",    "Assert", "Import", "ImportFrom",
      "Global",      "Nonlocal",  "Expr",   "Pass",   "Break",  "Continue"};
  static_assert(std::size(kNames) == unsigned(StmtKind::Continue) + 1);
  return kNames[unsigned(kind)];
}

llvm::StringRef kindName(PatternKind kind) {
  static constexpr llvm::StringLiteral kNames[] = {
      "MatchValue", "MatchSingleton", "MatchSequence", "MatchMapping",
      "MatchClass", "MatchStar",      "MatchAs",       "MatchOr"};
  static_assert(std::size(kNames) == unsigned(PatternKind::Or) + 1);
  return kNames[unsigned(kind)];
}

llvm::APInt Constant::getAPInt() const {
  if (!tooBig)
    return llvm::APInt(64, uint64_t(intValue), /*isSigned=*/true);
  // One bit more than the digits need keeps the value positive.
  unsigned bits = llvm::APInt::getSufficientBitsNeeded(text, radix) + 1;
  return llvm::APInt(std::max(bits, 65u), text, radix);
}

ExprList Subscript::indices() const {
  const auto *tuple = llvm::dyn_cast<Tuple>(index);
  if (tuple && !tuple->parenthesized)
    return tuple->elts;
  return llvm::ArrayRef<const Expr *>(index);
}

const Keyword *Call::findKeyword(llvm::StringRef name) const {
  const auto *it = llvm::find_if(keywords, [&](const Keyword &keyword) {
    return keyword.name.name == name;
  });
  return it == keywords.end() ? nullptr : it;
}

LineColRange lineColRange(const llvm::SourceMgr &sources, llvm::SMRange range) {
  LineColRange result;
  if (!range.isValid())
    return result;
  std::tie(result.line, result.column) = sources.getLineAndColumn(range.Start);
  std::tie(result.endLine, result.endColumn) =
      sources.getLineAndColumn(range.End);
  return result;
}

llvm::StringRef sourceText(llvm::SMRange range) {
  const char *begin = range.Start.getPointer();
  return {begin, size_t(range.End.getPointer() - begin)};
}

// ---- Children ---------------------------------------------------------------

namespace {
/// Calls a function for the children of one node, leaving out null ones.
class ChildVisitor {
public:
  explicit ChildVisitor(llvm::function_ref<void(const Expr *)> fn) : fn(fn) {}
  void visit(const Expr *expr);

private:
  void call(const Expr *child) {
    if (child)
      fn(child);
  }
  void call(ExprList children) {
    for (const Expr *child : children)
      call(child);
  }
  void call(llvm::ArrayRef<Comprehension> clauses) {
    for (const Comprehension &clause : clauses) {
      call(clause.target);
      call(clause.iter);
      call(clause.ifs);
    }
  }
  template <typename T> void comprehension(const Expr *expr) {
    call(llvm::cast<T>(expr)->element);
    call(llvm::cast<T>(expr)->generators);
  }
  void parameters(llvm::ArrayRef<Parameter> params) {
    for (const Parameter &param : params) {
      call(param.annotation);
      call(param.defaultValue);
    }
  }
  void dict(const Dict *node) {
    for (auto [key, value] : llvm::zip_equal(node->keys, node->values)) {
      call(key);
      call(value);
    }
  }
  void callNode(const Call *node) {
    call(node->callee);
    call(node->args);
    for (const Keyword &keyword : node->keywords)
      call(keyword.value);
  }

  llvm::function_ref<void(const Expr *)> fn;
};
} // namespace

void ChildVisitor::visit(const Expr *expr) {
  switch (expr->kind) {
  case ExprKind::Constant:
  case ExprKind::Name:
    return;
  case ExprKind::Attribute:
    return call(llvm::cast<Attribute>(expr)->value);
  case ExprKind::Subscript:
    call(llvm::cast<Subscript>(expr)->value);
    return call(llvm::cast<Subscript>(expr)->index);
  case ExprKind::Slice:
    call(llvm::cast<Slice>(expr)->lower);
    call(llvm::cast<Slice>(expr)->upper);
    return call(llvm::cast<Slice>(expr)->step);
  case ExprKind::Call:
    return callNode(llvm::cast<Call>(expr));
  case ExprKind::BinOp:
    call(llvm::cast<BinOp>(expr)->lhs);
    return call(llvm::cast<BinOp>(expr)->rhs);
  case ExprKind::UnaryOp:
    return call(llvm::cast<UnaryOp>(expr)->operand);
  case ExprKind::BoolOp:
    return call(llvm::cast<BoolOp>(expr)->values);
  case ExprKind::Compare:
    call(llvm::cast<Compare>(expr)->first);
    return call(llvm::cast<Compare>(expr)->rest);
  case ExprKind::IfExp:
    call(llvm::cast<IfExp>(expr)->body);
    call(llvm::cast<IfExp>(expr)->test);
    return call(llvm::cast<IfExp>(expr)->orelse);
  case ExprKind::Lambda:
    parameters(llvm::cast<Lambda>(expr)->params);
    return call(llvm::cast<Lambda>(expr)->body);
  case ExprKind::Tuple:
    return call(llvm::cast<Tuple>(expr)->elts);
  case ExprKind::List:
    return call(llvm::cast<List>(expr)->elts);
  case ExprKind::Set:
    return call(llvm::cast<Set>(expr)->elts);
  case ExprKind::Dict:
    return dict(llvm::cast<Dict>(expr));
  case ExprKind::ListComp:
    return comprehension<ListComp>(expr);
  case ExprKind::SetComp:
    return comprehension<SetComp>(expr);
  case ExprKind::GeneratorExp:
    return comprehension<GeneratorExp>(expr);
  case ExprKind::DictComp:
    call(llvm::cast<DictComp>(expr)->key);
    call(llvm::cast<DictComp>(expr)->value);
    return call(llvm::cast<DictComp>(expr)->generators);
  case ExprKind::JoinedStr:
    return call(llvm::cast<JoinedStr>(expr)->values);
  case ExprKind::FormattedValue:
    call(llvm::cast<FormattedValue>(expr)->value);
    return call(llvm::cast<FormattedValue>(expr)->format);
  case ExprKind::NamedExpr:
    call(llvm::cast<NamedExpr>(expr)->target);
    return call(llvm::cast<NamedExpr>(expr)->value);
  case ExprKind::Starred:
    return call(llvm::cast<Starred>(expr)->value);
  case ExprKind::Yield:
    return call(llvm::cast<Yield>(expr)->value);
  case ExprKind::YieldFrom:
    return call(llvm::cast<YieldFrom>(expr)->value);
  case ExprKind::Await:
    return call(llvm::cast<Await>(expr)->value);
  }
}

void forEachChild(const Expr *expr, llvm::function_ref<void(const Expr *)> fn) {
  ChildVisitor(fn).visit(expr);
}

} // namespace tlc::frontend::ast
