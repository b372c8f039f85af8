// The in-process compiler, and its metadata as the runtime reads it.
#include "compiler/driver/Compiler.h"
#include "runtime/core/LaunchMetadata.h"
#include "test/support/Catch.h"

#include "llvm/Support/raw_ostream.h"

using namespace tlc;
using Catch::Matchers::Contains;

static const char kSource[] = R"(
import tilelang.language as T

n = T.dynamic("n")

@T.prim_func
def blend(
    X: T.Tensor((n + 1, 8), "bfloat16"),
    Y: T.Tensor((n + 1, 8), "float32"),
    Unused: T.Tensor((n,), "bool"),
    a: T.float32,
):
    with T.Kernel(T.ceildiv(n, 64), 3, threads=128) as (bx, by):
        for i, j in T.Parallel(64, 8):
            Y[bx * 64 + i, j] = X[bx * 64 + i, j] * a + Y[bx * 64 + i, j]
)";

static std::string messages(Compilation &compilation) {
  std::string text;
  llvm::raw_string_ostream os(text);
  compilation.diagnostics().print(os);
  return text;
}

static rt::LaunchMetadata compiled(const char *source) {
  Compilation compilation(CompileOptions{});
  compilation.setSource(source, "k.tl");
  REQUIRE(compilation.compile(Level::Cuda) == Status::Ok);
  REQUIRE(compilation.kernels().size() == 1);
  return rt::parseMetadata(compilation.kernels()[0].metadata, "test");
}

TEST_CASE("driver: metadata says what the source says") {
  rt::LaunchMetadata m = compiled(kSource);
  CHECK(m.name == "blend");
  CHECK(m.target == "sm_90a");
  CHECK(m.symbols == std::vector<std::string>{"n"});
  REQUIRE(m.params.size() == 4);
  CHECK(m.params[0].name == "X");
  CHECK(m.params[0].dtype == DType::BFloat16);
  CHECK(m.params[0].access == rt::Access::Read);
  CHECK(m.params[1].access == rt::Access::ReadWrite);
  CHECK(m.params[2].access == rt::Access::None);
  CHECK(m.params[2].dtype == DType::Bool);
  CHECK(m.params[3].kind == rt::ParamKind::Scalar);
  CHECK(m.params[3].dtype == DType::Float32);

  auto at = [&](const rt::Expr &expr, std::int64_t n) {
    std::int64_t values[] = {n};
    return rt::ExprProgram(expr, m.symbols).evaluate(values);
  };
  CHECK(at(m.params[0].shape[0], 10) == 11);
  REQUIRE(m.launches.size() == 1);
  for (std::int64_t n : {0, 1, 64, 65, 1000}) {
    CHECK(at(m.launches[0].grid[0], n) == (n + 63) / 64);
    CHECK(at(m.launches[0].grid[1], n) == 3);
    CHECK(at(m.launches[0].grid[2], n) == 1);
  }
  CHECK(m.launches[0].block == std::array<std::uint32_t, 3>{128, 1, 1});
}

TEST_CASE("driver: metadata says how pointers have to be aligned") {
  // Four floats at once from X; Y has an odd pitch and is stored one by one.
  rt::LaunchMetadata m = compiled(R"(
import tilelang.language as T

@T.prim_func
def k(X: T.Tensor((64, 128), "float32"), Y: T.Tensor((64, 129), "float32")):
    with T.Kernel(64, threads=32) as b:
        x = T.alloc_fragment((128,), "float32")
        T.copy(X[b, 0], x)
        for i in T.Parallel(128):
            Y[b, i] = x[i]
)");
  REQUIRE(m.launches.size() == 1);
  REQUIRE(m.launches[0].args.size() == 2);
  CHECK(std::get<rt::PointerArg>(m.launches[0].args[0]).alignment == 16);
  CHECK(std::get<rt::PointerArg>(m.launches[0].args[1]).alignment == 4);
}

TEST_CASE("driver: the signature of a tile kernel is enough to bind") {
  Compilation compilation(CompileOptions{});
  compilation.setSource(kSource, "k.tl");
  REQUIRE(compilation.elaborate() == Status::Ok);
  auto kernel = *compilation.module().getOps<tile::KernelOp>().begin();
  rt::LaunchMetadata m =
      rt::parseMetadata(Compilation::describe(kernel, "sm_90a"), "test");
  CHECK(m.params.size() == 4);
  CHECK(m.symbols.size() == 1);
}

TEST_CASE("driver: steps may be asked for in any order, each runs once") {
  Compilation compilation(CompileOptions{});
  compilation.setSource(kSource, "k.tl");
  std::vector<std::string> steps;
  compilation.onStep = [&](llvm::StringRef step) {
    steps.push_back(step.str());
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  CHECK(compilation.print(Level::Tile, os) == Status::Ok);
  CHECK(compilation.print(Level::SM, os) == Status::Ok);
  CHECK(compilation.print(Level::Ast, os) == Status::Ok);
  CHECK(compilation.compile(Level::Cuda) == Status::Ok);
  CHECK(compilation.compile(Level::Cuda) == Status::Ok);
  CHECK(steps == std::vector<std::string>{
                     "reading the kernel", "planning", "lowering", "verifying",
                     "printing CUDA", "verifying", "printing CUDA"});
  CHECK_THAT(text, Contains("tile.launch") && Contains("sm.launch") &&
                       Contains("FunctionDef"));
}

TEST_CASE("driver: equal input gives equal bytes") {
  auto once = [] {
    Compilation compilation(CompileOptions{});
    compilation.setSource(kSource, "k.tl");
    REQUIRE(compilation.compile(Level::Cuda) == Status::Ok);
    return compilation.kernels()[0].cuda + compilation.kernels()[0].metadata;
  };
  CHECK(once() == once());
}

TEST_CASE("driver: a failure stays, with its place") {
  Compilation compilation(CompileOptions{});
  compilation.setSource("import tilelang.language as T\n"
                        "@T.prim_func\n"
                        "def k(X: T.Tensor((4,), \"float32\")):\n"
                        "    with T.Kernel(1) as b:\n"
                        "        X[0] = nothing\n",
                        "k.tl");
  CHECK(compilation.elaborate() == Status::Input);
  CHECK(compilation.compile() == Status::Input);
  CHECK(compilation.diagnostics().errorCount() == 1);
  CHECK_THAT(messages(compilation),
             Contains("k.tl:5:16: error[TL0201]") && Contains("'nothing'"));
}

TEST_CASE("driver: a target that does not exist") {
  CompileOptions options;
  options.arch = "sm_9";
  Compilation compilation(options);
  compilation.setSource(kSource, "k.tl");
  CHECK(compilation.compile() == Status::Input);
  CHECK_THAT(messages(compilation), Contains("unknown target 'sm_9'"));
}

TEST_CASE("driver: levels have names") {
  for (Level level : {Level::Ast, Level::Tile, Level::WS, Level::SM,
                      Level::Cuda, Level::Ptx, Level::Cubin})
    CHECK(parseLevel(spelling(level)) == level);
  CHECK_FALSE(parseLevel("elf"));
}
