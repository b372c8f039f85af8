// The message of the tlc::Error that a call throws.
#pragma once

#include "tlc/Error.h"

#include <string>

namespace tlc::test {

/// Calls `action` and returns the text of the tlc::Error it throws, or "no
/// error". `code`, when given, receives the error's code.
template <class Action>
std::string errorText(Action action, ErrorCode *code = nullptr) {
  try {
    action();
  } catch (const Error &error) {
    if (code)
      *code = error.code();
    return error.what();
  }
  return "no error";
}

} // namespace tlc::test
