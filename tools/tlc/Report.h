// The resource report of `tlc compile --report[=json]`.
#pragma once

#include "compiler/driver/Compiler.h"

namespace tlc::cli {

enum class ReportFormat { None, Table, Json };

/// One entry for each device function, in launch order, under the name of its
/// kernel; its figures are what ptxas said of that function alone. A figure
/// that nothing reported is "?" in the table and null in JSON:
///
///   { "kernels": [
///       { "kernel": "gemm", "symbol": "gemm_kernel", "cooperative": false,
///         "threads": 384, "registers": 168, "spill_store_bytes": 0,
///         "spill_load_bytes": 0, "stack_bytes": 0,
///         "static_shared_bytes": null, "dynamic_shared_bytes": 197632,
///         "barriers": 1 } ],
///     "warnings": [ { "kernel": "gemm", "code": "C7510", "text": "..." } ] }
///
/// The members of an object come sorted by name.
void printReport(const std::vector<CompiledKernel> &kernels,
                 ReportFormat format, llvm::raw_ostream &os);

} // namespace tlc::cli
