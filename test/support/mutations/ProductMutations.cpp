// Products: their registers, their groups, and the release of what they read.
#include "test/support/mutations/Mutations.h"
#include "test/support/mutations/Places.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

static bool leaveOneRunning(tile::KernelOp kernel) {
  auto wait = first<sm::WgmmaWaitOp>(kernel);
  if (wait)
    wait.setPending(1);
  return bool(wait);
}

/// The release of the slot that the first product reads, before the product.
static bool releaseBefore(tile::KernelOp kernel) {
  std::string ring =
      barrier(kernel, "m_shared_empty") ? "m_shared" : ringName(kernel);
  auto arrive = on<sm::MBarrierArriveOp>(kernel, ring + "_empty");
  auto wait = on<sm::MBarrierWaitOp>(kernel, ring + "_full");
  if (arrive && wait)
    arrive->moveAfter(wait);
  return arrive && wait;
}

/// Both slots of correct_h0 go back where h does.
static bool releaseTogether(tile::KernelOp kernel) {
  auto ofH = on<sm::MBarrierArriveOp>(kernel, "h_shared_empty");
  auto ofM = on<sm::MBarrierArriveOp>(kernel, "m_shared_empty");
  if (!ofH || !ofM)
    return false;
  Operation *stage = ofM.getStage().getDefiningOp();
  stage->moveAfter(ofH);
  ofM->moveAfter(stage);
  return true;
}

std::vector<Mutation> tlc::test::productMutations() {
  return {
      {"wgmma-wait-one", "the wait leaves one product running", "4.5, 1: 1, 2",
       "kv kv-bwd gemm", Caught::Both, leaveOneRunning},
      {"wgmma-wait-dropped", "nothing waits for the product", "1: 1, 2",
       "kv gemm", Caught::Both,
       [](tile::KernelOp k) { return erase(first<sm::WgmmaWaitOp>(k)); }},
      {"wgmma-commit-dropped", "the product is in no group", "1: 2", "kv gemm",
       Caught::Both,
       [](tile::KernelOp k) { return erase(first<sm::WgmmaCommitOp>(k)); }},
      {"wgmma-fence-dropped", "no wgmma.fence before the product", "2.3 E12",
       "kv gemm", Caught::Both,
       [](tile::KernelOp k) { return erase(first<sm::WgmmaFenceOp>(k)); }},
      {"release-before-product", "the slot goes back before the product", "4.5",
       "kv vk gemm", Caught::Both, releaseBefore},
      {"release-together", "m goes back where h does", "4.5", "kv vk",
       Caught::Both, releaseTogether},
  };
}
