// Writes the text form of launch metadata.
#include "runtime/core/LaunchMetadata.h"
#include "runtime/core/MetadataNames.h"

#include <nlohmann/json.hpp>

namespace tlc::rt {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Expr &expr) {
  switch (expr.op) {
  case ExprOp::Constant:
    return expr.value;
  case ExprOp::Symbol:
    return expr.symbol;
  default:
    return Json::array({spelling(expr.op), toJson(expr.operands[0]),
                        toJson(expr.operands[1])});
  }
}

template <class Range> Json toJsonList(const Range &exprs) {
  Json list = Json::array();
  for (const Expr &expr : exprs)
    list.push_back(toJson(expr));
  return list;
}

Json toJson(const ParamInfo &param) {
  Json json;
  json["name"] = param.name;
  json["kind"] = kParamKinds[std::size_t(param.kind)];
  if (param.kind == ParamKind::Handle)
    return json;
  json["dtype"] = name(param.dtype);
  if (param.kind == ParamKind::Scalar)
    return json;
  json["shape"] = toJsonList(param.shape);
  if (!param.strides.empty())
    json["strides"] = toJsonList(param.strides);
  json["access"] = kAccesses[std::size_t(param.access)];
  return json;
}

Json toJson(const PointerArg &arg) {
  Json json;
  json["kind"] = "pointer";
  json[arg.param.empty() ? "workspace" : "param"] =
      arg.param.empty() ? arg.workspace : arg.param;
  if (arg.alignment != 1)
    json["alignment"] = arg.alignment;
  return json;
}

Json toJson(const ScalarArg &arg) {
  Json json;
  json["kind"] = "scalar";
  if (arg.param.empty())
    json["expr"] = toJson(arg.expr);
  else
    json["param"] = arg.param;
  json["dtype"] = name(arg.dtype);
  return json;
}

Json toJson(const TensorMapArg &arg) {
  Json json;
  json["kind"] = "tensormap";
  json[arg.param.empty() ? "workspace" : "param"] =
      arg.param.empty() ? arg.workspace : arg.param;
  json["dtype"] = name(arg.dtype);
  json["rank"] = arg.globalDims.size();
  json["global_dims"] = toJsonList(arg.globalDims);
  json["global_strides_bytes"] = toJsonList(arg.globalStridesBytes);
  json["box"] = arg.box;
  json["element_strides"] = arg.elementStrides;
  json["swizzle"] = kSwizzles[std::size_t(arg.swizzle)];
  json["l2_promotion"] = kPromotions[std::size_t(arg.l2Promotion)];
  json["oob_fill"] = "zero";
  json["base_offset_bytes"] = toJson(arg.baseOffsetBytes);
  return json;
}

Json toJson(const WorkspaceArg &arg) {
  Json json;
  json["kind"] = "workspace";
  json["bytes"] = toJson(arg.bytes);
  json["zero"] = arg.zero;
  return json;
}

Json toJson(const WorkspaceInfo &workspace) {
  Json json;
  json["name"] = workspace.name;
  json["dtype"] = name(workspace.dtype);
  json["shape"] = toJsonList(workspace.shape);
  return json;
}

Json toJson(const LaunchInfo &launch) {
  Json json;
  json["symbol"] = launch.symbol;
  json["grid"] = toJsonList(launch.grid);
  json["block"] = launch.block;
  json["cluster"] = launch.cluster;
  json["shared_bytes"] = launch.sharedBytes;
  json["cooperative"] = launch.cooperative;
  json["args"] = Json::array();
  for (const LaunchArg &arg : launch.args)
    json["args"].push_back(
        std::visit([](const auto &kind) { return toJson(kind); }, arg));
  return json;
}

Json toJson(const KernelResources &resources) {
  Json json = Json::object();
  for (const ResourceKey &row : kResourceKeys)
    if (const std::optional<std::int64_t> &figure = resources.*(row.figure))
      json[row.key] = *figure;
  return json;
}

} // namespace

std::string writeMetadata(const LaunchMetadata &metadata) {
  Json json;
  json["version"] = metadata.workspaces.empty() ? 1 : kMetadataVersion;
  json["target"] = metadata.target;
  json["name"] = metadata.name;
  json["params"] = Json::array();
  for (const ParamInfo &param : metadata.params)
    json["params"].push_back(toJson(param));
  json["symbols"] = Json::array();
  for (const std::string &symbol : metadata.symbols)
    json["symbols"].push_back(Json{{"name", symbol}});
  if (!metadata.outputs.empty())
    json["outputs"] = metadata.outputs;
  for (const WorkspaceInfo &workspace : metadata.workspaces)
    json["workspaces"].push_back(toJson(workspace));
  json["launches"] = Json::array();
  for (const LaunchInfo &launch : metadata.launches)
    json["launches"].push_back(toJson(launch));
  json["resources"] = Json::object();
  for (const KernelResources &resources : metadata.resources)
    json["resources"][resources.symbol] = toJson(resources);
  return json.dump(2) + "\n";
}

} // namespace tlc::rt
