// dlopen and the way from our tensors to those of the C interface. A library
// stays loaded: unloading one that holds CUDA modules gains nothing.
#include "kernels/harness/Peer.h"

#include "tlc/Error.h"

#include <dlfcn.h>
#include <string_view>

namespace tlc::kernels {

std::shared_ptr<PeerLibrary> PeerLibrary::open(const std::string &path) {
  // Without a slash, dlopen would search the system's folders.
  const std::string file =
      path.find('/') == std::string::npos ? "./" + path : path;
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw Error(ErrorCode::Io,
                "cannot load the peer library '" + path + "': " + dlerror());
  std::shared_ptr<PeerLibrary> peer(new PeerLibrary);
  peer->path = path;
  const auto bind = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, name));
    if (function == nullptr)
      throw Error(ErrorCode::InvalidArgument, "'" + path +
                                                  "' is no peer library: it "
                                                  "has no function " +
                                                  name);
  };
  bind(peer->version, "tlc_peer_version");
  bind(peer->kernelName, "tlc_peer_kernel");
  bind(peer->prepareKernel, "tlc_peer_prepare");
  bind(peer->launchKernel, "tlc_peer_launch");
  bind(peer->releaseKernel, "tlc_peer_release");
  if (const int version = peer->version(); version != TLC_PEER_ABI_VERSION)
    throw Error(ErrorCode::InvalidArgument,
                "the peer library '" + path + "' has interface version " +
                    std::to_string(version) + ", expected " +
                    std::to_string(TLC_PEER_ABI_VERSION));
  return peer;
}

std::vector<std::string>
PeerLibrary::kernels(const std::string &benchmark) const {
  std::vector<std::string> names;
  for (int i = 0;; ++i) {
    const char *name = kernelName(benchmark.c_str(), i);
    if (name == nullptr)
      return names;
    names.emplace_back(name);
  }
}

std::unique_ptr<PeerPlan> PeerLibrary::prepare(const PeerProblem &problem,
                                               int kernel) const {
  std::vector<tlc_peer_tensor> tensors;
  tensors.reserve(problem.tensors.size());
  for (const auto &[name, tensor] : problem.tensors)
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): a literal
    tensors.push_back({name.c_str(), tlc::name(tensor.dtype).data(),
                       tensor.data, static_cast<std::int32_t>(tensor.rank()),
                       tensor.shape.begin()});
  std::vector<tlc_peer_number> numbers;
  numbers.reserve(problem.numbers.size());
  for (const auto &[name, value] : problem.numbers)
    numbers.push_back({name.c_str(), value});
  const tlc_peer_problem raw{
      problem.benchmark.c_str(), static_cast<std::int32_t>(tensors.size()),
      tensors.data(), static_cast<std::int32_t>(numbers.size()),
      numbers.data()};
  void *handle = nullptr;
  char message[256] = "";
  const int status =
      prepareKernel(&raw, kernel, &handle, message, sizeof message);
  if (status == 0)
    return std::make_unique<PeerPlan>(shared_from_this(), handle);
  if (status == 1)
    return nullptr;
  message[sizeof message - 1] = '\0';
  throw Error(ErrorCode::Device, "'" + path + "' cannot prepare kernel " +
                                     std::to_string(kernel) + ": " + message);
}

PeerPlan::~PeerPlan() {
  if (handle != nullptr)
    peer->releaseKernel(handle);
}

void PeerPlan::launch(rt::cu::Stream stream) const {
  if (const int status = peer->launchKernel(handle, stream); status != 0)
    throw Error(ErrorCode::Device, "a kernel of '" + peer->path +
                                       "' failed to launch with status " +
                                       std::to_string(status));
}

} // namespace tlc::kernels
