// Places and names of statements: from operations to the text of the program.
#pragma once

#include "compiler/explain/Explanation.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SourceMgr.h"

namespace tlc::explain {

/// The lines of one file.
class Sources {
public:
  explicit Sources(const llvm::SourceMgr &manager);

  /// Where `location` is and what stands there.
  Place place(mlir::Location location, bool firstLineOnly = false) const;
  /// The statement that `op` came from.
  Statement statement(mlir::Operation *op) const;
  /// The branches around `op` inside `scope`, outermost first.
  std::vector<Statement> guards(mlir::Operation *op,
                                mlir::Operation *scope) const;

private:
  llvm::StringRef line(unsigned number) const;
  std::string text(unsigned first, unsigned last) const;

  std::vector<llvm::StringRef> lines;
};

/// How a user calls `op`: "T.copy", "if".
std::string nameOf(mlir::Operation *op);

/// Whether `op` is a loop or branch that the compiler made to run loads ahead;
/// it has no statement of its own.
bool isRunAhead(mlir::Operation *op);

/// Whether `op` is the branch that guards a load and its uses: taken in the
/// first turns, and where a flag of the program asks (Lever::GuardLoads).
/// `fills`: only that of the role that loads, which asks for the flag late.
bool isLoadGuard(mlir::Operation *op, bool fills = false);

} // namespace tlc::explain
