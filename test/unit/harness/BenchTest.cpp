// Parts of the benchmarks that need no device: compiling in parallel, traffic,
// the number of rotating sets.
#include "kernels/harness/Bench.h"
#include "kernels/correct_h0/Problem.h"
#include "kernels/harness/Parallel.h"
#include "test/support/Catch.h"
#include "tlc/Error.h"

#include <atomic>

using namespace tlc;
using namespace tlc::kernels;

TEST_CASE("work is done once each, and what is thrown arrives") {
  std::vector<std::atomic<int>> done(1000);
  forEachInParallel(done.size(), [&](std::size_t i) { ++done[i]; });
  for (const std::atomic<int> &count : done)
    REQUIRE(count == 1);
  forEachInParallel(0, [](std::size_t) { FAIL("there is no work"); });
  std::atomic<int> others = 0;
  CHECK_THROWS_WITH(forEachInParallel(20,
                                      [&](std::size_t i) {
                                        if (i == 7)
                                          throw Error(ErrorCode::Device, "7");
                                        ++others;
                                      }),
                    "7");
  CHECK(others == 19);
}

TEST_CASE("a form that does not compile keeps its place and its reason") {
  BenchTools tools;
  tools.compile = [](const std::string &, const std::string &,
                     const Form &form) -> Kernel {
    throw Error(ErrorCode::Compile, "cannot compile", "bad " + form.name);
  };
  const std::vector<Form> forms = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  const std::vector<Compiled> compiled = compileAll(tools, "", "k.tl", forms);
  REQUIRE(compiled.size() == 3);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    CHECK_FALSE(compiled[i].kernel);
    CHECK(compiled[i].problem == "bad " + forms[i].name);
  }
}

TEST_CASE("sets rotate through 300 MB, at least 2 and at most 16") {
  CHECK(rotatingSets(100e6) == 3);
  CHECK(rotatingSets(101e6) == 3);
  CHECK(rotatingSets(99e6) == 4);
  CHECK(rotatingSets(4e9) == 2);
  CHECK(rotatingSets(1e6) == 16);
  CHECK(rotatingSets(0) == 16);
}

TEST_CASE("traffic of correct_h0 counts what is needed, once") {
  // 16 segments of one sequence, 32 heads: 15 transitions read ht and mt.
  StateProblem problem{.lengths = {16}, .heads = 32};
  const double tile = 128 * 128;
  CHECK(trafficOf(problem, makeMask(problem, Mask::On)) ==
        32 * tile * (15 * 2 * 2 + 16 * 4));
  CHECK(trafficOf(problem, makeMask(problem, Mask::Off)) ==
        32 * tile * (15 * 2 + 16 * 4));
  problem.dtype = DType::Float32;
  CHECK(trafficOf(problem, makeMask(problem, Mask::On)) ==
        32 * tile * (15 * 2 * 4 + 16 * 4));
  // An empty sequence moves nothing, one of one segment only its output; the
  // last walked segment needs no inputs, whatever its flag.
  problem = {.lengths = {0, 1, 2}, .heads = 1, .reverse = true};
  rt::HostTensor mask = makeMask(problem, Mask::Off);
  CHECK(trafficOf(problem, mask) == tile * (3 * 4 + 2));
  mask.set(1, 1); // the first of the two: walked last in reverse
  CHECK(trafficOf(problem, mask) == tile * (3 * 4 + 2));
  mask.set(2, 1);
  CHECK(trafficOf(problem, mask) == tile * (3 * 4 + 2 + 2));
}

TEST_CASE("extents have an x between them and nothing else") {
  using List = std::vector<std::int64_t>;
  CHECK(parseExtents("4096") == List{4096});
  CHECK(parseExtents("8192x4096x8") == List{8192, 4096, 8});
  CHECK(parseExtents("-3") == List{-3});
  for (const char *wrong : {"", "x", "4x", "x4", "4xx4", "4x4x", "4 x4", "4X4",
                            "4.5", "32K/32", "99999999999999999999", "+4"})
    CHECK(parseExtents(wrong).empty());
}

TEST_CASE("flags by name") {
  CHECK(parseMask("mixed") == Mask::Mixed);
  CHECK_FALSE(parseMask("half"));
}
