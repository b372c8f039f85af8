// Prelude entries and instructions written on demand.
#include "compiler/target/cuda/Prelude.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cassert>
#include <vector>

using namespace llvm;
using namespace tlc::cuda;

namespace tlc::cuda {
/// The embedded files, one after the other (written by CMake).
extern const char *const preludeText;
} // namespace tlc::cuda

namespace {
struct Entry {
  StringRef name, text;
  SmallVector<StringRef> needs;
};
struct Entries {
  std::vector<Entry> list;
  StringMap<size_t> index;

  Entries() {
    StringRef rest(preludeText);
    while (!rest.empty()) {
      auto [head, tail] = rest.split('\n');
      head.consume_front("//@ ");
      auto [name, needs] = head.split(" : ");
      size_t end = tail.find("//@ ");
      StringRef text = tail.take_front(end);
      rest = end == StringRef::npos ? StringRef() : tail.drop_front(end);
      Entry entry{name.trim(), text, {}};
      SplitString(needs, entry.needs);
      index[entry.name] = list.size();
      list.push_back(std::move(entry));
    }
  }
};
} // namespace

static const Entries &entries() {
  static const Entries all;
  return all;
}

void Prelude::use(StringRef name) {
  if (!used.try_emplace(name, true).second)
    return;
  auto it = entries().index.find(name);
  assert(it != entries().index.end() && "no such prelude entry");
  for (StringRef need : entries().list[it->second].needs)
    use(need);
}

bool Prelude::isReserved(StringRef name) {
  if (entries().index.contains(name) || name == "to_f32" ||
      name.starts_with("atomic_") || name.starts_with("wgmma_") ||
      name.starts_with("mma_") || name.starts_with("tma_"))
    return true;
  static const llvm::StringSet<> words = {
      "alignas",       "alignof",      "and",
      "and_eq",        "asm",          "auto",
      "bitand",        "bitor",        "bool",
      "break",         "case",         "catch",
      "char",          "char16_t",     "char32_t",
      "char8_t",       "class",        "co_await",
      "co_return",     "co_yield",     "compl",
      "concept",       "const",        "const_cast",
      "consteval",     "constexpr",    "constinit",
      "continue",      "decltype",     "default",
      "delete",        "do",           "double",
      "dynamic_cast",  "else",         "enum",
      "explicit",      "export",       "extern",
      "false",         "float",        "for",
      "friend",        "goto",         "if",
      "inline",        "int",          "long",
      "mutable",       "namespace",    "new",
      "noexcept",      "not",          "not_eq",
      "nullptr",       "operator",     "or",
      "or_eq",         "private",      "protected",
      "public",        "register",     "reinterpret_cast",
      "requires",      "return",       "short",
      "signed",        "sizeof",       "static",
      "static_assert", "static_cast",  "struct",
      "switch",        "template",     "this",
      "thread_local",  "throw",        "true",
      "try",           "typedef",      "typeid",
      "typename",      "union",        "unsigned",
      "using",         "virtual",      "void",
      "volatile",      "wchar_t",      "while",
      "xor",           "xor_eq",       "threadIdx",
      "blockIdx",      "blockDim",     "gridDim",
      "warpSize",      "min",          "max",
      "abs",           "shared_memory"};
  return words.contains(name);
}

void Prelude::print(raw_ostream &os) const {
  for (const Entry &entry : entries().list)
    if (used.contains(entry.name))
      os << entry.text;
  for (const auto &[name, text] : generated)
    os << text;
}

/// `%from` .. `%(to - 1)`, six a line would help nobody: one string.
static std::string operands(int64_t from, int64_t count) {
  std::string text = "{";
  for (int64_t i = 0; i < count; ++i)
    text += (i ? ", %" : "%") + itostr(from + i);
  return text + "}";
}

/// Names of the operands of `count` instructions, numbered if there are many,
/// each behind ", ", `reg` or `desc`, and before `after`.
static std::string wgmmaOperands(unsigned count, bool aInRegisters,
                                 StringRef reg, StringRef desc,
                                 StringRef after) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) {
    std::string number = count == 1 ? "" : utostr(i);
    if (aInRegisters)
      for (unsigned r = 0; r < 4; ++r)
        text += (", " + reg + "a" + number + (count == 1 ? "" : "_") +
                 utostr(r) + after)
                    .str();
    else
      text += (", " + desc + "a" + number + after).str();
    text += (", " + desc + "b" + number + after).str();
  }
  return text;
}

std::string Prelude::useWgmma(int64_t n, int64_t k, StringRef aType,
                              StringRef bType, bool aInRegisters, bool transA,
                              bool transB, unsigned count) {
  bool half = aType == "bf16" || aType == "f16";
  bool integer = aType == "s8" || aType == "u8";
  std::string name = "wgmma_m64n" + itostr(n) + "k" + itostr(k) + "_" +
                     aType.str() + (aType == bType ? "" : "_" + bType.str()) +
                     (aInRegisters ? "_rs" : "") +
                     (transA && transB ? "_tt"
                      : transA         ? "_tn"
                      : transB         ? "_nt"
                                       : "") +
                     (count == 1 ? "" : "_x" + utostr(count));
  if (generated.count(name))
    return name;
  use("u32");
  use("u64");
  int64_t regs = n / 2, at = regs, each = aInRegisters ? 5 : 2;
  std::string text;
  raw_string_ostream os(text);
  os << "__device__ __forceinline__ void " << name << "("
     << (integer ? "int" : "float") << " *d"
     << wgmmaOperands(count, aInRegisters, "u32 ", "u64 ", "")
     << ", int scale) {\n"
     << "  asm volatile(\"{\\n.reg .pred P;\\nsetp.ne.b32 P, %"
     << regs + each * count << ", 0;\\n\"\n";
  for (unsigned i = 0; i < count; ++i) {
    // What follows the first always adds to it.
    if (i == 1)
      os << "    \"setp.eq.b32 P, 0, 0;\\n\"\n";
    os << "    \"wgmma.mma_async.sync.aligned.m64n" << n << "k" << k
       << (integer ? ".s32." : ".f32.") << aType << "." << bType
       << " \"\n    \"" << operands(0, regs) << ", ";
    if (aInRegisters)
      os << operands(at, 4), at += 4;
    else
      os << "%" << at++;
    os << ", %" << at++ << ", P" << (integer ? "" : ", 1, 1");
    if (half) {
      if (!aInRegisters)
        os << ", " << transA;
      os << ", " << transB;
    }
    os << ";\\n" << (i + 1 == count ? "}\\n" : "") << "\"\n";
  }
  os << "    : ";
  for (int64_t i = 0; i < regs; ++i)
    os << (i == 0  ? ""
           : i % 8 ? ", "
                   : ",\n      ")
       << (integer ? "\"+r\"(d[" : "\"+f\"(d[") << i << "])";
  os << "\n    : "
     << StringRef(wgmmaOperands(count, aInRegisters, "\"r\"(", "\"l\"(", ")"))
            .drop_front(2)
     << ", \"r\"(scale));\n}\n";
  generated[name] = text;
  return name;
}

std::string Prelude::useMma(StringRef type, int64_t k) {
  std::string name = "mma_m16n8k" + itostr(k) + "_" + type.str();
  if (generated.count(name))
    return name;
  use("u32");
  std::string text;
  raw_string_ostream os(text);
  os << "__device__ __forceinline__ void " << name
     << "(float *d, u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {\n"
     << "  asm volatile(\"mma.sync.aligned.m16n8k" << k << ".row.col.f32."
     << type << "." << type << ".f32 \"\n"
     << "    \"{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};\"\n"
     << "    : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3])\n"
     << "    : \"r\"(a0), \"r\"(a1), \"r\"(a2), \"r\"(a3), \"r\"(b0), "
        "\"r\"(b1));\n}\n";
  generated[name] = text;
  return name;
}

/// `, int c0, int c1` and `{%from, ...}` of the coordinates.
static std::string coordinates(unsigned rank) {
  std::string text;
  for (unsigned i = 0; i < rank; ++i)
    text += ", int c" + utostr(i);
  return text;
}
static std::string coordinateInputs(unsigned rank) {
  std::string text;
  for (unsigned i = 0; i < rank; ++i)
    text += ", \"r\"(c" + utostr(i) + ")";
  return text;
}

std::string Prelude::useTmaLoad(unsigned rank) {
  std::string name = "tma_load_" + utostr(rank) + "d";
  if (generated.count(name))
    return name;
  use("u32");
  use("TensorMap");
  std::string text;
  raw_string_ostream os(text);
  os << "__device__ __forceinline__ void " << name
     << "(u32 dst, const TensorMap &map, u32 bar" << coordinates(rank)
     << ") {\n  asm volatile(\"cp.async.bulk.tensor." << rank
     << "d.shared::cluster.global.tile.mbarrier\"\n"
     << "    \"::complete_tx::bytes [%0], [%1, " << operands(3, rank)
     << "], [%2];\"\n    :: \"r\"(dst), \"l\"(&map), \"r\"(bar)"
     << coordinateInputs(rank) << " : \"memory\");\n}\n";
  generated[name] = text;
  return name;
}

std::string Prelude::useTmaStore(unsigned rank) {
  std::string name = "tma_store_" + utostr(rank) + "d";
  if (generated.count(name))
    return name;
  use("u32");
  use("TensorMap");
  std::string text;
  raw_string_ostream os(text);
  os << "__device__ __forceinline__ void " << name
     << "(u32 src, const TensorMap &map" << coordinates(rank)
     << ") {\n  asm volatile(\"cp.async.bulk.tensor." << rank
     << "d.global.shared::cta.tile.bulk_group \"\n"
     << "    \"[%1, " << operands(2, rank)
     << "], [%0];\"\n    :: \"r\"(src), \"l\"(&map)" << coordinateInputs(rank)
     << " : \"memory\");\n}\n";
  generated[name] = text;
  return name;
}
