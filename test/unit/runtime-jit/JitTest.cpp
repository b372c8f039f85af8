// tlc::jit and tlc::compile: caching, threads, and what goes wrong.
#include "tlc/tlc.h"

#include "test/support/Catch.h"
#include "test/unit/runtime-jit/CacheFolder.h"
#include "test/unit/runtime-jit/Kernels.h"
#include "test/unit/runtime/ErrorText.h"

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

using namespace tlc;
using namespace tlc::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

/// Counts since it was made.
struct Since {
  JitCounts begin = jitCounts();
  std::uint64_t compiled() const {
    return jitCounts().compiled - begin.compiled;
  }
  std::uint64_t fromDisk() const {
    return jitCounts().fromDisk - begin.fromDisk;
  }
  std::uint64_t fromMemory() const {
    return jitCounts().fromMemory - begin.fromMemory;
  }
};

/// A kernel with `value` in it; equal texts for equal values.
Source constant(int value) {
  return {"import tilelang.language as T\n"
          "@T.prim_func\n"
          "def fill(Y: T.Tensor((8,), \"int32\")):\n"
          "    with T.Kernel(1, threads=128) as b:\n"
          "        for i in T.Parallel(8):\n"
          "            Y[i] = " +
              std::to_string(value) + "\n",
          "fill.tl"};
}

} // namespace

TEST_CASE("jit: the same source and options compile once", "[jit]") {
  clearCache();
  Since since;
  JitOptions options = onCpu();
  Kernel a = jit(scaleSource(), options);
  Kernel b = jit(Source{kScale, "elsewhere.tl"}, options);
  CHECK(since.compiled() == 1);
  CHECK(since.fromMemory() == 1);
  options.params = {{"factor", 4}};
  jit(scaleSource(), options);
  options.fastMath = true;
  jit(scaleSource(), options);
  CHECK(since.compiled() == 3);
  options.disable = "renumber";
  jit(scaleSource(), options);
  options.warpSpecialize = false;
  jit(scaleSource(), options);
  options.cpAsync = true;
  jit(scaleSource(), options);
  jit(scaleSource(), options);
  CHECK(since.compiled() == 6);
  options.cache = false;
  jit(scaleSource(), options);
  CHECK(since.compiled() == 7);
}

TEST_CASE("jit: a changed file is compiled anew", "[jit]") {
  CacheFolder folder;
  std::filesystem::create_directories(folder.path);
  const std::string path = (folder.path / "fill.tl").string();
  for (int value : {5, 6}) {
    std::ofstream(path) << constant(value).text;
    Kernel kernel = jit(path, onCpu());
    Array y(DType::Int32, {8}, Device::virtual_sm());
    kernel.launch(nullptr, y);
    CHECK(y.values() == std::vector<double>(8, value));
  }
}

TEST_CASE("jit: many threads compile and launch at once", "[jit]") {
  clearCache();
  Since since;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 20; ++i) {
        int value = (i + thread) % 5;
        Kernel kernel = jit(constant(value), onCpu());
        Array y(DType::Int32, {8}, Device::virtual_sm());
        kernel.launch(nullptr, y);
        wrong += y.values() != std::vector<double>(8, value);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == 0);
  CHECK(since.compiled() == 5);
  CHECK(since.fromMemory() == 8 * 20 - 5);
}

TEST_CASE("jit: errors carry the rendered diagnostics", "[jit]") {
  Source broken{"import tilelang.language as T\n"
                "@T.prim_func\n"
                "def k(X: T.Tensor((4,), \"float32\")):\n"
                "    with T.Kernel(1) as b:\n"
                "        T.copyy(X, X)\n",
                "broken.tl"};
  try {
    jit(broken, onCpu());
    FAIL("compiled");
  } catch (const Error &error) {
    CHECK(error.code() == ErrorCode::Compile);
    CHECK_THAT(error.what(), StartsWith("cannot compile 'broken.tl':\n"));
    std::string diagnostics(error.diagnostics());
    CHECK_THAT(diagnostics, Contains("broken.tl:5:"));
    CHECK_THAT(diagnostics, Contains("T.copy"));
  }
}

TEST_CASE("jit: wrong options are named", "[jit]") {
  JitOptions options = onCpu();
  options.arch = "sm_12";
  CHECK(errorText([&] { jit(scaleSource(), options); }) ==
        "JitOptions::arch is 'sm_12', expected one of sm_80, sm_90, sm_90a");
  options = onCpu();
  options.warFence = "none";
  CHECK(errorText([&] { jit(scaleSource(), options); }) ==
        "JitOptions::warFence is 'none', expected proxy, proxy-producer, delay "
        "or membar");
  options = onCpu();
  options.disable = "renumber,everything";
  CHECK_THAT(errorText([&] { jit(scaleSource(), options); }),
             StartsWith("JitOptions::disable names 'everything', expected some "
                        "of ") &&
                 Contains("renumber"));
  options = onCpu();
  options.params = {{"factr", 3}};
  CHECK_THAT(errorText([&] { jit(scaleSource(), options); }),
             Contains("factr"));
  options = onCpu();
  options.kernel = "nothing";
  CHECK_THAT(errorText([&] { jit(scaleSource(), options); }),
             Contains("nothing"));
  ErrorCode code{};
  CHECK_THAT(errorText([] { jit("/no/such/file.tl"); }, &code),
             StartsWith("cannot read kernel file '/no/such/file.tl': "));
  CHECK(code == ErrorCode::Io);
  CHECK(errorText([] { jit("/"); }, &code) ==
        "cannot read kernel file '/': Is a directory");
  CHECK(code == ErrorCode::Io);
}

TEST_CASE("jit: parameter values are spelled as -D takes them", "[jit]") {
  CHECK(ParamValue(32).text() == "32");
  CHECK(ParamValue(true).text() == "True");
  CHECK(ParamValue(2.0).text() == "2.0");
  CHECK(ParamValue(1e-5).text() == "1e-05");
  CHECK(ParamValue(nullptr).text() == "None");
  CHECK(ParamValue("32").text() == "\"32\"");
  CHECK(ParamValue(DType::BFloat16).text() == "\"bfloat16\"");
  CHECK(ParamValue::tuple({1, "a"}).text() == "(1, \"a\")");
  CHECK(ParamValue::tuple({1}).text() == "(1,)");
  CHECK(ParamValue::tuple({}).text() == "()");
  CHECK_THROWS_AS(ParamValue(1.0 / 0.0), Error);
  CHECK_THROWS_AS(ParamValue("'\""), Error);
}

TEST_CASE("jit: several kernels are told apart by name", "[jit]") {
  std::string text = constant(1).text;
  text += "@T.prim_func\n"
          "def other(Y: T.Tensor((8,), \"int32\")):\n"
          "    with T.Kernel(1, threads=128) as b:\n"
          "        for i in T.Parallel(8):\n"
          "            Y[i] = 2\n";
  CompiledModule module = compile(Source{text, "two.tl"}, onCpu());
  CHECK(module.kernels() == std::vector<std::string>{"fill", "other"});
  CHECK(module.kernel("other").name() == "other");
  CHECK(module.cubin("other").empty());
  CHECK_THAT(std::string(module.metadata("fill")), Contains("\"fill\""));
  CHECK(errorText([&] { module.kernel(); }) ==
        "there are 2 kernels, say which: fill, other");
  CHECK(errorText([&] { module.kernel("third"); }) ==
        "there is no kernel 'third' among fill, other");
  CHECK(errorText([&] { module.save("/tmp/x.cubin", "fill"); }) ==
        "kernel fill was compiled for the virtual device: there is no cubin to "
        "save");
}
