// Reads the log of `ptxas -v`. Each kernel has its own section:
//
//   ptxas info    : Compiling entry function 'k' for 'sm_90a'
//   ptxas info    : Function properties for k
//   ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes ...
//   ptxas info    : Used 8 registers, used 1 barriers, 256 bytes smem
//
// Properties of device functions that were not inlined stand inside the section
// of the kernel that calls them; only lines about the kernel itself count, and
// names are compared whole.
#include "compiler/target/nvrtc/Nvrtc.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tlc::nvrtc {
namespace {

/// The number before `unit` in one item of a comma-separated list, as in
/// "216 bytes stack frame", or nothing.
std::optional<std::int64_t> figure(StringRef item, StringRef unit) {
  item = item.trim();
  item.consume_front("used ");
  item.consume_front("Used ");
  std::int64_t value = 0;
  if (!item.consume_back(unit) || item.trim().getAsInteger(10, value))
    return std::nullopt;
  return value;
}

void assign(std::optional<std::int64_t> &target, StringRef item,
            StringRef unit) {
  if (std::optional<std::int64_t> value = figure(item, unit))
    target = value;
}

SmallVector<StringRef> items(StringRef list) {
  SmallVector<StringRef> result;
  list.split(result, ',');
  return result;
}

void readProperties(StringRef list, KernelUsage &usage) {
  for (StringRef item : items(list)) {
    assign(usage.stackBytes, item, "bytes stack frame");
    assign(usage.spillStoreBytes, item, "bytes spill stores");
    assign(usage.spillLoadBytes, item, "bytes spill loads");
  }
}

void readUsed(StringRef list, KernelUsage &usage) {
  for (StringRef item : items(list)) {
    assign(usage.registers, item, "registers");
    assign(usage.barriers, item, "barriers");
    assign(usage.staticSharedBytes, item, "bytes smem");
    // "640 bytes cmem[0]": several banks, one figure.
    auto [size, bank] = item.split(" cmem[");
    if (bank.empty())
      continue;
    if (std::optional<std::int64_t> value = figure(size, "bytes"))
      usage.constantBytes = usage.constantBytes.value_or(0) + *value;
  }
}

/// The text after the first `key` in `line`, or nothing.
std::optional<StringRef> after(StringRef line, StringRef key) {
  std::size_t at = line.find(key);
  if (at == StringRef::npos)
    return std::nullopt;
  return line.substr(at + key.size());
}

bool isCode(StringRef text) {
  return text.size() == 5 && text[0] == 'C' &&
         llvm::all_of(text.drop_front(), llvm::isDigit);
}

} // namespace

std::vector<KernelUsage> parseUsage(StringRef log) {
  std::vector<KernelUsage> records;
  bool inProperties = false; // of the kernel itself
  for (StringRef line : llvm::split(log, '\n')) {
    line = line.rtrim();
    if (auto rest = after(line, "Compiling entry function '")) {
      records.emplace_back().symbol = rest->split('\'').first.str();
      inProperties = false;
      continue;
    }
    if (records.empty())
      continue;
    KernelUsage &current = records.back();
    if (auto name = after(line, "Function properties for ")) {
      inProperties = name->trim() == current.symbol;
      continue;
    }
    if (line.contains("bytes stack frame")) {
      line.consume_front("ptxas");
      if (inProperties)
        readProperties(line.ltrim(" ."), current);
      inProperties = false;
    } else if (auto rest = after(line, ": Used ")) {
      readUsed(*rest, current);
    }
  }
  return records;
}

std::vector<PtxasWarning> parseWarnings(StringRef log) {
  std::vector<PtxasWarning> warnings;
  for (StringRef line : llvm::split(log, '\n')) {
    line = line.rtrim();
    if (!line.starts_with("ptxas"))
      continue;
    PtxasWarning warning;
    if (auto rest = after(line, " (")) {
      StringRef code = rest->split(')').first;
      if (isCode(code)) {
        warning.code = code.str();
        warning.text = rest->split(')').second.trim().str();
      }
    }
    if (warning.code.empty()) {
      auto [head, text] = line.split(':');
      if (head.contains("warning"))
        warning.text = text.trim().str();
    }
    if (!warning.text.empty())
      warnings.push_back(std::move(warning));
  }
  return warnings;
}

} // namespace tlc::nvrtc
