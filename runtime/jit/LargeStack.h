// The compiler recurses over its input, and accepts input that is nested too
// deeply for the stack of a host program's threads.
#pragma once

#include <functional>

namespace tlc::rt {

/// Calls `action` on a thread with a stack for the deepest input that the
/// compiler accepts, and waits. What it throws is thrown here.
void onLargeStack(const std::function<void()> &action);

} // namespace tlc::rt
