// Kernels of others beside ours: a shared library with the functions of
// PeerAbi.h.
#pragma once

#include "kernels/harness/PeerAbi.h"
#include "runtime/core/Driver.h"
#include "tlc/Tensor.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tlc::kernels {

/// What a peer kernel gets, with the meaning of tlc_peer_problem.
struct PeerProblem {
  std::string benchmark;
  std::vector<std::pair<std::string, Tensor>> tensors;
  std::vector<std::pair<std::string, std::int64_t>> numbers;
};

class PeerLibrary;

/// Launches of one peer kernel on one set of tensors.
class PeerPlan {
public:
  PeerPlan(std::shared_ptr<const PeerLibrary> peer, void *handle)
      : peer(std::move(peer)), handle(handle) {}
  PeerPlan(PeerPlan &&other) noexcept
      : peer(std::move(other.peer)),
        handle(std::exchange(other.handle, nullptr)) {}
  PeerPlan &operator=(PeerPlan &&) = delete;
  ~PeerPlan();

  /// Throws tlc::Error (Device) when the library reports a failure.
  void launch(rt::cu::Stream stream) const;

private:
  std::shared_ptr<const PeerLibrary> peer;
  void *handle;
};

class PeerLibrary : public std::enable_shared_from_this<PeerLibrary> {
public:
  /// Loads `path`. Throws tlc::Error: Io when it cannot be loaded,
  /// InvalidArgument when it is no peer library or of another version.
  static std::shared_ptr<PeerLibrary> open(const std::string &path);
  PeerLibrary(const PeerLibrary &) = delete;
  PeerLibrary &operator=(const PeerLibrary &) = delete;

  /// The names of its kernels for `benchmark`.
  std::vector<std::string> kernels(const std::string &benchmark) const;
  /// Nothing when the kernel is not for this problem. Throws tlc::Error
  /// (Device) for what the library reports.
  std::unique_ptr<PeerPlan> prepare(const PeerProblem &problem,
                                    int kernel) const;

private:
  friend class PeerPlan;
  PeerLibrary() = default;

  std::string path;
  decltype(&tlc_peer_version) version = nullptr;
  decltype(&tlc_peer_kernel) kernelName = nullptr;
  decltype(&tlc_peer_prepare) prepareKernel = nullptr;
  decltype(&tlc_peer_launch) launchKernel = nullptr;
  decltype(&tlc_peer_release) releaseKernel = nullptr;
};

} // namespace tlc::kernels
