// Resource figures stay with their kernel: whatever else the file holds, in
// whatever order, and however its name looks. Skipped where there is no NVRTC.
#include "compiler/driver/Compiler.h"
#include "runtime/core/LaunchMetadata.h"
#include "test/support/Catch.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace tlc;

namespace {

bool haveNvrtc() {
  auto found = nvrtc::version();
  if (found)
    return true;
  WARN("skipped: " << llvm::toString(found.takeError()));
  return false;
}

/// The head of a file and each of its kernels.
struct Parts {
  std::string head;
  std::vector<std::string> kernels;
};

Parts twoKernels() {
  auto file =
      llvm::MemoryBuffer::getFile(TLC_CASES "/two_kernel_report.tl", true);
  REQUIRE(bool(file));
  const llvm::StringRef mark = "@T.prim_func\n";
  Parts parts;
  auto [head, rest] = (*file)->getBuffer().split(mark);
  parts.head = head.str();
  while (!rest.empty()) {
    llvm::StringRef kernel;
    std::tie(kernel, rest) = rest.split(mark);
    parts.kernels.push_back((mark + kernel).str());
  }
  REQUIRE(parts.kernels.size() == 2);
  return parts;
}

/// Figures by device function, as a program that loads the cubin sees them.
using Figures = std::map<std::string, KernelResources>;

Figures figuresOf(const std::string &source, const std::string &kernel = "") {
  CompileOptions options;
  options.kernel = kernel;
  Compilation compilation(options);
  compilation.setSource(source, "k.tl");
  Status status = compilation.compile();
  std::string text;
  llvm::raw_string_ostream os(text);
  compilation.diagnostics().print(os);
  INFO(text);
  REQUIRE(status == Status::Ok);
  Figures figures;
  for (const CompiledKernel &compiled : compilation.kernels()) {
    rt::LaunchMetadata metadata =
        rt::parseMetadata(compiled.metadata, "metadata");
    CHECK(metadata.resources.size() == metadata.launches.size());
    for (const KernelResources &entry : metadata.resources) {
      CHECK(figures.count(entry.symbol) == 0);
      figures[entry.symbol] = entry;
    }
  }
  return figures;
}

bool same(const KernelResources &a, const KernelResources &b) {
  return a.symbol == b.symbol && a.registers == b.registers &&
         a.spillStoreBytes == b.spillStoreBytes &&
         a.spillLoadBytes == b.spillLoadBytes && a.stackBytes == b.stackBytes &&
         a.staticSharedBytes == b.staticSharedBytes &&
         a.constantBytes == b.constantBytes && a.barriers == b.barriers;
}

/// `kernel` by the name `name`.
std::string renamed(std::string kernel, const std::string &from,
                    const std::string &to) {
  std::size_t at = kernel.find("def " + from);
  REQUIRE(at != std::string::npos);
  return kernel.replace(at + 4, from.size(), to);
}

void checkLight(const KernelResources &light) {
  CHECK(light.stackBytes == 0);
  CHECK(light.spillStoreBytes == 0);
  CHECK(light.spillLoadBytes == 0);
  CHECK(light.registers > 0);
  CHECK(light.registers < 64);
}

/// 1024 threads leave 64 registers each; 96 live values do not fit.
void checkHeavy(const KernelResources &heavy) {
  CHECK(heavy.registers > 0);
  CHECK(heavy.registers <= 64);
  CHECK(heavy.stackBytes.value_or(0) + heavy.spillStoreBytes.value_or(0) > 0);
}

} // namespace

TEST_CASE("report: neighbours and order change no entry") {
  if (!haveNvrtc())
    return;
  const Parts parts = twoKernels();
  const std::string &light = parts.kernels[0], &heavy = parts.kernels[1];
  Figures both = figuresOf(parts.head + light + heavy);
  REQUIRE(both.size() == 2);
  checkLight(both.at("light_kernel"));
  checkHeavy(both.at("heavy_kernel"));

  Figures swapped = figuresOf(parts.head + heavy + light);
  Figures onlyLight = figuresOf(parts.head + light);
  Figures onlyHeavy = figuresOf(parts.head + heavy);
  Figures chosen = figuresOf(parts.head + light + heavy, "heavy");
  CHECK(swapped.size() == 2);
  CHECK(onlyLight.size() == 1);
  CHECK(onlyHeavy.size() == 1);
  CHECK(chosen.size() == 1);
  for (const Figures &other : {swapped, onlyLight})
    CHECK(same(other.at("light_kernel"), both.at("light_kernel")));
  for (const Figures &other : {swapped, onlyHeavy, chosen})
    CHECK(same(other.at("heavy_kernel"), both.at("heavy_kernel")));
}

TEST_CASE("report: names that begin like others, and long ones") {
  if (!haveNvrtc())
    return;
  const Parts parts = twoKernels();
  const std::string longName(200, 'n');
  const std::pair<std::string, bool> names[] = {
      {"k", true},           {"k_kernel", false}, {"k_kernel_1", true},
      {"k_kern", false},     {longName, true},    {longName + "n", false},
      {"light_kernel", true}};
  std::string source = parts.head;
  for (const auto &[name, heavy] : names)
    source +=
        renamed(parts.kernels[heavy ? 1 : 0], heavy ? "heavy" : "light", name);
  Figures figures = figuresOf(source);
  CHECK(figures.size() == std::size(names));
  for (const auto &[name, heavy] : names) {
    INFO(name);
    const KernelResources &entry = figures.at(name + "_kernel");
    if (heavy)
      checkHeavy(entry);
    else
      checkLight(entry);
  }
}

TEST_CASE("report: the launches of one kernel have their own figures") {
  if (!haveNvrtc())
    return;
  Figures figures = figuresOf(R"(
@T.prim_func
def both(A: T.Tensor((1024, 96), "int32"), B: T.Tensor((1024, 96), "int32")):
    with T.Kernel(1, threads=1024) as b:
        t = T.get_thread_binding(0)
        r = T.alloc_local((96,), "int32")
        for k in T.unroll(96):
            r[k] = A[t, k]
        for p in T.serial(3):
            for k in T.unroll(96):
                r[k] = (r[k] * 3 + r[(k * 37 + 5) % 96]) % 1021
        for k in T.unroll(96):
            B[t, k] = r[k]
    with T.Kernel(1024, threads=96) as b:
        for i in T.Parallel(96):
            B[b, i] = B[b, i] + 1
)");
  REQUIRE(figures.size() == 2);
  checkHeavy(figures.at("both_kernel_0"));
  checkLight(figures.at("both_kernel_1"));
}

TEST_CASE("driver: several launches are listed in the order of the source") {
  Compilation compilation(CompileOptions{});
  compilation.setSource(R"(
n = T.dynamic("n")

@T.prim_func
def steps(A: T.Tensor((n,), "int32"), B: T.Tensor((n,), "int32")):
    with T.Kernel(T.ceildiv(n, 64), threads=64) as b:
        for i in T.Parallel(64):
            A[b * 64 + i] = b
    with T.Kernel(3, 2, threads=128) as (bx, by):
        for i in T.Parallel(128):
            B[i] = bx + by
    with T.Kernel(1, threads=32) as b:
        for i in T.Parallel(32):
            B[i] = A[i]
)",
                        "k.tl");
  REQUIRE(compilation.compile(Level::Cuda) == Status::Ok);
  REQUIRE(compilation.kernels().size() == 1);
  rt::LaunchMetadata m =
      rt::parseMetadata(compilation.kernels()[0].metadata, "metadata");
  REQUIRE(m.launches.size() == 3);
  const std::uint32_t threads[] = {64, 128, 32};
  const std::size_t args[] = {2, 1, 2}; // A and n; B; A and B, without n
  for (int i = 0; i < 3; ++i) {
    CHECK(m.launches[i].symbol == "steps_kernel_" + std::to_string(i));
    CHECK(m.launches[i].block[0] == threads[i]);
    CHECK_FALSE(m.launches[i].cooperative);
    CHECK(m.launches[i].args.size() >= args[i]);
    CHECK_THAT(compilation.kernels()[0].cuda,
               Catch::Contains(m.launches[i].symbol + "("));
  }
  std::int64_t n[] = {65};
  auto grid = [&](int launch, int dim) {
    return rt::ExprProgram(m.launches[launch].grid[dim], m.symbols).evaluate(n);
  };
  CHECK(grid(0, 0) == 2);
  CHECK(grid(1, 0) == 3);
  CHECK(grid(1, 1) == 2);
  CHECK(grid(2, 0) == 1);
}

TEST_CASE("driver: a grid barrier asks for a cooperative launch and state") {
  Compilation compilation(CompileOptions{});
  compilation.setSource(R"(
@T.prim_func
def meet(A: T.Tensor((4,), "int32"), B: T.Tensor((4,), "int32")):
    with T.Kernel(4, threads=(16, 2, 2)) as b:
        t = T.get_thread_binding(0)
        if t == 0:
            A[b] = b
        T.sync_grid()
        if t == 0:
            B[b] = A[3 - b]
    with T.Kernel(4, threads=32) as b:
        for i in T.Parallel(4):
            B[i] = A[i]
)",
                        "k.tl");
  REQUIRE(compilation.compile(Level::Cuda) == Status::Ok);
  rt::LaunchMetadata m =
      rt::parseMetadata(compilation.kernels()[0].metadata, "metadata");
  REQUIRE(m.launches.size() == 2);
  CHECK(m.launches[0].cooperative);
  int workspaces = 0;
  for (const rt::LaunchArg &arg : m.launches[0].args)
    if (const auto *workspace = std::get_if<rt::WorkspaceArg>(&arg)) {
      ++workspaces;
      CHECK(workspace->zero);
      CHECK(workspace->bytes.isConstant());
      CHECK(workspace->bytes.value >= 8); // a counter and a generation
    }
  CHECK(workspaces == 1);
  // The second launch has no barrier: its blocks may take turns.
  CHECK_FALSE(m.launches[1].cooperative);
  for (const rt::LaunchArg &arg : m.launches[1].args)
    CHECK_FALSE(std::holds_alternative<rt::WorkspaceArg>(arg));
}
