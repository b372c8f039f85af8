// Names of a function under elaboration. Python's rules (a function has one
// scope, closures see later assignments) plus one of the language: a name bound
// inside a run-time loop or branch ends with that block.
#pragma once

#include "compiler/frontend/elaborate/Value.h"

#include "llvm/ADT/StringMap.h"

namespace tlc::frontend {

struct Binding {
  Value value;
  /// The run-time region that it was made in; 0: none.
  unsigned region = 0;
  /// Clock of the last read, to find values carried around a loop.
  uint64_t lastRead = 0;
  llvm::SMRange range;
  bool isLoopVariable = false;
};

class Scope {
public:
  explicit Scope(std::shared_ptr<Scope> parent) : parent(std::move(parent)) {}

  Binding *findLocal(llvm::StringRef name) {
    auto it = names.find(name);
    return it == names.end() ? nullptr : &it->second;
  }
  /// Looks in this and in enclosing functions, not in the module.
  Binding *find(llvm::StringRef name) {
    for (Scope *s = this; s; s = s->parent.get())
      if (Binding *binding = s->findLocal(name))
        return binding;
    return nullptr;
  }
  void set(llvm::StringRef name, Binding binding) {
    names[name] = std::move(binding);
  }
  void erase(llvm::StringRef name) { names.erase(name); }
  /// Forgets all names: a function that a scope holds holds the scope.
  void clear() { names.clear(); }
  /// All visible names, for suggestions.
  void collectNames(std::vector<llvm::StringRef> &result) const {
    for (const Scope *s = this; s; s = s->parent.get())
      for (auto &entry : s->names)
        result.push_back(entry.first());
  }

private:
  llvm::StringMap<Binding> names;
  std::shared_ptr<Scope> parent;
};

} // namespace tlc::frontend
