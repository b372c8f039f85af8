// Module level. Nothing runs in order: a name is evaluated when a kernel needs
// it, from the statements that bind or change it. The rest only has to parse.
#include "compiler/frontend/elaborate/Elaborator.h"

#include "compiler/frontend/builtins/Builtins.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

namespace tlc::frontend {

using NameSet = llvm::SmallSetVector<llvm::StringRef, 4>;

static void collectBound(ast::Block block, NameSet &names);

/// The variable that an assignment to `target` binds or changes.
static void collectTarget(const ast::Expr *target, NameSet &names) {
  if (auto *name = llvm::dyn_cast<ast::Name>(target))
    names.insert(name->id);
  else if (auto *subscript = llvm::dyn_cast<ast::Subscript>(target))
    collectTarget(subscript->value, names);
  else if (auto *attribute = llvm::dyn_cast<ast::Attribute>(target))
    collectTarget(attribute->value, names);
  else if (llvm::isa<ast::Tuple, ast::List, ast::Starred>(target))
    ast::forEachChild(target,
                      [&](const ast::Expr *e) { collectTarget(e, names); });
}

bool isMainGuard(const ast::If *stmt) {
  auto *test = llvm::dyn_cast<ast::Compare>(stmt->test);
  auto *name = test ? llvm::dyn_cast<ast::Name>(test->first) : nullptr;
  return name && name->id == "__name__";
}

static void collectBound(const ast::Stmt *stmt, NameSet &names) {
  if (auto *s = llvm::dyn_cast<ast::Assign>(stmt)) {
    for (const ast::Expr *target : s->targets)
      collectTarget(target, names);
  } else if (auto *s = llvm::dyn_cast<ast::AugAssign>(stmt)) {
    collectTarget(s->target, names);
  } else if (auto *s = llvm::dyn_cast<ast::AnnAssign>(stmt)) {
    if (s->value)
      collectTarget(s->target, names);
  } else if (auto *s = llvm::dyn_cast<ast::FunctionDef>(stmt)) {
    names.insert(s->name.name);
  } else if (auto *s = llvm::dyn_cast<ast::ClassDef>(stmt)) {
    names.insert(s->name.name);
  } else if (auto *s = llvm::dyn_cast<ast::Import>(stmt)) {
    for (const ast::Alias &alias : s->names)
      names.insert(alias.asName ? alias.asName.name
                                : alias.name.name.split('.').first);
  } else if (auto *s = llvm::dyn_cast<ast::ImportFrom>(stmt)) {
    for (const ast::Alias &alias : s->names)
      names.insert(alias.asName ? alias.asName.name : alias.name.name);
  } else if (auto *s = llvm::dyn_cast<ast::For>(stmt)) {
    collectTarget(s->target, names);
    collectBound(s->body, names);
  } else if (auto *s = llvm::dyn_cast<ast::While>(stmt)) {
    collectBound(s->body, names);
  } else if (auto *s = llvm::dyn_cast<ast::If>(stmt)) {
    if (isMainGuard(s))
      return;
    collectBound(s->body, names);
    collectBound(s->orelse, names);
  } else if (auto *s = llvm::dyn_cast<ast::With>(stmt)) {
    for (const ast::WithItem &item : s->items)
      if (item.target)
        collectTarget(item.target, names);
    collectBound(s->body, names);
  } else if (auto *s = llvm::dyn_cast<ast::Try>(stmt)) {
    collectBound(s->body, names);
  } else if (auto *s = llvm::dyn_cast<ast::ExprStmt>(stmt)) {
    // `x.append(...)` changes x.
    auto *call = llvm::dyn_cast<ast::Call>(s->value);
    auto *method =
        call ? llvm::dyn_cast<ast::Attribute>(call->callee) : nullptr;
    if (method)
      collectTarget(method->value, names);
  }
}

static void collectBound(ast::Block block, NameSet &names) {
  for (const ast::Stmt *stmt : block)
    collectBound(stmt, names);
}

void Elaborator::indexModule() {
  for (auto [i, stmt] : llvm::enumerate(module.body)) {
    NameSet names;
    collectBound(stmt, names);
    for (llvm::StringRef name : names)
      moduleNames[name].statements.push_back(i);
  }
  moduleDone.resize(module.body.size());
  moduleRunning.resize(module.body.size());
}

std::optional<Value> Elaborator::lookupModule(llvm::StringRef name,
                                              std::optional<unsigned> before) {
  auto it = moduleNames.find(name);
  if (it == moduleNames.end())
    return std::nullopt;
  if (!definesParam.contains(name))
    if (auto value = define(name))
      return value;
  ModuleName &entry = it->second;
  for (unsigned i = entry.statements.size(); i > 0; --i) {
    unsigned statement = entry.statements[i - 1];
    if ((before && statement >= *before) || moduleRunning[statement])
      continue;
    if (!moduleDone[statement])
      executeModule(statement);
    for (auto &[at, value] : entry.versions)
      if (at == statement)
        return value;
  }
  return std::nullopt;
}

void Elaborator::executeModule(unsigned statement) {
  Frame activation;
  activation.scope = makeScope(nullptr);
  activation.moduleStatement = statement;
  activation.name = "the module";
  llvm::SaveAndRestore savedFrame(frame, &activation);
  llvm::SaveAndRestore savedRegions(activeRegions, std::vector<unsigned>());
  llvm::SaveAndRestore savedLoops(loops, decltype(loops)());
  moduleRunning[statement] = true;
  const ast::Stmt *stmt = module.body[statement];
  NameSet names;
  collectBound(stmt, names);
  unsigned errors = diags.errorCount();
  if (stmt->kind == ast::StmtKind::ClassDef) {
    OpaqueObject object;
    object.path = names.front().str();
    bind(names.front(), Value::make(Kind::Opaque, std::move(object)),
         stmt->range);
  } else {
    execute(stmt);
  }
  moduleRunning[statement] = false;
  moduleDone[statement] = true;
  for (llvm::StringRef name : names) {
    ModuleName &entry = moduleNames[name];
    if (Binding *binding = activation.scope->findLocal(name))
      entry.versions.push_back({statement, binding->value});
    else if (diags.errorCount() > errors)
      entry.versions.push_back({statement, Value::poison()});
  }
}

// ---- Imports ----------------------------------------------------------------

Value Elaborator::importModule(llvm::StringRef path) {
  ModuleObject object;
  object.name = path.str();
  if (path == "tilelang.language")
    object.kind = ModuleKind::Language;
  else if (path == "tilelang" || path == "tilelang.math")
    object.kind = ModuleKind::Tilelang;
  else if (path == "math")
    object.kind = ModuleKind::Math;
  else if (path == "torch")
    object.kind = ModuleKind::Torch;
  return Value::make(Kind::Module, std::move(object));
}

void Elaborator::executeImport(const ast::Import *stmt) {
  for (const ast::Alias &alias : stmt->names) {
    if (alias.asName)
      bind(alias.asName.name, importModule(alias.name.name),
           alias.asName.range);
    else
      bind(alias.name.name.split('.').first,
           importModule(alias.name.name.split('.').first), alias.name.range);
  }
}

void Elaborator::executeImportFrom(const ast::ImportFrom *stmt) {
  Value from = importModule(stmt->level ? "." : stmt->module.name);
  for (const ast::Alias &alias : stmt->names) {
    const ast::Identifier &as = alias.asName ? alias.asName : alias.name;
    bind(as.name,
         moduleAttribute(*this, from.as<ModuleObject>(), alias.name.name,
                         alias.name.range),
         as.range);
  }
}

} // namespace tlc::frontend
