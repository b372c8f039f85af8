// The values that the elaborator computes with: compile-time Python objects,
// symbolic sizes, run-time scalars, buffers and what the language adds.
// A Value is cheap to copy; lists and dicts are shared as in Python.
#pragma once

#include "compiler/frontend/elaborate/Dtype.h"
#include "compiler/frontend/elaborate/Linear.h"
#include "compiler/frontend/syntax/AST.h"
#include "dialects/tile/Tile.h"

#include "mlir/IR/AffineExpr.h"
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tlc::frontend {

class Scope;
struct Builtin;

enum class Kind : uint8_t {
  Poison, // an error was reported; everything made from it is poison
  None,
  Bool,
  Int,
  Float,
  String,
  Dtype,
  Ellipsis,
  Tuple,
  List,
  Dict,
  Slice,
  Range,
  Symbolic, // an integer expression over sizes known at launch
  Scalar,   // a run-time value or a typed constant
  Buffer,
  Region,
  TensorType,
  Loop,
  KernelFrame,
  Function,
  Method,
  Builtin,
  Module,
  Opaque, // something of a module that tlc does not evaluate
};

/// Base of what a Value points to.
struct Object {
  virtual ~Object() = default;
};

class Value {
public:
  Kind kind = Kind::Poison;
  Dtype dtype; // Kind::Dtype
  union {
    bool boolean;
    int64_t integer = 0;
    double number;
    const tlc::frontend::Builtin *builtin;
  };
  mlir::AffineExpr symbolic;
  std::shared_ptr<Object> object;

  static Value poison() { return Value(); }
  static Value none() { return ofKind(Kind::None); }
  static Value ofKind(Kind kind) {
    Value v;
    v.kind = kind;
    return v;
  }
  static Value ofBool(bool b);
  static Value ofInt(int64_t i);
  static Value ofFloat(double d);
  static Value ofString(llvm::StringRef text);
  static Value ofDtype(Dtype dtype);
  static Value ofTuple(std::vector<Value> items);
  static Value ofList(std::vector<Value> items);
  /// A constant expression becomes an Int.
  static Value ofSymbolic(mlir::AffineExpr expr);
  static Value ofBuiltin(const tlc::frontend::Builtin *builtin);
  static Value ofObject(Kind kind, std::shared_ptr<Object> object);
  template <typename T> static Value make(Kind kind, T data) {
    return ofObject(kind, std::make_shared<T>(std::move(data)));
  }

  bool is(Kind k) const { return kind == k; }
  bool isPoison() const { return kind == Kind::Poison; }
  bool isNone() const { return kind == Kind::None; }
  /// Int or Bool: what Python counts as an integer.
  bool isIntLike() const { return kind == Kind::Int || kind == Kind::Bool; }
  int64_t asInt() const { return kind == Kind::Bool ? boolean : integer; }
  /// Int, Bool or Float.
  bool isNumber() const { return isIntLike() || kind == Kind::Float; }
  double asDouble() const {
    return kind == Kind::Float ? number : static_cast<double>(asInt());
  }
  bool isSequence() const { return kind == Kind::Tuple || kind == Kind::List; }
  /// A value that arithmetic emits code for (or keeps symbolic).
  bool isRuntime() const {
    return kind == Kind::Scalar || kind == Kind::Symbolic;
  }
  template <typename T> T &as() const {
    return *static_cast<T *>(object.get());
  }
  const std::string &text() const;
  std::vector<Value> &items() const;
};

struct StringObject : Object {
  std::string text;
};
struct SequenceObject : Object {
  std::vector<Value> items;
};
struct DictObject : Object {
  std::vector<std::pair<Value, Value>> entries;
};
/// `lo:hi:step`, absent parts are None.
struct SliceObject : Object {
  Value lower, upper, step;
};
struct RangeObject : Object {
  Value start, stop, step;
};

/// A run-time scalar: an SSA value, or a constant with a type.
struct ScalarObject : Object {
  mlir::Value value; // null: `constant` holds
  std::variant<int64_t, double> constant = int64_t(0);
  Dtype dtype;
  std::optional<Linear> linear; // of integers
  std::optional<Interval> range;

  bool isConstant() const { return !value; }
  double asDouble() const {
    if (auto *i = std::get_if<int64_t>(&constant))
      return static_cast<double>(*i);
    return std::get<double>(constant);
  }
};

/// A tensor parameter or an allocation.
struct BufferObject : Object {
  std::string name;
  mlir::Value value;
  Dtype dtype;
  std::vector<Value> shape; // Int or Symbolic
  tile::Space space = tile::Space::Global;
  bool isVar = false; // T.alloc_var: the name stands for the element
  llvm::SMRange range;
};

/// One dimension of a region: first coordinate, and size if it is known.
struct RegionDim {
  Value offset;
  std::optional<int64_t> size;
  bool isSlice = false;
};
struct RegionObject : Object {
  std::shared_ptr<BufferObject> buffer;
  std::vector<RegionDim> dims;
  bool isElement = false; // no slice among the subscripts
  llvm::SMRange range;

  std::vector<Value> offsets() const {
    std::vector<Value> result;
    for (const RegionDim &dim : dims)
      result.push_back(dim.offset);
    return result;
  }
};

struct TensorTypeObject : Object {
  std::vector<Value> shape;
  Dtype dtype;
};

enum class LoopKind : uint8_t {
  Serial,
  Unroll,
  Parallel,
  Pipelined,
  Grid,
  Persistent,
};
/// T.serial(...), T.Parallel(...): what a `for` runs over.
struct LoopObject : Object {
  LoopKind kind = LoopKind::Serial;
  Value start, stop, step;    // all but Parallel
  std::vector<Value> extents; // Parallel, Grid, Persistent
  int64_t stages = 0;         // Pipelined
};

struct KernelFrameObject : Object {
  std::vector<Value> grid;
  int64_t threads[3] = {128, 1, 1};
};

enum class FunctionKind : uint8_t { Plain, Macro, PrimFunc, Jit };
struct FunctionObject : Object {
  FunctionKind kind = FunctionKind::Plain;
  const ast::FunctionDef *def = nullptr; // or
  const ast::Lambda *lambda = nullptr;
  std::shared_ptr<Scope> closure;
  std::vector<Value> defaults; // one for each parameter, poison without

  llvm::StringRef name() const { return def ? def->name.name : "lambda"; }
  llvm::ArrayRef<ast::Parameter> params() const {
    return def ? def->params : lambda->params;
  }
  llvm::SMRange range() const { return def ? def->name.range : lambda->range; }
};

/// `value.name` before the call.
struct MethodObject : Object {
  Value self;
  std::string name;
};

enum class ModuleKind : uint8_t { Language, Tilelang, Math, Torch, Other };
struct ModuleObject : Object {
  ModuleKind kind = ModuleKind::Other;
  std::string name;
};
struct OpaqueObject : Object {
  std::string path;
};

/// "int", "a buffer", "a run-time int32": for messages.
std::string describe(const Value &value);
/// How Python's str() and repr() print a compile-time value.
std::string toString(const Value &value);
std::string toRepr(const Value &value);
/// Python's == on compile-time values; nothing if it is not decided.
bool equals(const Value &a, const Value &b);
/// Python's truth of a compile-time value; nothing for others.
std::optional<bool> truth(const Value &value);
/// The element type that a value names: a dtype or its name.
std::optional<Dtype> toDtype(const Value &value);
/// "[64, n + 1]".
std::string shapeText(llvm::ArrayRef<Value> shape);
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace tlc::frontend
