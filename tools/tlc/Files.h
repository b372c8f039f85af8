// Files that appear complete or not at all.
#pragma once

#include "compiler/support/Diagnostics.h"

#include <string>
#include <vector>

namespace tlc::cli {

struct OutputFile {
  std::string path;
  std::string bytes;
};

/// Writes each file under a temporary name in its folder, then renames all of
/// them. What exists and is no regular file (a device, a pipe) is written to in
/// place. On failure reports it, removes what was begun and returns false.
bool writeFiles(const std::vector<OutputFile> &files, DiagnosticEngine &diags);

} // namespace tlc::cli
