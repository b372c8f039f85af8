// The one exception type that leaves tlc's runtime. What went wrong is text for
// a person; the code says whose turn it is to act.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tlc {

enum class ErrorCode {
  InvalidArgument, ///< the caller's argument, file or kernel is wrong
  Unsupported,     ///< valid, but this version cannot do it
  Compile,         ///< the kernel source has errors; text holds the diagnostics
  Io,              ///< a file cannot be read or written, or is damaged
  Environment,     ///< no driver, no device, or a library too old or missing
  Device,          ///< the device reported a failure while running
  Internal,        ///< our fault
};

/// Thrown by everything in runtime/. `what()` is complete: it names the kernel,
/// parameter or file, what was expected and what was found.
class Error : public std::runtime_error {
public:
  Error(ErrorCode code, const std::string &message)
      : std::runtime_error(message), errorCode(code) {}

  /// The same with what the compiler says, which `what()` ends with.
  Error(ErrorCode code, const std::string &message,
        const std::string &diagnostics)
      : std::runtime_error(message + ":\n" + diagnostics), errorCode(code),
        rendered(std::make_shared<const std::string>(diagnostics)) {}

  ErrorCode code() const noexcept { return errorCode; }
  /// The rendered diagnostics of a compilation; empty for other errors.
  std::string_view diagnostics() const noexcept {
    return rendered ? *rendered : std::string_view();
  }

private:
  ErrorCode errorCode;
  std::shared_ptr<const std::string> rendered; // copying must not throw
};

/// The exit code a command-line tool uses for `code`: 1 input, 3 environment,
/// 70 internal.
constexpr int exitCode(ErrorCode code) {
  switch (code) {
  case ErrorCode::Environment:
  case ErrorCode::Device:
    return 3;
  case ErrorCode::Internal:
    return 70;
  default:
    return 1;
  }
}

} // namespace tlc
