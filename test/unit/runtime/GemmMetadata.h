// Launch metadata of a plausible GEMM, typed by hand from the description of
// the format: C[M, N] = alpha * A[M, 128] B[128, N].
#pragma once

namespace tlc::test {

inline constexpr char kGemmJson[] = R"json({
  "version": 1, "target": "sm_90a", "name": "gemm",
  "params": [
    {"name": "A", "kind": "tensor", "dtype": "bfloat16", "shape": ["M", 128],
     "access": "r"},
    {"name": "B", "kind": "tensor", "dtype": "bfloat16", "shape": [128, "N"],
     "access": "r"},
    {"name": "C", "kind": "tensor", "dtype": "float32", "shape": ["M", "N"],
     "access": "w"},
    {"name": "alpha", "kind": "scalar", "dtype": "float32"}],
  "symbols": [{"name": "M"}, {"name": "N"}],
  "launches": [
    {"symbol": "gemm_kernel",
     "grid": [["ceildiv", "N", 128], ["ceildiv", "M", 128], 1],
     "block": [384, 1, 1], "shared_bytes": 197632, "cooperative": false,
     "args": [
       {"kind": "tensormap", "param": "A", "dtype": "bfloat16", "rank": 2,
        "global_dims": [128, "M"], "global_strides_bytes": [256],
        "box": [64, 128], "element_strides": [1, 1], "swizzle": "128B",
        "l2_promotion": "256B", "oob_fill": "zero"},
       {"kind": "pointer", "param": "C"},
       {"kind": "scalar", "param": "alpha", "dtype": "float32"},
       {"kind": "scalar", "expr": "M", "dtype": "int32"}]}],
  "resources": {
    "gemm_kernel": {"registers": 168, "spill_store_bytes": 0}}
})json";

} // namespace tlc::test
