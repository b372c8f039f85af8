#include "runtime/core/LaunchMetadata.h"

#include "test/support/Catch.h"
#include "test/unit/runtime/ErrorText.h"
#include "test/unit/runtime/GemmMetadata.h"

using namespace tlc;
using namespace tlc::rt;
using Catch::Contains;
using tlc::test::errorText;

namespace {

/// Two launches that share W.
constexpr char kChain[] = R"({
  "version": 2, "target": "sm_90a", "name": "chain",
  "params": [{"name": "A", "kind": "tensor", "dtype": "float16",
              "shape": ["n", 64], "access": "r"}],
  "symbols": [{"name": "n"}],
  "workspaces": [
    {"name": "W", "dtype": "float16", "shape": [["+", "n", 1], 64]},
    {"name": "V", "dtype": "int32", "shape": [7]}],
  "launches": [
    {"symbol": "chain_kernel_0", "grid": ["n", 1, 1], "block": [64, 1, 1],
     "shared_bytes": 0, "cooperative": false, "args": [
       {"kind": "pointer", "param": "A"},
       {"kind": "pointer", "workspace": "W", "alignment": 16},
       {"kind": "pointer", "workspace": "V"}]},
    {"symbol": "chain_kernel_1", "grid": [1, 1, 1], "block": [64, 1, 1],
     "shared_bytes": 0, "cooperative": false, "args": [
       {"kind": "tensormap", "workspace": "W", "dtype": "float16", "rank": 2,
        "global_dims": [64, ["+", "n", 1]], "global_strides_bytes": [128],
        "box": [64, 8], "element_strides": [1, 1], "swizzle": "128B",
        "l2_promotion": "256B", "oob_fill": "zero"}]}]})";

/// Replaces the first `from` of the example and returns the reader's error.
std::string damaged(const std::string &from, const std::string &to,
                    const char *example = test::kGemmJson) {
  std::string text = example;
  std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  ErrorCode code = ErrorCode::Internal;
  std::string error = errorText([&] { parseMetadata(text, "k.json"); }, &code);
  CHECK(code == ErrorCode::Io);
  CHECK_THAT(error, Catch::StartsWith("k.json: "));
  return error;
}

} // namespace

TEST_CASE("metadata: the example reads as it says", "[metadata]") {
  LaunchMetadata gemm = parseMetadata(test::kGemmJson, "k.json");
  CHECK(gemm.name == "gemm");
  CHECK(gemm.target == "sm_90a");
  REQUIRE(gemm.params.size() == 4);
  CHECK(gemm.params[0].dtype == DType::BFloat16);
  CHECK(gemm.params[0].access == Access::Read);
  CHECK(gemm.params[0].shape == std::vector<Expr>{"M", 128});
  CHECK(gemm.params[3].kind == ParamKind::Scalar);
  CHECK(gemm.symbols == std::vector<std::string>{"M", "N"});
  REQUIRE(gemm.launches.size() == 1);
  const LaunchInfo &launch = gemm.launches[0];
  CHECK(launch.grid[0] == Expr(ExprOp::CeilDiv, "N", 128));
  CHECK(launch.block == std::array<std::uint32_t, 3>{384, 1, 1});
  CHECK(launch.cluster == std::array<std::uint32_t, 3>{1, 1, 1});
  CHECK(launch.sharedBytes == 197632);
  REQUIRE(launch.args.size() == 4);
  const auto &map = std::get<TensorMapArg>(launch.args[0]);
  CHECK(map.swizzle == Swizzle::B128);
  CHECK(map.l2Promotion == L2Promotion::B256);
  CHECK(map.globalDims == std::vector<Expr>{128, "M"});
  CHECK(map.box == std::vector<std::uint32_t>{64, 128});
  CHECK(std::get<PointerArg>(launch.args[1]).alignment == 1); // not said
  CHECK(std::get<ScalarArg>(launch.args[3]).expr == Expr("M"));
  REQUIRE(gemm.resources.size() == 1);
  CHECK(gemm.resources[0].registers == 168);
  CHECK_FALSE(gemm.resources[0].barriers); // not said: unknown, not 0
}

TEST_CASE("metadata: writing and reading give the same bytes", "[metadata]") {
  std::string once = writeMetadata(parseMetadata(test::kGemmJson, "a"));
  std::string twice = writeMetadata(parseMetadata(once, "b"));
  CHECK(once == twice);

  LaunchMetadata all;
  all.target = "sm_80";
  all.name = "all \"kinds\"";
  ParamInfo strided{"S",      ParamKind::Tensor, DType::Float32,
                    {"M", 4}, {"stride", 1},     Access::ReadWrite};
  ParamInfo address{"p", ParamKind::Handle, {}, {}, {}, {}};
  all.params = {strided, address};
  all.symbols = {"M", "stride"};
  all.outputs = {"S"};
  LaunchInfo launch;
  launch.symbol = "first";
  launch.cluster = {2, 1, 1};
  launch.cooperative = true;
  launch.args = {PointerArg{"p", 16},
                 WorkspaceArg{{ExprOp::Mul, "M", 8}, true}};
  all.launches = {launch, launch};
  LaunchMetadata back = parseMetadata(writeMetadata(all), "c");
  CHECK(back.name == all.name);
  CHECK(back.params[0].strides == strided.strides);
  CHECK(back.params[1].kind == ParamKind::Handle);
  CHECK(back.outputs == all.outputs);
  CHECK(back.launches.size() == 2);
  CHECK(back.launches[1].cooperative);
  CHECK(back.launches[1].cluster[0] == 2);
  CHECK(std::get<PointerArg>(back.launches[0].args[0]).alignment == 16);
  CHECK(std::get<WorkspaceArg>(back.launches[0].args[1]).zero);
  CHECK(writeMetadata(back) == writeMetadata(all));
}

TEST_CASE("metadata: a wrong file is refused with the place", "[metadata]") {
  for (const char *version : {"3", "0", "-1"})
    CHECK_THAT(
        damaged("\"version\": 1", std::string("\"version\": ") + version),
        Contains("version: this tlc reads versions 1 to 2") &&
            Contains(std::string("has version ") + version) &&
            Contains("compile it again"));
  CHECK_THAT(damaged("\"version\": 1,", ""), Contains("'version' is missing"));
  CHECK_THAT(damaged("{", "{,"), Contains("not valid JSON"));
  CHECK_THAT(damaged("\"symbols\"", "\"symbolz\""),
             Contains("unknown key 'symbolz'"));
  CHECK_THAT(damaged("\"bfloat16\"", "\"brainfloat\""),
             Contains("params[0].dtype: unknown dtype 'brainfloat'"));
  CHECK_THAT(damaged("\"access\": \"r\"", "\"access\": \"x\""),
             Contains("params[0].access: 'x' is not one of none, r, w, rw"));
  CHECK_THAT(damaged("\"name\": \"B\"", "\"name\": \"A\""),
             Contains("parameter 'A' appears twice"));
  CHECK_THAT(damaged("\"launches\"", "\"outputs\": [\"alpha\"], \"launches\""),
             Contains("outputs[0]: there is no tensor parameter 'alpha'"));
  CHECK_THAT(
      damaged("\"launches\"", "\"outputs\": [\"C\", \"C\"], \"launches\""),
      Contains("outputs[1]: 'C' is listed twice"));
  CHECK_THAT(damaged("[\"ceildiv\", \"N\", 128]", "[\"ceildiv\", \"N\"]"),
             Contains("launches[0].grid[0]: expected an expression"));
  CHECK_THAT(damaged("[\"ceildiv\", \"N\", 128]", "[\"pow\", \"N\", 128]"),
             Contains("unknown operation 'pow'"));
  CHECK_THAT(damaged("[\"ceildiv\", \"N\", 128]", "\"Q\""),
             Contains("launches[0]: 'Q' is neither a dynamic size"));
  CHECK_THAT(damaged("\"param\": \"A\"", "\"param\": \"Z\""),
             Contains("launches[0].args[0]: there is no parameter 'Z'"));
  CHECK_THAT(damaged("\"param\": \"A\"", "\"param\": \"alpha\""),
             Contains("parameter 'alpha' is a scalar"));
  CHECK_THAT(damaged("\"rank\": 2", "\"rank\": 3"),
             Contains("does not match 'rank'"));
  CHECK_THAT(damaged("\"rank\": 2", "\"rank\": 6"),
             Contains("6 is not in 1..5"));
  CHECK_THAT(damaged("[384, 1, 1]", "[384, 0, 1]"),
             Contains("launches[0].block[1]: 0 is not in"));
  CHECK_THAT(damaged("197632", "-1"), Contains("shared_bytes: -1 is not in"));
  CHECK_THAT(damaged("197632", "1.5"), Contains("expected an integer"));
  CHECK_THAT(damaged("\"param\": \"C\"", "\"param\": \"C\", \"alignment\": 0"),
             Contains("launches[0].args[1].alignment: 0 is not in 1..4096"));
  CHECK_THAT(damaged("false", "0"), Contains("expected true or false"));
  CHECK_THAT(errorText([] { parseMetadata("[]", "k.json"); }),
             Contains("top level: expected an object, got array"));
  CHECK_THAT(errorText([] { readMetadata("/no/such/k.json"); }),
             Contains("'/no/such/k.json': No such file"));
}

TEST_CASE("metadata: every truncation is refused", "[metadata]") {
  for (const char *example : {test::kGemmJson, kChain}) {
    std::string text = writeMetadata(parseMetadata(example, "a"));
    text.pop_back(); // the final newline
    for (std::size_t size = 0; size < text.size(); ++size)
      REQUIRE(errorText([&] { parseMetadata(text.substr(0, size), "k"); }) !=
              "no error");
  }
}

TEST_CASE("metadata: workspaces of the call read as they say", "[metadata]") {
  LaunchMetadata chain = parseMetadata(kChain, "k.json");
  REQUIRE(chain.workspaces.size() == 2);
  CHECK(chain.workspaces[0].name == "W");
  CHECK(chain.workspaces[0].dtype == DType::Float16);
  CHECK(chain.workspaces[0].shape ==
        std::vector<Expr>{Expr(ExprOp::Add, "n", 1), 64});
  CHECK(chain.workspaceIndex("V") == 1);
  CHECK(chain.workspaceIndex("A") == -1);
  const auto &pointer = std::get<PointerArg>(chain.launches[0].args[1]);
  CHECK(pointer.param.empty());
  CHECK(pointer.workspace == "W");
  CHECK(pointer.alignment == 16);
  const auto &map = std::get<TensorMapArg>(chain.launches[1].args[0]);
  CHECK(map.param.empty());
  CHECK(map.workspace == "W");
  std::string once = writeMetadata(chain);
  CHECK_THAT(once, Contains("\"version\": 2"));
  CHECK(writeMetadata(parseMetadata(once, "b")) == once);
  // A file that has none can be read by what knew none.
  CHECK_THAT(writeMetadata(parseMetadata(test::kGemmJson, "a")),
             Contains("\"version\": 1") && !Contains("workspaces"));
}

TEST_CASE("metadata: wrong workspaces are refused with the place",
          "[metadata]") {
  auto broken = [](const std::string &from, const std::string &to) {
    return damaged(from, to, kChain);
  };
  CHECK_THAT(broken("\"version\": 2", "\"version\": 1"),
             Contains("workspaces: a file of version 1 has none"));
  CHECK_THAT(broken("\"name\": \"V\"", "\"name\": \"W\""),
             Contains("workspaces[1]: workspace 'W' appears twice"));
  CHECK_THAT(broken("\"name\": \"V\"", "\"name\": \"\""),
             Contains("workspaces[1].name: expected a name"));
  CHECK_THAT(broken("\"name\": \"V\",", ""),
             Contains("workspaces[1]") && Contains("'name' is missing"));
  CHECK_THAT(broken("\"int32\"", "\"int31\""),
             Contains("workspaces[1].dtype: unknown dtype 'int31'"));
  CHECK_THAT(broken("[[\"+\", \"n\", 1], 64]", "[]"),
             Contains("workspaces[0].shape: expected 1 to 8 dimensions"));
  CHECK_THAT(broken("[[\"+\", \"n\", 1], 64]", "[1, 1, 1, 1, 1, 1, 1, 1, 1]"),
             Contains("workspaces[0].shape: expected 1 to 8 dimensions"));
  CHECK_THAT(broken("[[\"+\", \"n\", 1], 64]", "[\"q\"]"),
             Contains("workspaces[0]: 'q' is neither a dynamic size"));
  CHECK_THAT(broken("\"workspace\": \"W\"", "\"workspace\": \"U\""),
             Contains("launches[0].args[1]: there is no workspace 'U'"));
  CHECK_THAT(broken("\"workspace\": \"W\"", "\"workspace\": \"\""),
             Contains("launches[0].args[1].workspace: expected a name"));
  CHECK_THAT(broken("\"param\": \"A\"", "\"param\": \"\""),
             Contains("launches[0].args[0].param: expected a name"));
  CHECK_THAT(
      broken("\"param\": \"A\"", "\"param\": \"A\", \"workspace\": \"W\""),
      Contains("expected either 'param' or 'workspace'"));
  CHECK_THAT(broken("\"param\": \"A\"", "\"alignment\": 4"),
             Contains("expected either 'param' or 'workspace'"));
  CHECK_THAT(broken("\"param\": \"A\"", "\"param\": \"W\""),
             Contains("launches[0].args[0]: there is no parameter 'W'"));
  // The allocator gives no more.
  CHECK_THAT(broken("\"alignment\": 16", "\"alignment\": 512"),
             Contains("launches[0].args[1].alignment: 512 is not in 1..256"));
  CHECK_THAT(broken("\"workspaces\": [", "\"workspaces\": {\"a\": "),
             Contains("k.json"));
}

TEST_CASE("metadata: deep nesting is refused, not followed", "[metadata]") {
  std::string deep;
  for (int i = 0; i < 100000; ++i)
    deep += "[\"+\",1,";
  CHECK_THAT(damaged("[\"ceildiv\", \"N\", 128]",
                     deep + "1" + std::string(100000, ']')),
             Contains("nests too deeply"));
}
