// The dump of `--emit ast`: one node a line, indented, in the form
//
//   (Assign 1:1-1:10
//     target (Name 1:1-1:2 x)
//     value (BinOp 1:5-1:10 +
//       left (Constant 1:5-1:6 int 1)
//       right (Constant 1:9-1:10 int 2)))
#include "compiler/frontend/syntax/AST.h"
#include "compiler/support/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc::frontend::ast {

namespace {
class Printer {
public:
  Printer(const llvm::SourceMgr &sources, llvm::raw_ostream &os)
      : sources(sources), os(os) {}

  void module(const Module &module) {
    os << "(Module";
    ++depth;
    block("body", module.body);
    close();
    os << "\n";
  }

private:
  void open(llvm::StringRef label, llvm::StringRef kind) {
    os << "\n";
    os.indent(2 * depth++);
    if (!label.empty())
      os << label << " ";
    os << "(" << kind;
  }
  void open(llvm::StringRef label, llvm::StringRef kind, llvm::SMRange range) {
    open(label, kind);
    LineColRange at = lineColRange(sources, range);
    os << " " << at.line << ":" << at.column << "-" << at.endLine << ":"
       << at.endColumn;
  }
  void close() {
    os << ")";
    --depth;
  }
  void quoted(llvm::StringRef text) {
    os << " \"";
    os.write_escaped(text, /*UseHexEscapes=*/true) << "\"";
  }
  void name(llvm::StringRef label, const Identifier &id) {
    if (!id)
      return;
    open(label, "name", id.range);
    os << " " << id.name;
    close();
  }

  void expr(llvm::StringRef label, const Expr *node);
  void exprs(llvm::StringRef label, ExprList nodes) {
    for (const Expr *node : nodes)
      expr(label, node);
  }
  void constant(const Constant *node);
  void atoms(const Expr *node);
  void operators(const Expr *node);
  void displays(const Expr *node);
  void others(const Expr *node);
  void call(const Call *node);
  void keywords(llvm::ArrayRef<Keyword> nodes);
  void parameters(llvm::ArrayRef<Parameter> params);
  void clauses(llvm::ArrayRef<Comprehension> clauses);
  template <typename T> void comprehension(const Expr *node) {
    expr("element", llvm::cast<T>(node)->element);
    clauses(llvm::cast<T>(node)->generators);
  }

  void block(llvm::StringRef label, Block body) {
    for (const Stmt *node : body)
      stmt(label, node);
  }
  void stmt(llvm::StringRef label, const Stmt *node);
  void simple(const Stmt *node);
  void compound(const Stmt *node);
  void function(const FunctionDef *node);
  void classDef(const ClassDef *node);
  void typeParams(llvm::ArrayRef<TypeParam> params);
  void aliases(llvm::ArrayRef<Alias> names);
  void tryStmt(const Try *node);
  void pattern(llvm::StringRef label, const Pattern *node);

  const llvm::SourceMgr &sources;
  llvm::raw_ostream &os;
  unsigned depth = 0;
};
} // namespace

// ---- Expressions ------------------------------------------------------------

void Printer::constant(const Constant *node) {
  switch (node->type) {
  case Constant::Type::None:
    os << " None";
    return;
  case Constant::Type::Ellipsis:
    os << " ...";
    return;
  case Constant::Type::Bool:
    os << (node->boolValue ? " True" : " False");
    return;
  case Constant::Type::Int:
    os << " int ";
    node->getAPInt().print(os, /*isSigned=*/true);
    return;
  case Constant::Type::Float:
    os << " float " << shortestText(node->floatValue);
    return;
  case Constant::Type::Complex:
    os << " complex " << shortestText(node->floatValue) << "j";
    return;
  case Constant::Type::String:
    os << " str";
    return quoted(node->text);
  case Constant::Type::Bytes:
    os << " bytes";
    return quoted(node->text);
  }
}

void Printer::expr(llvm::StringRef label, const Expr *node) {
  if (!node)
    return;
  open(label, kindName(node->kind), node->range);
  switch (node->kind) {
  case ExprKind::Constant:
  case ExprKind::Name:
  case ExprKind::Attribute:
  case ExprKind::Subscript:
  case ExprKind::Slice:
  case ExprKind::Call:
    atoms(node);
    break;
  case ExprKind::BinOp:
  case ExprKind::UnaryOp:
  case ExprKind::BoolOp:
  case ExprKind::Compare:
  case ExprKind::IfExp:
  case ExprKind::Lambda:
    operators(node);
    break;
  case ExprKind::Tuple:
  case ExprKind::List:
  case ExprKind::Set:
  case ExprKind::Dict:
  case ExprKind::ListComp:
  case ExprKind::SetComp:
  case ExprKind::DictComp:
  case ExprKind::GeneratorExp:
    displays(node);
    break;
  default:
    others(node);
    break;
  }
  close();
}

void Printer::atoms(const Expr *node) {
  if (const auto *literal = llvm::dyn_cast<Constant>(node))
    return constant(literal);
  if (const auto *id = llvm::dyn_cast<Name>(node)) {
    os << " " << id->id;
  } else if (const auto *attribute = llvm::dyn_cast<Attribute>(node)) {
    os << " " << attribute->attr.name;
    expr("value", attribute->value);
  } else if (const auto *subscript = llvm::dyn_cast<Subscript>(node)) {
    expr("value", subscript->value);
    expr("index", subscript->index);
  } else if (const auto *slice = llvm::dyn_cast<Slice>(node)) {
    expr("lower", slice->lower);
    expr("upper", slice->upper);
    expr("step", slice->step);
  } else {
    call(llvm::cast<Call>(node));
  }
}

void Printer::call(const Call *node) {
  expr("callee", node->callee);
  exprs("arg", node->args);
  keywords(node->keywords);
}

void Printer::keywords(llvm::ArrayRef<Keyword> nodes) {
  for (const Keyword &keyword : nodes) {
    open("", "keyword", keyword.range);
    os << " " << (keyword.isUnpack() ? "**" : keyword.name.name);
    expr("value", keyword.value);
    close();
  }
}

void Printer::operators(const Expr *node) {
  if (const auto *binary = llvm::dyn_cast<BinOp>(node)) {
    os << " " << spelling(binary->op);
    expr("left", binary->lhs);
    expr("right", binary->rhs);
  } else if (const auto *unary = llvm::dyn_cast<UnaryOp>(node)) {
    os << " " << spelling(unary->op);
    expr("operand", unary->operand);
  } else if (const auto *boolean = llvm::dyn_cast<BoolOp>(node)) {
    os << " " << spelling(boolean->op);
    exprs("value", boolean->values);
  } else if (const auto *compare = llvm::dyn_cast<Compare>(node)) {
    expr("left", compare->first);
    for (auto [op, operand] : llvm::zip_equal(compare->ops, compare->rest))
      expr(spelling(op), operand);
  } else if (const auto *conditional = llvm::dyn_cast<IfExp>(node)) {
    expr("test", conditional->test);
    expr("body", conditional->body);
    expr("else", conditional->orelse);
  } else {
    const auto *lambda = llvm::cast<Lambda>(node);
    parameters(lambda->params);
    expr("body", lambda->body);
  }
}

void Printer::displays(const Expr *node) {
  switch (node->kind) {
  case ExprKind::Tuple:
    return exprs("", llvm::cast<Tuple>(node)->elts);
  case ExprKind::List:
    return exprs("", llvm::cast<List>(node)->elts);
  case ExprKind::Set:
    return exprs("", llvm::cast<Set>(node)->elts);
  case ExprKind::ListComp:
    return comprehension<ListComp>(node);
  case ExprKind::SetComp:
    return comprehension<SetComp>(node);
  case ExprKind::GeneratorExp:
    return comprehension<GeneratorExp>(node);
  case ExprKind::DictComp:
    expr("key", llvm::cast<DictComp>(node)->key);
    expr("value", llvm::cast<DictComp>(node)->value);
    return clauses(llvm::cast<DictComp>(node)->generators);
  default:
    const auto *dict = llvm::cast<Dict>(node);
    for (auto [key, value] : llvm::zip_equal(dict->keys, dict->values)) {
      expr("key", key);
      expr(key ? "value" : "**", value);
    }
  }
}

void Printer::others(const Expr *node) {
  if (const auto *joined = llvm::dyn_cast<JoinedStr>(node)) {
    exprs("", joined->values);
  } else if (const auto *field = llvm::dyn_cast<FormattedValue>(node)) {
    if (field->conversion)
      os << " !" << field->conversion;
    expr("value", field->value);
    expr("format", field->format);
  } else if (const auto *named = llvm::dyn_cast<NamedExpr>(node)) {
    expr("target", named->target);
    expr("value", named->value);
  } else {
    // Starred, Yield, YieldFrom and Await have one operand at most.
    forEachChild(node, [&](const Expr *child) { expr("value", child); });
  }
}

void Printer::parameters(llvm::ArrayRef<Parameter> params) {
  static constexpr llvm::StringLiteral kKinds[] = {"positional-only ", "", "*",
                                                   "keyword-only ", "**"};
  for (const Parameter &param : params) {
    open("", "param", param.range);
    os << " " << kKinds[unsigned(param.kind)] << param.name.name;
    expr("annotation", param.annotation);
    expr("default", param.defaultValue);
    close();
  }
}

void Printer::clauses(llvm::ArrayRef<Comprehension> list) {
  for (const Comprehension &clause : list) {
    open("", clause.isAsync ? "async for" : "for");
    expr("target", clause.target);
    expr("iter", clause.iter);
    exprs("if", clause.ifs);
    close();
  }
}

// ---- Statements -------------------------------------------------------------

void Printer::stmt(llvm::StringRef label, const Stmt *node) {
  open(label, kindName(node->kind), node->range);
  switch (node->kind) {
  case StmtKind::FunctionDef:
    function(llvm::cast<FunctionDef>(node));
    break;
  case StmtKind::ClassDef:
    classDef(llvm::cast<ClassDef>(node));
    break;
  case StmtKind::For:
  case StmtKind::While:
  case StmtKind::If:
  case StmtKind::With:
  case StmtKind::Match:
  case StmtKind::Try:
    compound(node);
    break;
  default:
    simple(node);
    break;
  }
  close();
}

void Printer::simple(const Stmt *node) {
  if (const auto *ret = llvm::dyn_cast<Return>(node)) {
    expr("value", ret->value);
  } else if (const auto *del = llvm::dyn_cast<Delete>(node)) {
    exprs("target", del->targets);
  } else if (const auto *assign = llvm::dyn_cast<Assign>(node)) {
    exprs("target", assign->targets);
    expr("value", assign->value);
  } else if (const auto *augmented = llvm::dyn_cast<AugAssign>(node)) {
    os << " " << spelling(augmented->op) << "=";
    expr("target", augmented->target);
    expr("value", augmented->value);
  } else if (const auto *annotated = llvm::dyn_cast<AnnAssign>(node)) {
    expr("target", annotated->target);
    expr("annotation", annotated->annotation);
    expr("value", annotated->value);
  } else if (const auto *alias = llvm::dyn_cast<TypeAlias>(node)) {
    name("", alias->name);
    typeParams(alias->typeParams);
    expr("value", alias->value);
  } else if (const auto *raise = llvm::dyn_cast<Raise>(node)) {
    expr("exc", raise->exc);
    expr("cause", raise->cause);
  } else if (const auto *check = llvm::dyn_cast<Assert>(node)) {
    expr("test", check->test);
    expr("msg", check->msg);
  } else if (const auto *import = llvm::dyn_cast<Import>(node)) {
    aliases(import->names);
  } else if (const auto *from = llvm::dyn_cast<ImportFrom>(node)) {
    os << " " << std::string(from->level, '.') << from->module.name;
    aliases(from->names);
  } else if (const auto *global = llvm::dyn_cast<Global>(node)) {
    for (const Identifier &id : global->names)
      name("", id);
  } else if (const auto *nonlocal = llvm::dyn_cast<Nonlocal>(node)) {
    for (const Identifier &id : nonlocal->names)
      name("", id);
  } else if (const auto *value = llvm::dyn_cast<ExprStmt>(node)) {
    expr("value", value->value);
  }
}

void Printer::aliases(llvm::ArrayRef<Alias> names) {
  for (const Alias &alias : names) {
    name("", alias.name);
    name("as", alias.asName);
  }
}

void Printer::compound(const Stmt *node) {
  if (const auto *loop = llvm::dyn_cast<For>(node)) {
    os << (loop->isAsync ? " async" : "");
    expr("target", loop->target);
    expr("iter", loop->iter);
    block("body", loop->body);
    block("else", loop->orelse);
  } else if (const auto *loop = llvm::dyn_cast<While>(node)) {
    expr("test", loop->test);
    block("body", loop->body);
    block("else", loop->orelse);
  } else if (const auto *branch = llvm::dyn_cast<If>(node)) {
    expr("test", branch->test);
    block("body", branch->body);
    block("else", branch->orelse);
  } else if (const auto *with = llvm::dyn_cast<With>(node)) {
    os << (with->isAsync ? " async" : "");
    for (const WithItem &item : with->items) {
      expr("context", item.context);
      expr("as", item.target);
    }
    block("body", with->body);
  } else if (const auto *match = llvm::dyn_cast<Match>(node)) {
    expr("subject", match->subject);
    for (const MatchCase &clause : match->cases) {
      open("", "case");
      pattern("pattern", clause.pattern);
      expr("guard", clause.guard);
      block("body", clause.body);
      close();
    }
  } else {
    tryStmt(llvm::cast<Try>(node));
  }
}

void Printer::tryStmt(const Try *node) {
  block("body", node->body);
  for (const ExceptHandler &handler : node->handlers) {
    open("", node->isStar ? "except*" : "except", handler.range);
    expr("type", handler.type);
    name("as", handler.name);
    block("body", handler.body);
    close();
  }
  block("else", node->orelse);
  block("finally", node->finalbody);
}

void Printer::function(const FunctionDef *node) {
  os << (node->isAsync ? " async " : " ") << node->name.name;
  exprs("decorator", node->decorators);
  typeParams(node->typeParams);
  parameters(node->params);
  expr("returns", node->returns);
  block("body", node->body);
}

void Printer::classDef(const ClassDef *node) {
  os << " " << node->name.name;
  exprs("decorator", node->decorators);
  typeParams(node->typeParams);
  exprs("base", node->bases);
  keywords(node->keywords);
  block("body", node->body);
}

void Printer::typeParams(llvm::ArrayRef<TypeParam> params) {
  static constexpr llvm::StringLiteral kPrefixes[] = {"", "*", "**"};
  for (const TypeParam &param : params) {
    open("", "type-param", param.name.range);
    os << " " << kPrefixes[unsigned(param.kind)] << param.name.name;
    expr("bound", param.bound);
    close();
  }
}

void Printer::pattern(llvm::StringRef label, const Pattern *node) {
  if (!node)
    return;
  open(label, kindName(node->kind), node->range);
  if (node->name)
    os << " " << node->name.name;
  expr("value", node->value);
  exprs("key", node->keys);
  for (const Pattern *child : node->patterns)
    pattern("", child);
  for (auto [id, child] : llvm::zip_equal(node->kwNames, node->kwPatterns))
    pattern(id.name, child);
  pattern("pattern", node->pattern);
  close();
}

void print(const Module &module, const llvm::SourceMgr &sources,
           llvm::raw_ostream &os) {
  Printer(sources, os).module(module);
}

} // namespace tlc::frontend::ast
