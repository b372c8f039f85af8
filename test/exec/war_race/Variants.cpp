// The list of forms and its file.
#include "test/exec/war_race/Variants.h"

#include "kernels/harness/WholeFile.h"
#include "tlc/Error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace tlc::test {

using Json = nlohmann::ordered_json;

std::span<const Shape> allShapes() {
  static const Shape shapes[] = {{"32K/32", 16, 32},
                                 {"8K/16", 8, 16},
                                 {"4K/4", 16, 4},
                                 {"40seg/2", 40, 2}};
  return shapes;
}

std::vector<std::string> allPaths() {
  std::vector<std::string> names;
  for (const kernels::StateProblem &problem : kernels::mainPaths({1}, 1))
    names.push_back(kernels::pathName(problem));
  return names;
}

kernels::StateProblem problemOf(const std::string &path, const Shape &shape) {
  for (const kernels::StateProblem &problem :
       kernels::mainPaths({shape.segments}, shape.heads))
    if (kernels::pathName(problem) == path)
      return problem;
  throw Error(ErrorCode::InvalidArgument, "there is no path '" + path + "'");
}

bool RaceVariant::isDefect() const {
  return std::ranges::find(kDefects, release) != std::end(kDefects);
}

static std::string indexPath(const std::string &folder) {
  return folder + "/index.json";
}

void writeIndex(const std::string &folder,
                std::span<const RaceVariant> variants) {
  Json list = Json::array();
  for (const RaceVariant &variant : variants)
    list.push_back({{"path", variant.path},
                    {"heads", variant.heads},
                    {"structure", variant.structure},
                    {"release", variant.release},
                    {"file", variant.file},
                    {"problem", variant.problem},
                    {"rings", variant.rings}});
  kernels::writeWholeFile(indexPath(folder), list.dump(1) + "\n");
}

std::vector<RaceVariant> readIndex(const std::string &folder) {
  std::ifstream file(indexPath(folder));
  if (!file)
    throw Error(ErrorCode::Io,
                "cannot read '" + indexPath(folder) +
                    "': war_race_variants --compiled FOLDER makes it");
  std::vector<RaceVariant> variants;
  const Json list = Json::parse(file, nullptr, /*allow_exceptions=*/false);
  try {
    for (const Json &entry : list)
      variants.push_back(
          {entry.at("path"), entry.at("heads"), entry.at("structure"),
           entry.at("release"), entry.at("file"), entry.at("problem"),
           entry.at("rings").get<std::map<std::string, std::int64_t>>()});
  } catch (const Json::exception &error) {
    throw Error(ErrorCode::InvalidArgument,
                "'" + indexPath(folder) + "' is damaged: " + error.what());
  }
  return variants;
}

const RaceVariant *findVariant(std::span<const RaceVariant> variants,
                               const std::string &path, std::int64_t heads,
                               const std::string &structure,
                               const std::string &release) {
  for (const RaceVariant &variant : variants)
    if (variant.path == path && variant.heads == heads &&
        variant.structure == structure && variant.release == release)
      return &variant;
  return nullptr;
}

} // namespace tlc::test
