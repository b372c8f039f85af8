// Names, sizes and promotion of element types.
#include "compiler/frontend/elaborate/Dtype.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSwitch.h"

namespace tlc::frontend {

using K = DtypeKind;

std::optional<Dtype> Dtype::fromName(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Dtype>>(name)
      .Case("bool", Dtype(K::Bool))
      .Case("int8", Dtype(K::Int8))
      .Cases({"int16", "short"}, Dtype(K::Int16))
      .Cases({"int32", "int"}, Dtype(K::Int32))
      .Cases({"int64", "long"}, Dtype(K::Int64))
      .Case("uint8", Dtype(K::UInt8))
      .Cases({"uint16", "ushort"}, Dtype(K::UInt16))
      .Cases({"uint32", "uint"}, Dtype(K::UInt32))
      .Cases({"uint64", "ulong"}, Dtype(K::UInt64))
      .Cases({"float8_e4m3fn", "float8_e4m3", "e4m3"}, Dtype(K::Float8E4M3))
      .Cases({"float8_e5m2", "e5m2"}, Dtype(K::Float8E5M2))
      .Cases({"float16", "half"}, Dtype(K::Float16))
      .Case("bfloat16", Dtype(K::BFloat16))
      .Cases({"tfloat32", "tf32"}, Dtype(K::TFloat32))
      .Cases({"float32", "float"}, Dtype(K::Float32))
      .Cases({"float64", "double"}, Dtype(K::Float64))
      .Case("handle", Dtype(K::Handle))
      .Default(std::nullopt);
}

bool Dtype::isKnownUnsupported(llvm::StringRef name) {
  // Vector forms: <scalar>x<lanes>.
  auto [base, lanes] = name.rsplit('x');
  unsigned count;
  if (!lanes.empty() && !lanes.getAsInteger(10, count) &&
      (fromName(base) || isKnownUnsupported(base)))
    return true;
  return llvm::StringSwitch<bool>(name)
      .Cases({"int4", "uint4", "float4_e2m1fn"}, true)
      .Cases({"float6_e2m3fn", "float6_e3m2fn"}, true)
      .Cases({"float8_e8m0fnu", "float8_e4m3fnuz", "float8_e5m2fnuz"}, true)
      .Cases({"e8m0fnu", "e4m3fnuz", "e5m2fnuz", "float8_e4m3b11fnuz"}, true)
      .Cases({"int1", "uint1", "int2", "uint2"}, true)
      .Default(false);
}

llvm::StringRef Dtype::name() const {
  switch (kind) {
  case K::Bool:
    return "bool";
  case K::Int8:
    return "int8";
  case K::Int16:
    return "int16";
  case K::Int32:
    return "int32";
  case K::Int64:
    return "int64";
  case K::UInt8:
    return "uint8";
  case K::UInt16:
    return "uint16";
  case K::UInt32:
    return "uint32";
  case K::UInt64:
    return "uint64";
  case K::Float8E4M3:
    return "float8_e4m3fn";
  case K::Float8E5M2:
    return "float8_e5m2";
  case K::Float16:
    return "float16";
  case K::BFloat16:
    return "bfloat16";
  case K::TFloat32:
    return "tfloat32";
  case K::Float32:
    return "float32";
  case K::Float64:
    return "float64";
  case K::Handle:
    return "handle";
  }
  return "";
}

unsigned Dtype::bits() const {
  switch (kind) {
  case K::Bool:
  case K::Int8:
  case K::UInt8:
  case K::Float8E4M3:
  case K::Float8E5M2:
    return 8;
  case K::Int16:
  case K::UInt16:
  case K::Float16:
  case K::BFloat16:
    return 16;
  case K::Int32:
  case K::UInt32:
  case K::Float32:
  case K::TFloat32:
    return 32;
  case K::Int64:
  case K::UInt64:
  case K::Float64:
  case K::Handle:
    return 64;
  }
  return 0;
}

bool Dtype::isSigned() const { return kind >= K::Int8 && kind <= K::Int64; }
bool Dtype::isUnsigned() const { return kind >= K::UInt8 && kind <= K::UInt64; }
bool Dtype::isFloat() const {
  return kind >= K::Float8E4M3 && kind <= K::Float64;
}
bool Dtype::isStandardFloat() const {
  return kind == K::Float16 || kind == K::Float32 || kind == K::Float64;
}

mlir::Type Dtype::scalarType(mlir::MLIRContext *context) const {
  switch (kind) {
  case K::Bool:
    return mlir::IntegerType::get(context, 1);
  case K::Float8E4M3:
    return mlir::Float8E4M3FNType::get(context);
  case K::Float8E5M2:
    return mlir::Float8E5M2Type::get(context);
  case K::Float16:
    return mlir::Float16Type::get(context);
  case K::BFloat16:
    return mlir::BFloat16Type::get(context);
  case K::TFloat32:
    return mlir::FloatTF32Type::get(context);
  case K::Float32:
    return mlir::Float32Type::get(context);
  case K::Float64:
    return mlir::Float64Type::get(context);
  default:
    return mlir::IntegerType::get(context, bits());
  }
}

mlir::Type Dtype::elementType(mlir::MLIRContext *context) const {
  if (isUnsigned())
    return mlir::IntegerType::get(context, bits(), mlir::IntegerType::Unsigned);
  return scalarType(context);
}

Dtype promote(Dtype a, Dtype b) {
  if (a == b)
    return a;
  if (a.isStandardFloat() && b.isStandardFloat())
    return a.bits() >= b.bits() ? a : b;
  if (a.isStandardFloat())
    return a;
  if (b.isStandardFloat())
    return b;
  if (a.isFloat() && b.isFloat())
    return a.bits() >= b.bits() ? a : b;
  if (a.isFloat())
    return a;
  if (b.isFloat())
    return b;
  if (a.isBool())
    return b;
  if (b.isBool())
    return a;
  if (a.bits() != b.bits())
    return a.bits() > b.bits() ? a : b;
  return a.isUnsigned() ? a : b;
}

} // namespace tlc::frontend
