// tlc cache info | clear: the kernels that programs compiled and kept on disk.
#pragma once

namespace tlc::cli {

/// The command line from "cache" on. Returns the exit code.
int runCache(int argc, char **argv);

} // namespace tlc::cli
