// Element types as the language knows them: with a sign, which the values of
// the IR do not have. Promotion follows language.md 4.4.
#pragma once

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tlc::frontend {

enum class DtypeKind : uint8_t {
  Bool,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float8E4M3,
  Float8E5M2,
  Float16,
  BFloat16,
  TFloat32,
  Float32,
  Float64,
  Handle,
};

/// An element type. Value type.
struct Dtype {
  DtypeKind kind = DtypeKind::Int32;

  constexpr Dtype() = default;
  constexpr Dtype(DtypeKind kind) : kind(kind) {}
  /// The type of that name or alias ("half", "e4m3" ...).
  static std::optional<Dtype> fromName(llvm::StringRef name);
  /// Whether the language has an element type of that name that tlc lacks.
  static bool isKnownUnsupported(llvm::StringRef name);

  bool operator==(const Dtype &) const = default;
  llvm::StringRef name() const;
  unsigned bits() const;
  bool isBool() const { return kind == DtypeKind::Bool; }
  bool isSigned() const;
  bool isUnsigned() const;
  /// Signed or unsigned, not bool.
  bool isInt() const { return isSigned() || isUnsigned(); }
  bool isFloat() const;
  /// float16, float32, float64: the types of promotion rules 2 and 3.
  bool isStandardFloat() const;

  /// Element type of a memref: unsigned integers keep their sign.
  mlir::Type elementType(mlir::MLIRContext *context) const;
  /// Type of SSA values: integers are signless.
  mlir::Type scalarType(mlir::MLIRContext *context) const;
};

/// The common type of the operands of a binary operator.
Dtype promote(Dtype a, Dtype b);

} // namespace tlc::frontend
