// Every atomic that the language has, on every type and in every order: the
// text that is printed for it is accepted by NVRTC and ptxas.
#include "compiler/driver/Compiler.h"
#include "test/support/Catch.h"

#include "llvm/Support/raw_ostream.h"

using namespace tlc;

using Names = std::vector<std::string>;

static const Names integers = {"int32", "uint32", "int64", "uint64"};
static const Names floats = {"float16", "bfloat16", "float32", "float64"};

/// A kernel with one statement for each type and order that fits.
static std::string sourceFor(const std::string &name, bool shared,
                             bool returns) {
  bool load = name == "load", store = name == "store";
  Names orders = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
  if (load)
    orders = {"relaxed", "acquire", "seq_cst"};
  if (store)
    orders = {"relaxed", "release", "seq_cst"};
  Names types = integers;
  if (name == "add" || load || store)
    types.insert(types.end(), floats.begin(), floats.end());
  std::string params, allocs, body;
  for (const std::string &type : types) {
    if (shared && type.find("64") != std::string::npos)
      continue;
    std::string tensor = "G_" + type, target = shared ? "S_" + type : tensor;
    params += tensor + ": T.Tensor((256,), \"" + type + "\"), ";
    if (shared)
      allocs += "        " + target + " = T.alloc_shared((256,), \"" + type +
                "\")\n        T.clear(" + target + ")\n";
    for (const std::string &order : orders) {
      std::string call = "T.atomic_" + name + "(" + target + "[t + n]" +
                         (load ? "" : ", t") + ", memory_order=\"" + order +
                         "\"" +
                         (returns && !load ? ", return_prev=True)" : ")");
      body += "        " +
              (load || returns ? tensor + "[t + 1] = " : std::string()) + call +
              "\n";
    }
  }
  return "@T.prim_func\ndef f(" + params +
         "n: T.int32):\n    with T.Kernel(2, threads=(33, 2)) as b:\n"
         "        t = T.get_thread_binding(0)\n" +
         allocs + body;
}

TEST_CASE("atomics: every kind, type, order and space compiles") {
  for (const std::string name : {"add", "max", "min", "or", "load", "store"})
    for (bool shared : {false, true})
      for (bool returns : {false, true}) {
        if (returns && (name == "load" || name == "store"))
          continue;
        std::string source = sourceFor(name, shared, returns);
        INFO(source);
        Compilation compilation{CompileOptions()};
        compilation.setSource(source, "atomics.tl");
        Status status = compilation.compile(Level::Cubin);
        std::string text;
        llvm::raw_string_ostream os(text);
        compilation.diagnostics().print(os);
        INFO(text);
        CHECK((status == Status::Ok || status == Status::Environment));
      }
}
