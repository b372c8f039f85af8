// Peer libraries: what one is asked, and what is said of those that are none.
#include "kernels/harness/Peer.h"
#include "test/support/Catch.h"
#include "tlc/Error.h"

using namespace tlc;
using kernels::PeerLibrary;

static kernels::PeerProblem problem(std::int64_t status) {
  static float memory[6];
  Tensor tensor;
  tensor.data = memory;
  tensor.shape = {2, 3};
  return {"twice", {{"X", tensor}}, {{"n", 6}, {"status", status}}};
}

static std::string messageOf(const std::function<void()> &action,
                             ErrorCode code) {
  try {
    action();
  } catch (const Error &error) {
    CHECK(error.code() == code);
    return error.what();
  }
  return "nothing was thrown";
}

TEST_CASE("a peer library lists, prepares and launches its kernels") {
  const auto peer = PeerLibrary::open(PEER_GOOD);
  CHECK(peer->kernels("twice") == std::vector<std::string>{"one", "(bound)"});
  CHECK(peer->kernels("other").empty());
  const auto plan = peer->prepare(problem(0), 0);
  REQUIRE(plan);
  // The library checks name, dtype, shape and number before it agrees, and
  // counts launches in the memory of X.
  plan->launch(nullptr);
  plan->launch(nullptr);
  const auto *x =
      static_cast<const float *>(problem(0).tensors.front().second.data);
  CHECK(x[0] == 2);
}

TEST_CASE("a peer may have nothing for a problem, or fail with a reason") {
  const auto peer = PeerLibrary::open(PEER_GOOD);
  CHECK(peer->prepare(problem(1), 0) == nullptr);
  CHECK_THAT(
      messageOf([&] { peer->prepare(problem(2), 0); }, ErrorCode::Device),
      Catch::Contains("cannot prepare kernel 0: asked to fail"));
}

TEST_CASE("a launch that fails names the library and the status") {
  const auto peer = PeerLibrary::open(PEER_GOOD);
  const auto plan = peer->prepare(problem(0), 1);
  CHECK_THAT(messageOf([&] { plan->launch(nullptr); }, ErrorCode::Device),
             Catch::Contains(PEER_GOOD) && Catch::Contains("status 77"));
}

TEST_CASE("what is no peer library is refused") {
  CHECK_THAT(
      messageOf([] { PeerLibrary::open("no-such-file.so"); }, ErrorCode::Io),
      Catch::Contains("cannot load the peer library 'no-such-file.so'"));
  CHECK_THAT(messageOf([] { PeerLibrary::open(PEER_EMPTY); },
                       ErrorCode::InvalidArgument),
             Catch::Contains("has no function tlc_peer_version"));
  CHECK_THAT(messageOf([] { PeerLibrary::open(PEER_OLD); },
                       ErrorCode::InvalidArgument),
             Catch::Contains("has interface version 0, expected 1"));
}
