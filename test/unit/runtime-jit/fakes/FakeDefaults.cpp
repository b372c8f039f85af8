// Every function of the driver that tlc uses, doing nothing; FakeDriver.cpp
// replaces those that a test can tell.
#include "runtime/core/DriverApi.h"

using namespace tlc::rt::cu;

// NOLINTBEGIN(bugprone-macro-parentheses): a declarator takes none
#define TLC_DO_NOTHING(member, symbol, params)                                 \
  __attribute__((weak)) Result symbol params { return kSuccess; }
extern "C" {
TLC_DRIVER_FUNCTIONS(TLC_DO_NOTHING)
}
#undef TLC_DO_NOTHING
// NOLINTEND(bugprone-macro-parentheses)
