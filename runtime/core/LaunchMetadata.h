// What a cubin needs to be launched: parameters, dynamic sizes, and for each
// device function its grid, block and how its arguments are made. Stored as
// `k.json` beside `k.cubin`, written by the compiler, read here. Version 2;
// a file without "workspaces" has version 1 and is otherwise the same:
//
//   { "version": 2,
//     "target": "sm_90a",
//     "name": "gemm",                         name of the prim_func
//     "params": [                             in the order launch takes them
//       { "name": "A", "kind": "tensor", "dtype": "bfloat16",
//         "shape": [EXPR...],
//         "strides": [EXPR...],               optional, elements:
//         T.StridedTensor "access": "r" | "w" | "rw" | "none" },
//       { "name": "n", "kind": "scalar", "dtype": "int32" },
//       { "name": "p", "kind": "handle" } ],  a raw device address
//     "symbols": [ { "name": "M" }... ],      dynamic sizes, solved from tensor
//                                             extents and strides
//     "outputs": ["C"],                       optional: tensors that `call`
//                                             allocates, in the order in which
//                                             it returns them
//     "workspaces": [                         optional: T.alloc_global, tensors
//       { "name": "W", "dtype": "float32",    that belong to one call and to
//         "shape": [EXPR...] } ],             all of its launches
//     "launches": [                           enqueued in this order
//       { "symbol": "gemm_kernel",            name of the device function
//         "grid": [EXPR, EXPR, EXPR], "block": [x, y, z],
//         "cluster": [x, y, z],               optional, default [1, 1, 1]
//         "shared_bytes": N,                  dynamic shared memory
//         "cooperative": false,
//         "args": [                           in the order of the function
//           { "kind": "pointer", "param": "A",
//             "alignment": 16 },                   bytes; optional, default 1
//           { "kind": "pointer", "workspace": "W" }, as "param", of a workspace
//           { "kind": "scalar", "param": "x", "dtype": "float32" },
//           { "kind": "scalar", "expr": EXPR, "dtype": "int32" },
//           { "kind": "tensormap", "param": "A",     or "workspace": "W"
//             "dtype": "bfloat16", "rank": 2,
//             "global_dims": [EXPR...],            innermost first, elements
//             "global_strides_bytes": [EXPR...],   rank - 1, from dimension 1
//             "box": [ints], "element_strides": [ints],  innermost first
//             "swizzle": "none" | "32B" | "64B" | "128B",
//             "l2_promotion": "none" | "64B" | "128B" | "256B",
//             "oob_fill": "zero",
//             "base_offset_bytes": EXPR },         optional, default 0
//           { "kind": "workspace", "bytes": EXPR, "zero": false } ] } ],
//     "resources": {                          optional; absent figure = unknown
//       "gemm_kernel": { "registers": 168, "spill_store_bytes": 0,
//         "spill_load_bytes": 0, "stack_bytes": 0, "static_shared_bytes": 0,
//         "constant_bytes": 640, "barriers": 1 } } }
//
//   EXPR = integer | "name of a symbol or of an integer scalar parameter"
//        | ["+" | "-" | "*" | "floordiv" | "mod" | "ceildiv" | "min" | "max",
//           EXPR, EXPR]
//
// A "workspace" argument is device memory of that size which is private to one
// launch of one device function: launches that overlap, and graph nodes, share
// none. An entry of "workspaces" is compact row-major memory, undefined at the
// start of the call, that its launches have in common and no other call has.
// "cooperative": all blocks are on the device at once, or the launch is
// refused. Unknown keys are errors: a newer file says so by its version.
#pragma once

#include "runtime/core/Expr.h"
#include "tlc/Kernel.h"
#include "tlc/Tensor.h"

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tlc::rt {

enum class ParamKind : std::uint8_t { Tensor, Scalar, Handle };
enum class Access : std::uint8_t { None, Read, Write, ReadWrite };

struct ParamInfo {
  std::string name;
  ParamKind kind = ParamKind::Tensor;
  DType dtype = DType::Float32;
  std::vector<Expr> shape;
  std::vector<Expr> strides; ///< empty: compact row-major
  Access access = Access::ReadWrite;
};

/// Of a tensor parameter or, if that is empty, of a workspace of the call.
struct PointerArg {
  std::string param;
  /// The address must be a multiple of this many bytes: accesses rely on it.
  std::uint32_t alignment = 1;
  std::string workspace = {};
};

/// A scalar parameter converted to `dtype`, or an expression when `param` is
/// empty.
struct ScalarArg {
  std::string param;
  Expr expr;
  DType dtype = DType::Int32;
};

enum class Swizzle : std::uint8_t { None, B32, B64, B128 };
enum class L2Promotion : std::uint8_t { None, B64, B128, B256 };

/// The inputs of cuTensorMapEncodeTiled; every list is innermost first. Of a
/// tensor parameter or, if that is empty, of a workspace of the call.
struct TensorMapArg {
  std::string param;
  DType dtype = DType::Float32;
  std::vector<Expr> globalDims;
  std::vector<Expr> globalStridesBytes;
  std::vector<std::uint32_t> box;
  std::vector<std::uint32_t> elementStrides;
  Swizzle swizzle = Swizzle::None;
  L2Promotion l2Promotion = L2Promotion::None;
  Expr baseOffsetBytes;
  std::string workspace = {};
};

/// A tensor that is allocated for one call.
struct WorkspaceInfo {
  std::string name;
  DType dtype = DType::Float32;
  std::vector<Expr> shape; ///< compact row-major
};

/// Memory of one launch.
struct WorkspaceArg {
  Expr bytes;
  bool zero = false;
};

using LaunchArg =
    std::variant<PointerArg, ScalarArg, TensorMapArg, WorkspaceArg>;

struct LaunchInfo {
  std::string symbol;
  std::array<Expr, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{1, 1, 1};
  std::uint32_t sharedBytes = 0;
  bool cooperative = false;
  std::vector<LaunchArg> args;
};

struct LaunchMetadata {
  std::string target;
  std::string name;
  std::vector<ParamInfo> params;
  std::vector<std::string> symbols;
  std::vector<std::string> outputs; ///< out_idx or T.empty
  std::vector<WorkspaceInfo> workspaces;
  std::vector<LaunchInfo> launches;
  std::vector<KernelResources> resources;

  /// Position of the parameter called `name`, or -1.
  int paramIndex(std::string_view name) const;
  /// Position of the workspace called `name`, or -1.
  int workspaceIndex(std::string_view name) const;
};

/// Reads versions 1 and 2 of the format. Throws tlc::Error (Io) that names
/// `source` (a file name or "metadata"), the place and the reason; every name
/// used must be declared, every rank must fit.
LaunchMetadata parseMetadata(std::string_view text, const std::string &source);
/// Reads the file `path`.
LaunchMetadata readMetadata(const std::string &path);
/// The text of the format: two-space indented, keys in the order above, so that
/// equal metadata gives equal bytes.
std::string writeMetadata(const LaunchMetadata &metadata);

} // namespace tlc::rt
