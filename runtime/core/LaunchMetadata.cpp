#include "runtime/core/LaunchMetadata.h"

#include "tlc/Error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tlc::rt {

int LaunchMetadata::paramIndex(std::string_view name) const {
  for (std::size_t i = 0; i < params.size(); ++i)
    if (params[i].name == name)
      return static_cast<int>(i);
  return -1;
}

int LaunchMetadata::workspaceIndex(std::string_view name) const {
  for (std::size_t i = 0; i < workspaces.size(); ++i)
    if (workspaces[i].name == name)
      return static_cast<int>(i);
  return -1;
}

LaunchMetadata readMetadata(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(ErrorCode::Io,
                fmt::format("cannot read launch metadata '{}': {}", path,
                            std::strerror(errno)));
  std::ostringstream text;
  text << file.rdbuf();
  return parseMetadata(text.str(), path);
}

} // namespace tlc::rt
