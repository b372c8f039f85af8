// Which build of tlc this is: two that could compile a kernel differently
// differ in it.
#pragma once

#include <string>

namespace tlc::rt {

/// The version, then what identifies the program or library that holds this
/// function: its linker's build id, else its size and time.
const std::string &buildId();

} // namespace tlc::rt
