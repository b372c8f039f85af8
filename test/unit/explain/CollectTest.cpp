// The model of small kernels against what their source says.
#include "compiler/explain/Collect.h"
#include "compiler/explain/Printers.h"
#include "test/support/Catch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace tlc;
using namespace tlc::explain;

namespace {

/// Two loaded tiles; `a` is used by a copy, `b` by a product.
constexpr const char kSource[] = R"(import tilelang.language as T


@T.prim_func
def k(
    A: T.Tensor((64, 640), "bfloat16"),
    B: T.Tensor((640, 64), "bfloat16"),
    C: T.Tensor((64, 64), "float32"),
):
    with T.Kernel(3, threads=128) as b:
        a_s = T.alloc_shared((64, 64), "bfloat16")
        b_s = T.alloc_shared((64, 64), "bfloat16")
        p_s = T.alloc_shared((64, 64), "bfloat16")
        a_f = T.alloc_fragment((64, 64), "bfloat16")
        c = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        for i in T.Pipelined(10, num_stages=3):
            T.copy(A[0:64, i * 64 : i * 64 + 64], a_s)
            T.copy(a_s, a_f)
            T.copy(a_f, p_s)
            T.copy(B[i * 64 : i * 64 + 64, 0:64], b_s)
            T.gemm(p_s, b_s, c)
        T.copy(c, C)
)";

struct Explained {
  Status status;
  Explanation model;
};

Explained explainText(const std::string &text, bool specialize = true) {
  CompileOptions options;
  options.warpSpecialize = specialize;
  Compilation compilation(options);
  compilation.setSource(text, "k.tl");
  Explained result;
  result.status = explain::explain(compilation, result.model);
  return result;
}

unsigned lineOf(llvm::StringRef text) {
  llvm::StringRef source(kSource);
  return 1 + static_cast<unsigned>(
                 source.take_front(source.find(text)).count('\n'));
}

} // namespace

TEST_CASE("explain: rings, their readers and their fences", "[explain]") {
  Explained result = explainText(kSource);
  REQUIRE(result.status == Status::Ok);
  REQUIRE(result.model.kernels.size() == 1);
  const Launch &launch = result.model.kernels[0].launches.at(0);
  CHECK(launch.grid == std::vector<std::string>{"3"});
  REQUIRE(launch.rings.size() == 2);

  const Ring &a = launch.rings[0];
  CHECK(a.name == "a_s");
  // One slot more than num_stages: there is room.
  CHECK(a.depth == 4);
  CHECK(a.bytes == 64 * 64 * 2);
  REQUIRE(a.writes.size() == 1);
  CHECK(a.writes[0].statement.place.line == lineOf("T.copy(A["));
  CHECK(a.writes[0].async);
  REQUIRE(a.uses.size() == 1);
  CHECK(a.uses[0].statement.place.text == "T.copy(a_s, a_f)");
  CHECK_FALSE(a.uses[0].async);
  REQUIRE(a.spans.size() == 1);
  CHECK(a.spans[0].fence == "derived");
  CHECK(a.spans[0].release.after.place.line == lineOf("T.copy(a_s, a_f)"));
  CHECK(a.full.count == 1);
  CHECK(a.full.bytes == 64 * 64 * 2);
  CHECK(a.empty.count == 128);
  CHECK(a.empty.stages == 4);

  const Ring &b = launch.rings[1];
  REQUIRE(b.uses.size() == 1);
  CHECK(b.uses[0].async);
  CHECK(b.uses[0].statement.name == "T.gemm");
  CHECK(b.spans.at(0).fence == "none");
  CHECK(b.empty.perWarp);
  CHECK(b.empty.count == 4);
}

TEST_CASE("explain: a tile in no ring, ordered by a fence and barriers",
          "[explain]") {
  Explained result = explainText(kSource);
  const Launch &launch = result.model.kernels.at(0).launches.at(0);
  REQUIRE(launch.locals.size() == 1);
  CHECK(launch.locals[0].tile.name == "p_s");
  CHECK(launch.locals[0].accesses.size() == 2);
  unsigned fences = 0, barriers = 0;
  for (const Role &role : launch.roles)
    for (const Action &action : role.actions)
      if (llvm::StringRef(action.reason).starts_with("'p_s'")) {
        fences += action.kind == ActionKind::Fence;
        barriers += action.kind == ActionKind::Barrier;
      }
  CHECK(fences == 1);
  CHECK(barriers == 2);
}

TEST_CASE("explain: roles, loops and shared memory add up", "[explain]") {
  Explained result = explainText(kSource);
  const Launch &launch = result.model.kernels.at(0).launches.at(0);
  REQUIRE(launch.loops.size() == 1);
  CHECK(launch.loops[0].plan == "warp_specialized");
  CHECK(launch.loops[0].stages == 3);
  CHECK(launch.loops[0].statement.place.line == lineOf("for i in"));
  std::int64_t end = 0;
  for (const Region &region : launch.shared) {
    CHECK(region.offset >= end);
    end = region.offset + region.bytes();
  }
  CHECK(end <= launch.sharedBytes);
  CHECK(launch.sharedBytes <= launch.sharedLimit);
  for (const Role &role : launch.roles)
    CHECK((role.firstWarp + role.warps) * 32 <= launch.threads);
}

TEST_CASE("explain: one role that loads ahead", "[explain]") {
  Explained result = explainText(kSource, /*specialize=*/false);
  REQUIRE(result.status == Status::Ok);
  const Launch &launch = result.model.kernels[0].launches[0];
  CHECK(launch.loops.at(0).plan == "pipelined");
  CHECK(launch.loops[0].reason.find("switched off") != std::string::npos);
  REQUIRE(launch.roles.size() == 1);
  CHECK(launch.rings.at(0).writes.at(0).role == launch.roles[0].name);
}

TEST_CASE("explain: a loop that cannot load ahead says why", "[explain]") {
  std::string text = kSource;
  // Rows of 1282 bytes are no multiple of the 16 that TMA needs.
  text.replace(text.find("(64, 640)"), 9, "(64, 641)");
  Explained result = explainText(text);
  REQUIRE(result.model.kernels.size() == 1);
  const Launch &launch = result.model.kernels[0].launches[0];
  auto choice = llvm::find_if(launch.choices, [](const Choice &candidate) {
    return candidate.statement.place.line == lineOf("T.copy(A[");
  });
  REQUIRE(choice != launch.choices.end());
  CHECK(choice->reason.find("1282 bytes") != std::string::npos);
  CHECK(launch.rings.size() == 1);
}

TEST_CASE("explain: a wrong program gives its error and nothing else",
          "[explain]") {
  Explained result = explainText("def k(:\n");
  CHECK(result.status == Status::Input);
  CHECK(result.model.kernels.empty());
}

TEST_CASE("explain: the JSON form parses", "[explain]") {
  std::string text;
  llvm::raw_string_ostream os(text);
  printJson(explainText(kSource).model, os);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  REQUIRE(bool(value));
  const llvm::json::Array *kernels = value->getAsObject()->getArray("kernels");
  REQUIRE(kernels);
  CHECK(kernels->size() == 1);
}
