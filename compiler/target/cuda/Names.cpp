// Identifiers.
#include "compiler/target/cuda/Names.h"

#include "compiler/target/cuda/Prelude.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

using namespace tlc::cuda;

std::string tlc::cuda::sanitizeName(llvm::StringRef name) {
  std::string text;
  for (char c : name)
    text += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (text.empty() || llvm::isDigit(text.front()))
    text.insert(text.begin(), 'v');
  return text;
}

llvm::StringRef tlc::cuda::nameOf(mlir::Location loc) {
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(loc))
    return name.getName().getValue();
  return {};
}

void Names::leave() {
  for (const std::string &name : scopes.back())
    visible.erase(name);
  scopes.pop_back();
}

std::string Names::make(llvm::StringRef hint) {
  std::string base = sanitizeName(hint), name = base;
  for (unsigned i = 1; visible.contains(name) || Prelude::isReserved(name); ++i)
    name = base + "_" + llvm::utostr(i);
  visible.insert(name);
  if (!scopes.empty())
    scopes.back().push_back(name);
  return name;
}
