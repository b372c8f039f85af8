// tlc::Device: the user's choice, resolved only when something is asked of it.
#include "tlc/Device.h"

#include "runtime/core/Driver.h"
#include "runtime/core/Stream.h"
#include "tlc/Error.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace tlc {

Device Device::best() {
  const char *variable = std::getenv("TLC_DEVICE");
  std::string_view text = variable ? variable : "";
  if (text.empty() || text == "auto")
    return rt::Driver::available() ? gpu() : virtual_sm();
  if (text == "virtual")
    return virtual_sm();
  if (text == "interp")
    return interp();
  if (text == "gpu")
    return gpu();
  int ordinal = -1;
  if (text.starts_with("gpu:")) {
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(text.data() + 4, end, ordinal);
    if (error == std::errc() && stop == end && ordinal >= 0)
      return gpu(ordinal);
  }
  throw Error(
      ErrorCode::InvalidArgument,
      fmt::format("TLC_DEVICE is '{}', expected gpu, gpu:N, virtual or interp",
                  text));
}

std::string Device::name() const {
  if (isInterp())
    return "interpreter (CPU)";
  return isVirtual() ? "virtual SM (CPU)" : rt::Device::get(index).name();
}

void synchronize(Device device) {
  if (!device.isVirtual())
    rt::synchronizeDevice(device.ordinal());
}

} // namespace tlc
