// Bytes of shared memory and registers.
#include "test/support/mutations/Mutations.h"
#include "test/support/mutations/Places.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

static bool overlap(tile::KernelOp kernel, StringRef name, StringRef other) {
  sm::SharedOp a = sharedTile(kernel, name), b = sharedTile(kernel, other);
  if (a && b)
    a.setOffset(b.getOffset());
  return a && b;
}

/// Three warpgroups of 240 registers want more than the SM has.
static bool askForRegisters(tile::KernelOp kernel) {
  for (sm::RoleOp role : all<sm::RoleOp>(kernel)) {
    if (role.getName() != "consumer")
      continue;
    OpBuilder b(role.getContext());
    b.setInsertionPointToStart(&role.getBody().front());
    sm::SetMaxNRegOp::create(b, role.getLoc(), 240, /*increase=*/true);
    return true;
  }
  return false;
}

std::vector<Mutation> tlc::test::resourceMutations() {
  return {
      {"rings-share-bytes", "two rings in the same bytes", "4.5, 1: 25, 35",
       "kv vk", Caught::Both,
       [](tile::KernelOp k) { return overlap(k, "h_shared", "m_shared"); }},
      {"local-shares-bytes", "the consumer's own tile in the bytes of a ring",
       "4.5, 1: 28, 35", "kv vk", Caught::Both,
       [](tile::KernelOp k) { return overlap(k, "hd_shared", "m_shared"); }},
      {"registers-of-three", "three warpgroups raise their registers to 240",
       "4.5, 1: 33", "gemm-three", Caught::Both, askForRegisters},
  };
}
