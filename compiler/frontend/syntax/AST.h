// The syntax tree of one file: ast::Module, which owns all nodes, and what
// works on whole trees. See ASTExpr.h and ASTStmt.h for the nodes.
//
//   if (const auto *call = llvm::dyn_cast<ast::Call>(expr))
//     for (const ast::Expr *arg : call->args) ...
#pragma once

#include "compiler/frontend/syntax/ASTExpr.h"
#include "compiler/frontend/syntax/ASTStmt.h"

#include "llvm/Support/Allocator.h"
#include <memory>
#include <type_traits>

namespace llvm {
class SourceMgr;
class raw_ostream;
} // namespace llvm

namespace tlc::frontend::ast {

/// A parsed file. Owns its nodes; names and some strings point into the source
/// buffer, which must live as long as the module.
class Module {
public:
  explicit Module(unsigned bufferId) : bufferId(bufferId) {}
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  Block body;
  /// The buffer of the SourceMgr that was parsed.
  const unsigned bufferId;

  /// Makes a node or a helper struct that lives as long as the module.
  template <typename T, typename... Args> T *create(Args &&...args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (arena.Allocate<T>()) T(std::forward<Args>(args)...);
  }
  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> list) {
    return list.copy(arena);
  }
  llvm::StringRef copy(llvm::StringRef text) { return text.copy(arena); }

private:
  llvm::BumpPtrAllocator arena;
};

/// Line and column of both ends of a range: 1-based, columns count bytes, the
/// end is exclusive.
struct LineColRange {
  unsigned line = 0, column = 0, endLine = 0, endColumn = 0;
};
LineColRange lineColRange(const llvm::SourceMgr &sources, llvm::SMRange range);

/// "BinOp", "Call" ...; for dumps and messages to developers.
llvm::StringRef kindName(ExprKind kind);
llvm::StringRef kindName(StmtKind kind);
llvm::StringRef kindName(PatternKind kind);

/// Prints the tree, one node a line with its range as `line:column-line:column`
/// (see LineColRange): what `--emit ast` shows.
void print(const Module &module, const llvm::SourceMgr &sources,
           llvm::raw_ostream &os);
/// The text of a range as written, for messages such as "'a + b' is not a
/// tile".
llvm::StringRef sourceText(llvm::SMRange range);

} // namespace tlc::frontend::ast
