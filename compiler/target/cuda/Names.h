// C identifiers for values: source names where there are any, made unique
// among what is visible.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace tlc::cuda {

/// Letters, digits and underscores only, no leading digit.
std::string sanitizeName(llvm::StringRef name);
/// The name in a NameLoc; empty if there is none.
llvm::StringRef nameOf(mlir::Location loc);

class Names {
public:
  void enter() { scopes.emplace_back(); }
  void leave();
  /// A new name like `hint` that nothing visible has.
  std::string make(llvm::StringRef hint);
  std::string &operator[](mlir::Value v) { return names[v]; }
  bool contains(mlir::Value v) const { return names.contains(v); }

private:
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::StringSet<> visible;
  std::vector<std::vector<std::string>> scopes;
};

} // namespace tlc::cuda
