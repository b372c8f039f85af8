// Construction, comparison and text of compile-time values.
#include "compiler/frontend/elaborate/Value.h"

#include "compiler/frontend/builtins/Builtins.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <charconv>
#include <cmath>

namespace tlc::frontend {

Value Value::ofBool(bool b) {
  Value v = ofKind(Kind::Bool);
  v.boolean = b;
  return v;
}
Value Value::ofInt(int64_t i) {
  Value v = ofKind(Kind::Int);
  v.integer = i;
  return v;
}
Value Value::ofFloat(double d) {
  Value v = ofKind(Kind::Float);
  v.number = d;
  return v;
}
Value Value::ofString(llvm::StringRef text) {
  StringObject object;
  object.text = text.str();
  return make(Kind::String, std::move(object));
}
Value Value::ofDtype(Dtype dtype) {
  Value v = ofKind(Kind::Dtype);
  v.dtype = dtype;
  return v;
}
Value Value::ofTuple(std::vector<Value> items) {
  SequenceObject object;
  object.items = std::move(items);
  return make(Kind::Tuple, std::move(object));
}
Value Value::ofList(std::vector<Value> items) {
  Value v = ofTuple(std::move(items));
  v.kind = Kind::List;
  return v;
}
Value Value::ofSymbolic(mlir::AffineExpr expr) {
  if (auto constant = llvm::dyn_cast<mlir::AffineConstantExpr>(expr))
    return ofInt(constant.getValue());
  Value v = ofKind(Kind::Symbolic);
  v.symbolic = expr;
  return v;
}
Value Value::ofBuiltin(const tlc::frontend::Builtin *builtin) {
  Value v = ofKind(Kind::Builtin);
  v.builtin = builtin;
  return v;
}
Value Value::ofObject(Kind kind, std::shared_ptr<Object> object) {
  Value v = ofKind(kind);
  v.object = std::move(object);
  return v;
}

const std::string &Value::text() const { return as<StringObject>().text; }
std::vector<Value> &Value::items() const { return as<SequenceObject>().items; }

std::string describe(const Value &value) {
  switch (value.kind) {
  case Kind::Poison:
    return "an invalid value";
  case Kind::None:
    return "None";
  case Kind::Bool:
    return value.boolean ? "True" : "False";
  case Kind::Int:
    return "the int " + std::to_string(value.integer);
  case Kind::Float:
    return "the float " + toString(value);
  case Kind::String:
    return "the string " + toRepr(value);
  case Kind::Dtype:
    return "the element type " + value.dtype.name().str();
  case Kind::Ellipsis:
    return "'...'";
  case Kind::Tuple:
    return "a tuple";
  case Kind::List:
    return "a list";
  case Kind::Dict:
    return "a dict";
  case Kind::Slice:
    return "a slice";
  case Kind::Range:
    return "a range";
  case Kind::Symbolic:
    return "a size known at launch";
  case Kind::Scalar:
    return "a run-time " + value.as<ScalarObject>().dtype.name().str();
  case Kind::Buffer:
    return "the buffer '" + value.as<BufferObject>().name + "'";
  case Kind::Region:
    return "a region of '" + value.as<RegionObject>().buffer->name + "'";
  case Kind::TensorType:
    return "a tensor type";
  case Kind::Loop:
    return "a loop range";
  case Kind::KernelFrame:
    return "T.Kernel(...)";
  case Kind::Function:
    return "the function '" + value.as<FunctionObject>().name().str() + "'";
  case Kind::Method:
    return "the method '" + value.as<MethodObject>().name + "'";
  case Kind::Builtin:
    return "'" + value.builtin->fullName() + "'";
  case Kind::Module:
    return "the module '" + value.as<ModuleObject>().name + "'";
  case Kind::Opaque:
    return "'" + value.as<OpaqueObject>().path + "'";
  }
  return "a value";
}

static std::string floatText(double d) {
  if (std::isinf(d))
    return d < 0 ? "-inf" : "inf";
  if (std::isnan(d))
    return "nan";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, d).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".en") == std::string::npos)
    text += ".0";
  return text;
}

static std::string joined(llvm::ArrayRef<Value> items, llvm::StringRef open,
                          llvm::StringRef close) {
  std::string text = open.str();
  for (auto [i, item] : llvm::enumerate(items))
    text += (i ? ", " : "") + toRepr(item);
  return text + close.str();
}

std::string toString(const Value &value) {
  switch (value.kind) {
  case Kind::None:
    return "None";
  case Kind::Bool:
    return value.boolean ? "True" : "False";
  case Kind::Int:
    return std::to_string(value.integer);
  case Kind::Float:
    return floatText(value.number);
  case Kind::String:
    return value.text();
  case Kind::Dtype:
    return value.dtype.name().str();
  case Kind::Tuple:
    return joined(value.items(), "(", value.items().size() == 1 ? ",)" : ")");
  case Kind::List:
    return joined(value.items(), "[", "]");
  case Kind::Symbolic: {
    std::string text;
    llvm::raw_string_ostream(text) << value.symbolic;
    return text;
  }
  default:
    return describe(value);
  }
}

std::string toRepr(const Value &value) {
  if (value.is(Kind::String))
    return "'" + value.text() + "'";
  return toString(value);
}

static bool equalItems(llvm::ArrayRef<Value> a, llvm::ArrayRef<Value> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return equals(std::get<0>(pair), std::get<1>(pair));
         });
}

bool equals(const Value &a, const Value &b) {
  if (a.isNumber() && b.isNumber()) {
    if (a.isIntLike() && b.isIntLike())
      return a.asInt() == b.asInt();
    return a.asDouble() == b.asDouble();
  }
  // A dtype equals its names.
  if (a.is(Kind::Dtype) && b.is(Kind::String))
    return toDtype(b) == a.dtype;
  if (b.is(Kind::Dtype) && a.is(Kind::String))
    return toDtype(a) == b.dtype;
  if (a.kind != b.kind)
    return false;
  switch (a.kind) {
  case Kind::None:
  case Kind::Ellipsis:
    return true;
  case Kind::String:
    return a.text() == b.text();
  case Kind::Dtype:
    return a.dtype == b.dtype;
  case Kind::Tuple:
  case Kind::List:
    return equalItems(a.items(), b.items());
  case Kind::Symbolic:
    return a.symbolic == b.symbolic;
  case Kind::Builtin:
    return a.builtin == b.builtin;
  default:
    return a.object == b.object;
  }
}

std::optional<bool> truth(const Value &value) {
  switch (value.kind) {
  case Kind::None:
    return false;
  case Kind::Bool:
    return value.boolean;
  case Kind::Int:
    return value.integer != 0;
  case Kind::Float:
    return value.number != 0;
  case Kind::String:
    return !value.text().empty();
  case Kind::Tuple:
  case Kind::List:
    return !value.items().empty();
  case Kind::Dict:
    return !value.as<DictObject>().entries.empty();
  case Kind::Dtype:
  case Kind::Ellipsis:
  case Kind::TensorType:
  case Kind::Function:
  case Kind::Method:
  case Kind::Builtin:
  case Kind::Module:
    return true;
  default:
    return std::nullopt;
  }
}

std::optional<Dtype> toDtype(const Value &value) {
  if (value.is(Kind::Dtype))
    return value.dtype;
  if (value.is(Kind::String))
    return Dtype::fromName(value.text());
  if (value.is(Kind::Builtin)) // int, float and bool as types
    return Dtype::fromName(value.builtin->name);
  return std::nullopt;
}

std::string shapeText(llvm::ArrayRef<Value> shape) {
  return joined(shape, "[", "]");
}

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os);
  os << ']';
  return text;
}

} // namespace tlc::frontend
