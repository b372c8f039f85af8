#include "tools/tlc/Report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tlc::cli {

using Row = std::vector<std::string>;

static std::string text(const std::optional<int64_t> &figure) {
  return figure ? std::to_string(*figure) : "?";
}

/// What was said of `function`, whose name is compared whole.
static nvrtc::KernelUsage usageOf(const CompiledKernel &kernel,
                                  const cuda::KernelSignature &function) {
  for (const nvrtc::KernelUsage &candidate : kernel.usage)
    if (candidate.symbol == function.symbol)
      return candidate;
  return {};
}

static Row makeRow(const CompiledKernel &kernel,
                   const cuda::KernelSignature &function) {
  const nvrtc::KernelUsage usage = usageOf(kernel, function);
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

static void printTable(const std::vector<CompiledKernel> &kernels,
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

static llvm::json::Value number(const std::optional<int64_t> &figure) {
  return figure ? llvm::json::Value(*figure) : llvm::json::Value(nullptr);
}

static llvm::json::Object makeEntry(const CompiledKernel &kernel,
                                    const cuda::KernelSignature &function) {
  const nvrtc::KernelUsage usage = usageOf(kernel, function);
  return llvm::json::Object{
      {"kernel", kernel.name},
      {"symbol", function.symbol},
      {"cooperative", function.cooperative},
      {"threads", function.threads},
      {"registers", number(usage.registers)},
      {"spill_store_bytes", number(usage.spillStoreBytes)},
      {"spill_load_bytes", number(usage.spillLoadBytes)},
      {"stack_bytes", number(usage.stackBytes)},
      {"static_shared_bytes", number(usage.staticSharedBytes)},
      {"dynamic_shared_bytes", function.sharedBytes},
      {"barriers", number(usage.barriers)}};
}

static void printJson(const std::vector<CompiledKernel> &kernels,
                      llvm::raw_ostream &os) {
  llvm::json::Array entries, warnings;
  for (const CompiledKernel &kernel : kernels) {
    for (const cuda::KernelSignature &function : kernel.functions)
      entries.push_back(makeEntry(kernel, function));
    for (const nvrtc::PtxasWarning &warning : kernel.warnings)
      warnings.push_back(llvm::json::Object{{"kernel", kernel.name},
                                            {"code", warning.code},
                                            {"text", warning.text}});
  }
  llvm::json::Value report = llvm::json::Object{
      {"kernels", std::move(entries)}, {"warnings", std::move(warnings)}};
  os << llvm::formatv("{0:2}", report) << "\n";
}

void printReport(const std::vector<CompiledKernel> &kernels,
                 ReportFormat format, llvm::raw_ostream &os) {
  if (format == ReportFormat::Json)
    printJson(kernels, os);
  else if (format == ReportFormat::Table)
    printTable(kernels, os);
}

} // namespace tlc::cli
