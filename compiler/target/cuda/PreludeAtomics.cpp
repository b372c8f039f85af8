// Atomics, written on demand (PTX ISA, atom): operation, type, order and space.
#include "compiler/target/cuda/KernelEmitter.h"

using namespace llvm;
using namespace tlc::cuda;

namespace {
/// How an element goes into an instruction.
struct Operand {
  std::string ptx;       ///< type of the instruction
  char constraint;       ///< of inline assembly
  std::string cpp;       ///< type of the parameter
  std::string raw, bits; ///< of 16-bit floats: the word and its member
};
} // namespace

static Operand operandOf(StringRef kind, mlir::Type element) {
  std::string cpp = typeName(element), width = itostr(bitsOf(element));
  bool moves = kind == "load" || kind == "store" || kind == "or";
  if (element.isF16() || element.isBF16())
    return {moves             ? "b16"
            : element.isF16() ? "noftz.f16"
                              : "noftz.bf16",
            'h', cpp, "u16", ".bits"};
  if (element.isF32())
    return {moves ? "b32" : "f32", 'f', cpp, "", ""};
  if (element.isF64())
    return {moves ? "b64" : "f64", 'd', cpp, "", ""};
  char constraint = bitsOf(element) == 64 ? 'l' : 'r';
  // A sum has the same bits with and without sign.
  bool isSigned = !element.isUnsignedInteger() && kind != "add";
  return {moves ? "b" + width : (isSigned ? "s" : "u") + width, constraint, cpp,
          "", ""};
}

std::string Prelude::useAtomic(StringRef kind, mlir::Type element,
                               StringRef order, bool shared) {
  Operand type = operandOf(kind, element);
  std::string suffix = type.cpp;
  for (char &c : suffix)
    c = c == ' ' ? '_' : c;
  std::string name =
      ("atomic_" + kind + "_" + order + (shared ? "_shared_" : "_") + suffix)
          .str();
  if (generated.count(name))
    return name;
  for (StringRef entry : {"u32", "u16", "u64", "f16", "bf16"})
    if (type.cpp == entry || type.raw == entry || (shared && entry == "u32"))
      use(entry);
  bool load = kind == "load", store = kind == "store",
       fence = order == "seq_cst";
  // Sequential consistency is a fence before and half of the order.
  std::string half = !fence ? order.str() : store ? "relaxed" : "acquire";
  std::string scope = shared ? "cta.shared" : "gpu.global";
  std::string instruction =
      load    ? "ld." + half + "." + scope
      : store ? "st." + half + "." + scope
              : "atom." + half + "." + scope + "." + kind.str();
  std::string c(1, type.constraint);
  std::string text;
  raw_string_ostream os(text);
  os << "__device__ __forceinline__ " << (store ? "void" : type.cpp) << " "
     << name << "(" << (shared ? "u32 p" : "void *p")
     << (load ? "" : ", " + type.cpp + " v") << ") {\n";
  if (!store)
    os << "  " << (type.raw.empty() ? type.cpp : type.raw) << " r;\n";
  if (fence)
    os << "  asm volatile(\"fence.sc." << (shared ? "cta" : "gpu")
       << ";\" ::: \"memory\");\n";
  os << "  asm volatile(\"" << instruction << "." << type.ptx << " "
     << (load    ? "%0, [%1];"
         : store ? "[%0], %1;"
                 : "%0, [%1], %2;")
     << "\"\n               : ";
  if (!store)
    os << "\"=" << c << "\"(r) ";
  os << ": \"" << (shared ? "r" : "l") << "\"(p)";
  if (!load)
    os << ", \"" << c << "\"(v" << type.bits << ")";
  os << " : \"memory\");\n";
  if (!store)
    os << "  return " << (type.raw.empty() ? "r" : type.cpp + "{r}") << ";\n";
  os << "}\n";
  generated[name] = text;
  return name;
}
