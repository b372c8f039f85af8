// Files that appear complete or not at all.
#pragma once

#include <string>
#include <string_view>

namespace tlc::kernels {

/// Writes `text` beside `path` and renames it to `path`. What exists and is no
/// regular file (a pipe, /dev/stdout) is written to in place. Throws tlc::Error
/// (Io) and leaves nothing behind.
void writeWholeFile(const std::string &path, std::string_view text);

} // namespace tlc::kernels
