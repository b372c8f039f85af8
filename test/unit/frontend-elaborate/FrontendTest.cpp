// The front end's interface: which kernels a file has, -D values, locations.
#include "compiler/frontend/Frontend.h"
#include "dialects/tile/Tile.h"
#include "test/support/Catch.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"

using namespace tlc;
using namespace tlc::frontend;

namespace {
/// One file and everything that its elaboration needs.
struct Fixture {
  llvm::SourceMgr sources;
  DiagnosticEngine diags{sources};
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  unsigned buffer;

  explicit Fixture(llvm::StringRef text)
      : buffer(sources.AddNewSourceBuffer(
            llvm::MemoryBuffer::getMemBufferCopy(text, "k.tl"), {})) {}

  mlir::OwningOpRef<mlir::ModuleOp>
  elaborate(std::map<std::string, std::string> defines = {},
            std::string kernel = "") {
    return tlc::frontend::elaborate(sources, buffer,
                                    {std::move(kernel), std::move(defines)},
                                    context, diags);
  }
  std::string firstError() {
    return diags.diagnostics().empty() ? "" : diags.diagnostics().front().text;
  }
};
} // namespace

static const char *kFactory = R"(
@tilelang.jit
def build(n, dtype="float16", shape=(4, 4)):
    @T.prim_func
    def main(A: T.Tensor((n,) + shape, dtype)):
        with T.Kernel(n, threads=64) as b:
            A[b, 0, 0] = 1

    return main
)";

static const char *kTwo = R"(
N = 8

@T.prim_func
def one(A: T.Tensor((N,), "int32")):
    with T.Kernel(1) as b:
        A[0] = 1

@T.prim_func
def two(A: T.Tensor((N,), "int32")):
    with T.Kernel(2) as b:
        A[0] = 2

def host():
    import torch
    return torch.zeros(3)
)";

static mlir::MemRefType firstParam(mlir::ModuleOp module) {
  auto kernel = *module.getOps<tile::KernelOp>().begin();
  return llvm::cast<mlir::MemRefType>(kernel.getParam(0).getType());
}

TEST_CASE("frontend: lists kernels and factories with their parameters",
          "[frontend]") {
  Fixture two(kTwo);
  auto kernels = listKernels(two.sources, two.buffer, two.diags);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].name == "one");
  CHECK(kernels[1].name == "two");
  CHECK_FALSE(kernels[0].isFactory);

  Fixture factory(kFactory);
  auto factories = listKernels(factory.sources, factory.buffer, factory.diags);
  REQUIRE(factories.size() == 1);
  CHECK(factories[0].isFactory);
  using Param = std::pair<std::string, std::string>;
  CHECK(factories[0].params == std::vector<Param>{{"n", ""},
                                                  {"dtype", "\"float16\""},
                                                  {"shape", "(4, 4)"}});
}

TEST_CASE("frontend: several kernels without a factory are all compiled",
          "[frontend]") {
  Fixture all(kTwo);
  auto module = all.elaborate();
  REQUIRE(module);
  CHECK(llvm::range_size(module->getOps<tile::KernelOp>()) == 2);

  Fixture chosen(kTwo);
  auto one = chosen.elaborate({}, "two");
  REQUIRE(one);
  CHECK((*one->getOps<tile::KernelOp>().begin()).getSymName() == "two");
}

TEST_CASE("frontend: -D gives factory parameters of every kind", "[frontend]") {
  Fixture f(kFactory);
  auto module = f.elaborate(
      {{"n", "3"}, {"dtype", "T.bfloat16"}, {"shape", "(5, 0x10)"}});
  REQUIRE(module);
  mlir::MemRefType type = firstParam(*module);
  CHECK(type.getShape() == llvm::ArrayRef<int64_t>{3, 5, 16});
  CHECK(type.getElementType().isBF16());

  Fixture quoted(kFactory);
  auto other = quoted.elaborate({{"n", "2"}, {"dtype", "'int8'"}});
  REQUIRE(other);
  CHECK(firstParam(*other).getElementType().isInteger(8));
}

TEST_CASE("frontend: -D replaces a constant of the module", "[frontend]") {
  Fixture f(kTwo);
  auto module = f.elaborate({{"N", "16"}});
  REQUIRE(module);
  CHECK(firstParam(*module).getShape() == llvm::ArrayRef<int64_t>{16});
}

TEST_CASE("frontend: unknown and missing parameters are errors", "[frontend]") {
  Fixture missing(kFactory);
  CHECK_FALSE(missing.elaborate());
  CHECK(missing.firstError() == "the parameter 'n' of 'build' has no value");

  Fixture unknown(kFactory);
  CHECK_FALSE(unknown.elaborate({{"n", "1"}, {"dtypes", "int8"}}));
  CHECK(unknown.firstError() == "-D dtypes: 'build' has no such parameter");

  Fixture name(kTwo);
  CHECK_FALSE(name.elaborate({}, "three"));
  CHECK(name.diags.errorCount() == 1);
}

TEST_CASE("frontend: ops carry the range of their source, values their name",
          "[frontend]") {
  Fixture f("@T.prim_func\n"
            "def k(A: T.Tensor((8,), \"int32\")):\n"
            "    with T.Kernel(1) as b:\n"
            "        x = A[b]\n"
            "        A[0] = x\n");
  auto module = f.elaborate();
  REQUIRE(module);
  tile::LoadOp load;
  module->walk([&](tile::LoadOp op) { load = op; });
  REQUIRE(load);
  auto named = llvm::dyn_cast<mlir::NameLoc>(load.getLoc());
  REQUIRE(named);
  CHECK(named.getName() == "x");
  auto range = llvm::dyn_cast<mlir::FileLineColRange>(named.getChildLoc());
  REQUIRE(range);
  CHECK(range.getFilename() == "k.tl");
  CHECK(range.getStartLine() == 4);
  CHECK(range.getStartColumn() == 13);
  CHECK(range.getEndColumn() == 17);
}

TEST_CASE("frontend: errors stop after twenty", "[frontend]") {
  std::string text = "@T.prim_func\n"
                     "def k(A: T.Tensor((8,), \"int32\")):\n"
                     "    with T.Kernel(1) as b:\n";
  for (int i = 0; i < 50; ++i)
    text += "        A[0] = unknown" + std::to_string(i) + "\n";
  Fixture f(text);
  CHECK_FALSE(f.elaborate());
  CHECK(f.diags.errorCount() == 20);
}

TEST_CASE("frontend: two runs give the same text", "[frontend]") {
  std::string texts[2];
  for (std::string &text : texts) {
    Fixture f(kTwo);
    auto module = f.elaborate();
    REQUIRE(module);
    llvm::raw_string_ostream os(text);
    module->print(os);
  }
  CHECK(texts[0] == texts[1]);
}
