#include "tools/tlc/Report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc::cli {

using Row = std::vector<std::string>;

static std::string text(const std::optional<int64_t> &figure) {
  return figure ? std::to_string(*figure) : "?";
}

static Row makeRow(const CompiledKernel &kernel,
                   const cuda::KernelSignature &function) {
  nvrtc::KernelUsage usage;
  for (const nvrtc::KernelUsage &candidate : kernel.usage)
    if (candidate.symbol == function.symbol)
      usage = candidate;
  // A kernel with one launch goes by its own name.
  std::string name =
      kernel.functions.size() == 1 ? kernel.name : function.symbol;
  return {name,
          std::to_string(function.threads),
          text(usage.registers),
          text(usage.spillStoreBytes),
          text(usage.spillLoadBytes),
          text(usage.stackBytes),
          text(usage.staticSharedBytes),
          std::to_string(function.sharedBytes),
          text(usage.barriers)};
}

void printReport(const std::vector<CompiledKernel> &kernels,
                 llvm::raw_ostream &os) {
  std::vector<Row> rows = {{"kernel", "threads", "registers", "spill stores",
                            "spill loads", "stack", "static shared",
                            "dynamic shared", "barriers"}};
  for (const CompiledKernel &kernel : kernels)
    for (const cuda::KernelSignature &function : kernel.functions)
      rows.push_back(makeRow(kernel, function));
  std::vector<size_t> widths(rows[0].size());
  for (const Row &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const Row &row : rows) {
    os << llvm::left_justify(row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i)
      os << "  " << llvm::right_justify(row[i], widths[i]);
    os << "\n";
  }
  os << "spills, stack and shared memory in bytes; ? = not reported\n";
  for (const CompiledKernel &kernel : kernels)
    for (const nvrtc::PtxasWarning &warning : kernel.warnings)
      os << kernel.name << ": ptxas: " << warning.text << "\n";
}

} // namespace tlc::cli
