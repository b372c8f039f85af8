// The names that the language and Python provide: one table (Builtins.def),
// binding of call arguments to the parameters that it lists, one handler each.
#pragma once

#include "compiler/frontend/elaborate/Value.h"
#include "compiler/support/Diagnostics.h"

namespace tlc::frontend {

class Elaborator;
class CallArgs;

using Handler = Value (*)(CallArgs &);

/// An entry of Builtins.def.
struct Builtin {
  llvm::StringRef prefix; // "T.", "math.", "tilelang.", ""
  llvm::StringRef name;
  /// Parameters, see Builtins.def.
  llvm::StringRef signature;
  Handler handler; // null: not supported yet

  std::string fullName() const { return (prefix + name).str(); }
};

/// The arguments of a call, bound to the parameters of a builtin. Arguments are
/// evaluated when they are asked for, once.
class CallArgs {
public:
  struct Slot {
    llvm::StringRef name;
    const ast::Expr *expr = nullptr;
    std::optional<Value> value;
    llvm::SMRange range;
    bool isSet() const { return expr || value; }
  };

  CallArgs(Elaborator &e, const Builtin &builtin, llvm::SMRange range)
      : e(e), builtin(builtin), range(range) {}

  Elaborator &e;
  const Builtin &builtin;
  llvm::SMRange range; // of the call
  std::vector<Slot> slots;
  std::vector<Slot> rest; // of `*args`

  std::string name() const { return builtin.fullName(); }
  bool has(llvm::StringRef param) { return slot(param).isSet(); }
  /// The argument, or `missing` if it is not given.
  Value value(llvm::StringRef param, Value missing = Value::none());
  /// As a buffer, region or element reference.
  Value operand(llvm::StringRef param);
  llvm::SMRange rangeOf(llvm::StringRef param);
  /// Evaluates an argument of `*args`.
  Value restValue(unsigned i);
  /// A compile-time argument; nothing after an error.
  std::optional<int64_t> integer(llvm::StringRef param, int64_t missing);
  std::optional<bool> boolean(llvm::StringRef param, bool missing);
  Slot &slot(llvm::StringRef param);

private:
  Value eval(Slot &slot, bool asOperand);
};

/// Binds the arguments of a call and runs the handler.
Value callBuiltin(Elaborator &e, const Builtin &builtin, const ast::Call &call);
/// `T.Tensor[shape, dtype]`.
Value subscriptBuiltin(Elaborator &e, const Builtin &builtin,
                       const Value &index, llvm::SMRange range);
/// An attribute of a module; reports unknown ones.
Value moduleAttribute(Elaborator &e, const ModuleObject &module,
                      llvm::StringRef name, llvm::SMRange range);
/// A member of an enumeration such as T.GemmWarpPolicy.
std::optional<Value> enumMember(const Builtin &builtin, llvm::StringRef name);

const Builtin *findPythonBuiltin(llvm::StringRef name);
std::vector<llvm::StringRef> pythonBuiltinNames();
const Builtin *findBuiltin(llvm::StringRef prefix, llvm::StringRef name);

} // namespace tlc::frontend
