// Reads the text form of launch metadata. Strict: unknown keys, wrong types,
// missing keys and names that are not declared are errors that say where.
#include "runtime/core/JsonNode.h"
#include "runtime/core/LaunchMetadata.h"
#include "runtime/core/MetadataNames.h"

namespace tlc::rt {
namespace {

Expr parseExpr(const JsonNode &node, unsigned depth = 0) {
  constexpr unsigned kMaxDepth = 30;
  if (node.json.is_number())
    return Expr(node.integer());
  if (node.json.is_string())
    return Expr(node.string());
  if (!node.json.is_array() || node.size() != 3)
    node.fail("expected an expression: an integer, a name, or [op, a, b]");
  if (depth == kMaxDepth)
    node.fail("the expression nests too deeply");
  std::string text = node.at(std::size_t{0}).string();
  for (int op = int(ExprOp::Add); op <= int(ExprOp::Max); ++op)
    if (spelling(static_cast<ExprOp>(op)) == text)
      return Expr(static_cast<ExprOp>(op), parseExpr(node.at(1), depth + 1),
                  parseExpr(node.at(2), depth + 1));
  node.fail(fmt::format("unknown operation '{}'", text));
}

std::vector<Expr> exprs(const JsonNode &node) {
  std::vector<Expr> list;
  for (std::size_t i = 0, e = node.size(); i < e; ++i)
    list.push_back(parseExpr(node.at(i)));
  return list;
}

ParamInfo parseParam(const JsonNode &node) {
  node.expectKeys({"name", "kind", "dtype", "shape", "strides", "access"});
  ParamInfo param;
  param.name = node.at("name").string();
  param.kind = node.at("kind").choice<ParamKind>(kParamKinds);
  if (param.kind == ParamKind::Handle)
    return param;
  param.dtype = node.at("dtype").dtype();
  if (param.kind == ParamKind::Scalar)
    return param;
  param.shape = exprs(node.at("shape"));
  if (param.shape.size() > kMaxRank)
    node.at("shape").fail(fmt::format("more than {} dimensions", kMaxRank));
  if (node.has("strides"))
    param.strides = exprs(node.at("strides"));
  if (!param.strides.empty() && param.strides.size() != param.shape.size())
    node.at("strides").fail("expected one stride for each dimension");
  param.access = node.at("access").choice<Access>(kAccesses);
  return param;
}

std::string nonEmpty(const JsonNode &node) {
  std::string name = node.string();
  if (name.empty())
    node.fail("expected a name");
  return name;
}

WorkspaceInfo parseWorkspace(const JsonNode &node) {
  node.expectKeys({"name", "dtype", "shape"});
  WorkspaceInfo workspace;
  workspace.name = nonEmpty(node.at("name"));
  workspace.dtype = node.at("dtype").dtype();
  workspace.shape = exprs(node.at("shape"));
  if (workspace.shape.empty() || workspace.shape.size() > kMaxRank)
    node.at("shape").fail(fmt::format("expected 1 to {} dimensions", kMaxRank));
  return workspace;
}

/// The tensor that a pointer or tensor map is of.
template <class Arg> void parseBase(const JsonNode &node, Arg &arg) {
  if (node.has("param") == node.has("workspace"))
    node.fail("expected either 'param' or 'workspace'");
  if (node.has("param"))
    arg.param = nonEmpty(node.at("param"));
  else
    arg.workspace = nonEmpty(node.at("workspace"));
}

TensorMapArg parseTensorMap(const JsonNode &node) {
  node.expectKeys({"kind", "param", "workspace", "dtype", "rank", "global_dims",
                   "global_strides_bytes", "box", "element_strides", "swizzle",
                   "l2_promotion", "oob_fill", "base_offset_bytes"});
  constexpr std::string_view kFills[] = {"zero"};
  TensorMapArg map;
  parseBase(node, map);
  map.dtype = node.at("dtype").dtype();
  std::size_t rank = node.at("rank").integer(1, 5);
  map.globalDims = exprs(node.at("global_dims"));
  map.globalStridesBytes = exprs(node.at("global_strides_bytes"));
  map.box = node.at("box").counts();
  map.elementStrides = node.at("element_strides").counts();
  map.swizzle = node.at("swizzle").choice<Swizzle>(kSwizzles);
  map.l2Promotion = node.at("l2_promotion").choice<L2Promotion>(kPromotions);
  node.at("oob_fill").choice<int>(kFills);
  if (node.has("base_offset_bytes"))
    map.baseOffsetBytes = parseExpr(node.at("base_offset_bytes"));
  if (map.globalDims.size() != rank || map.box.size() != rank ||
      map.elementStrides.size() != rank ||
      map.globalStridesBytes.size() != rank - 1)
    node.fail("a list does not match 'rank'");
  return map;
}

LaunchArg parseArg(const JsonNode &node) {
  node.expectObject();
  std::string kind = node.at("kind").string();
  if (kind == "pointer") {
    node.expectKeys({"kind", "param", "workspace", "alignment"});
    PointerArg pointer;
    parseBase(node, pointer);
    std::int64_t most = pointer.param.empty() ? kWorkspaceAlignment : 4096;
    if (node.has("alignment"))
      pointer.alignment =
          static_cast<std::uint32_t>(node.at("alignment").integer(1, most));
    return pointer;
  }
  if (kind == "scalar") {
    node.expectKeys({"kind", "param", "expr", "dtype"});
    ScalarArg scalar;
    if (node.has("param") == node.has("expr"))
      node.fail("expected either 'param' or 'expr'");
    if (node.has("param"))
      scalar.param = node.at("param").string();
    else
      scalar.expr = parseExpr(node.at("expr"));
    scalar.dtype = node.at("dtype").dtype();
    return scalar;
  }
  if (kind == "workspace") {
    node.expectKeys({"kind", "bytes", "zero"});
    return WorkspaceArg{parseExpr(node.at("bytes")), node.at("zero").boolean()};
  }
  if (kind == "tensormap")
    return parseTensorMap(node);
  node.at("kind").fail(fmt::format("unknown kind '{}'", kind));
}

std::array<std::uint32_t, 3> parseExtent3(const JsonNode &node) {
  std::vector<std::uint32_t> list = node.counts();
  if (list.size() != 3)
    node.fail("expected three extents");
  return {list[0], list[1], list[2]};
}

LaunchInfo parseLaunch(const JsonNode &node) {
  node.expectKeys({"symbol", "grid", "block", "cluster", "shared_bytes",
                   "cooperative", "args"});
  LaunchInfo launch;
  launch.symbol = node.at("symbol").string();
  std::vector<Expr> grid = exprs(node.at("grid"));
  if (grid.size() != 3)
    node.at("grid").fail("expected three extents");
  std::move(grid.begin(), grid.end(), launch.grid.begin());
  launch.block = parseExtent3(node.at("block"));
  if (node.has("cluster"))
    launch.cluster = parseExtent3(node.at("cluster"));
  launch.sharedBytes = node.at("shared_bytes").count();
  launch.cooperative = node.at("cooperative").boolean();
  JsonNode args = node.at("args");
  for (std::size_t i = 0, e = args.size(); i < e; ++i)
    launch.args.push_back(parseArg(args.at(i)));
  return launch;
}

KernelResources parseResources(const JsonNode &node,
                               const std::string &symbol) {
  node.expectObject();
  KernelResources resources;
  resources.symbol = symbol;
  for (const auto &item : node.json.items()) {
    auto row = std::find_if(
        std::begin(kResourceKeys), std::end(kResourceKeys),
        [&](const ResourceKey &entry) { return item.key() == entry.key; });
    if (row == std::end(kResourceKeys))
      node.fail(fmt::format("unknown key '{}'", item.key()));
    resources.*(row->figure) = node.at(row->key).integer(0);
  }
  return resources;
}

/// The workspace that an argument names; empty: it names none.
std::string workspaceOf(const LaunchArg &arg) {
  return std::visit(
      [](const auto &kind) -> std::string {
        if constexpr (requires { kind.workspace; })
          return kind.workspace;
        return "";
      },
      arg);
}

/// Every name that a launch uses must be a parameter of the right kind, or a
/// workspace.
void checkNames(const LaunchMetadata &metadata, const JsonNode &top) {
  for (std::size_t l = 0; l < metadata.launches.size(); ++l) {
    const auto &args = metadata.launches[l].args;
    for (std::size_t a = 0; a < args.size(); ++a) {
      std::string name = std::visit(
          [](const auto &arg) -> std::string {
            if constexpr (requires { arg.param; })
              return arg.param;
            return "";
          },
          args[a]);
      JsonNode node = top.at("launches").at(l).at("args").at(a);
      if (std::string workspace = workspaceOf(args[a]);
          name.empty() && !workspace.empty() &&
          metadata.workspaceIndex(workspace) < 0)
        node.fail(fmt::format("there is no workspace '{}'", workspace));
      bool isExpr = name.empty();
      int index = metadata.paramIndex(name);
      if (!isExpr && index < 0)
        node.fail(fmt::format("there is no parameter '{}'", name));
      bool wantsTensor = std::holds_alternative<TensorMapArg>(args[a]);
      bool wantsScalar = std::holds_alternative<ScalarArg>(args[a]);
      if (isExpr)
        continue;
      ParamKind kind = metadata.params[index].kind;
      if ((wantsTensor && kind != ParamKind::Tensor) ||
          (wantsScalar != (kind == ParamKind::Scalar)))
        node.fail(fmt::format("parameter '{}' is a {}", name,
                              kParamKinds[std::size_t(kind)]));
    }
  }
}

/// The names an expression may use: dynamic sizes and integer parameters.
bool isSizeName(const LaunchMetadata &metadata, const std::string &name) {
  const auto &symbols = metadata.symbols;
  if (std::find(symbols.begin(), symbols.end(), name) != symbols.end())
    return true;
  int index = metadata.paramIndex(name);
  return index >= 0 && metadata.params[index].kind == ParamKind::Scalar &&
         metadata.params[index].dtype < DType::Float16;
}

void checkExpr(const Expr &expr, const LaunchMetadata &metadata,
               const JsonNode &node) {
  if (expr.op == ExprOp::Symbol && !isSizeName(metadata, expr.symbol))
    node.fail(fmt::format("'{}' is neither a dynamic size nor an integer "
                          "parameter",
                          expr.symbol));
  for (const Expr &operand : expr.operands)
    checkExpr(operand, metadata, node);
}

void checkArgExprs(const LaunchArg &arg, const LaunchMetadata &metadata,
                   const JsonNode &node) {
  if (const auto *scalar = std::get_if<ScalarArg>(&arg))
    checkExpr(scalar->expr, metadata, node);
  if (const auto *workspace = std::get_if<WorkspaceArg>(&arg))
    checkExpr(workspace->bytes, metadata, node);
  if (const auto *map = std::get_if<TensorMapArg>(&arg)) {
    checkExpr(map->baseOffsetBytes, metadata, node);
    for (const Expr &expr : map->globalDims)
      checkExpr(expr, metadata, node);
    for (const Expr &expr : map->globalStridesBytes)
      checkExpr(expr, metadata, node);
  }
}

void checkExprs(const LaunchMetadata &metadata, const JsonNode &top) {
  for (std::size_t i = 0; i < metadata.params.size(); ++i) {
    JsonNode node = top.at("params").at(i);
    for (const Expr &expr : metadata.params[i].shape)
      checkExpr(expr, metadata, node);
    for (const Expr &expr : metadata.params[i].strides)
      checkExpr(expr, metadata, node);
  }
  for (std::size_t i = 0; i < metadata.workspaces.size(); ++i)
    for (const Expr &expr : metadata.workspaces[i].shape)
      checkExpr(expr, metadata, top.at("workspaces").at(i));
  for (std::size_t i = 0; i < metadata.launches.size(); ++i) {
    JsonNode node = top.at("launches").at(i);
    for (const Expr &expr : metadata.launches[i].grid)
      checkExpr(expr, metadata, node);
    for (const LaunchArg &arg : metadata.launches[i].args)
      checkArgExprs(arg, metadata, node);
  }
}

void parseOutputs(const JsonNode &node, LaunchMetadata &metadata) {
  for (std::size_t i = 0, e = node.size(); i < e; ++i) {
    std::string name = node.at(i).string();
    int index = metadata.paramIndex(name);
    if (index < 0 || metadata.params[index].kind != ParamKind::Tensor)
      node.at(i).fail(fmt::format("there is no tensor parameter '{}'", name));
    if (std::ranges::find(metadata.outputs, name) != metadata.outputs.end())
      node.at(i).fail(fmt::format("'{}' is listed twice", name));
    metadata.outputs.push_back(std::move(name));
  }
}

void parseWorkspaces(const JsonNode &node, LaunchMetadata &metadata) {
  for (std::size_t i = 0, e = node.size(); i < e; ++i) {
    WorkspaceInfo workspace = parseWorkspace(node.at(i));
    if (metadata.workspaceIndex(workspace.name) >= 0)
      node.at(i).fail(
          fmt::format("workspace '{}' appears twice", workspace.name));
    metadata.workspaces.push_back(std::move(workspace));
  }
}

LaunchMetadata parseTop(const JsonNode &top) {
  top.expectObject();
  std::int64_t version = top.at("version").integer();
  if (version < 1 || version > kMetadataVersion)
    top.at("version").fail(
        fmt::format("this tlc reads versions 1 to {} of the metadata, the file "
                    "has version {}; use the tlc that compiled the kernel, or "
                    "compile it again",
                    kMetadataVersion, version));
  top.expectKeys({"version", "target", "name", "params", "symbols", "outputs",
                  "workspaces", "launches", "resources"});
  if (version == 1 && top.has("workspaces"))
    top.at("workspaces").fail("a file of version 1 has none");
  LaunchMetadata metadata;
  metadata.target = top.at("target").string();
  metadata.name = top.at("name").string();
  JsonNode params = top.at("params");
  for (std::size_t i = 0, e = params.size(); i < e; ++i) {
    ParamInfo param = parseParam(params.at(i));
    if (metadata.paramIndex(param.name) >= 0)
      params.at(i).fail(
          fmt::format("parameter '{}' appears twice", param.name));
    metadata.params.push_back(std::move(param));
  }
  JsonNode symbols = top.at("symbols");
  for (std::size_t i = 0, e = symbols.size(); i < e; ++i) {
    symbols.at(i).expectKeys({"name"});
    metadata.symbols.push_back(symbols.at(i).at("name").string());
  }
  if (top.has("outputs"))
    parseOutputs(top.at("outputs"), metadata);
  if (top.has("workspaces"))
    parseWorkspaces(top.at("workspaces"), metadata);
  JsonNode launches = top.at("launches");
  for (std::size_t i = 0, e = launches.size(); i < e; ++i)
    metadata.launches.push_back(parseLaunch(launches.at(i)));
  if (top.has("resources")) {
    JsonNode resources = top.at("resources");
    resources.expectObject();
    for (const auto &item : resources.json.items())
      metadata.resources.push_back(
          parseResources(resources.at(item.key().c_str()), item.key()));
  }
  checkNames(metadata, top);
  checkExprs(metadata, top);
  return metadata;
}

} // namespace

LaunchMetadata parseMetadata(std::string_view text, const std::string &source) {
  Json json;
  // Values nested without end would exhaust the stack when they are destroyed.
  constexpr int kMaxNesting = 100;
  auto limit = [&](int depth, Json::parse_event_t, Json &) {
    if (depth > kMaxNesting)
      throw Error(ErrorCode::Io, source + ": nests too deeply");
    return true;
  };
  try {
    json = Json::parse(text, limit);
  } catch (const nlohmann::json::exception &failure) {
    throw Error(ErrorCode::Io,
                fmt::format("{}: not valid JSON: {}", source, failure.what()));
  }
  return parseTop(JsonNode(json, "", source));
}

} // namespace tlc::rt
