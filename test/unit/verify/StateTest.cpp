// Joins of the abstract domain: whatever holds on one path must survive.
#include "compiler/verify/State.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "test/support/Catch.h"

using namespace mlir;
using namespace tlc::verify;

namespace {
/// Ops to stand for accesses.
struct Ops {
  Ops() {
    context.loadDialect<tlc::sm::SmDialect>();
    OpBuilder b(&context);
    module = ModuleOp::create(b, b.getUnknownLoc());
    b.setInsertionPointToEnd(module->getBody());
    for (Operation *&op : ops)
      op = tlc::sm::MembarOp::create(b, b.getUnknownLoc());
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Operation *ops[4];
};

AsyncGroup groupOf(Operation *op) {
  AsyncGroup group;
  group.op = op;
  return group;
}
} // namespace

TEST_CASE("verify: a wait leaves the newest groups in flight", "[verify]") {
  Ops o;
  AsyncQueue queue;
  for (int i = 0; i < 3; ++i) {
    queue.open = groupOf(o.ops[i]);
    queue.commit();
  }
  auto done = queue.retire(1);
  REQUIRE(done.size() == 2);
  CHECK(done[0].op == o.ops[0]);
  CHECK(done[1].op == o.ops[1]);
  REQUIRE(queue.committed.size() == 1);
  CHECK(queue.committed[0].op == o.ops[2]);
  CHECK(queue.retire(1).empty());
  CHECK(queue.retire(0).size() == 1);
}

TEST_CASE("verify: queues of two paths are aligned at the newest group",
          "[verify]") {
  Ops o;
  AsyncQueue longer, shorter;
  for (int i = 0; i < 2; ++i) {
    longer.open = groupOf(o.ops[i]);
    longer.commit();
  }
  shorter.open = groupOf(o.ops[2]);
  shorter.commit();
  shorter.join(longer);
  REQUIRE(shorter.committed.size() == 2);
  CHECK(shorter.committed[0].op == o.ops[0]);
  CHECK(shorter.committed[1].op == o.ops[2]);
  // One pending group on either path: the older one is over on both.
  CHECK(shorter.retire(1).size() == 1);
}

TEST_CASE("verify: more groups than are told apart stay in flight",
          "[verify]") {
  Ops o;
  AsyncQueue queue;
  for (int i = 0; i < 20; ++i) {
    queue.open = groupOf(o.ops[i % 4]);
    queue.open.read.push_back({});
    queue.commit();
  }
  bool found = false;
  queue.forEach([&](AsyncGroup &group) { found |= group.op == o.ops[0]; });
  CHECK(found);
  queue.retire(0);
  CHECK(queue.committed.empty());
}

TEST_CASE("verify: an access is pending if it is on one path", "[verify]") {
  Ops o;
  Span used, unused;
  used.pending = o.ops[0];
  unused.delayed = true;
  Span joined = unused;
  joined.join(used);
  CHECK(joined.pending == o.ops[0]);
  CHECK_FALSE(joined.delayed);

  Span late = used;
  late.delayed = true;
  joined = Span();
  joined.join(late);
  CHECK(joined.delayed);
  joined.join(used);
  CHECK_FALSE(joined.delayed);
}

TEST_CASE("verify: a fill is fenced if it is on both paths", "[verify]") {
  Span fenced, plain;
  fenced.fenced = true;
  Span joined = fenced;
  joined.join(plain);
  CHECK_FALSE(joined.fenced);
  joined = fenced;
  joined.join(fenced);
  CHECK(joined.fenced);
}

TEST_CASE("verify: bytes that differ by path are left to the execution",
          "[verify]") {
  Span a, b;
  a.expected = b.expected = 64;
  a.copied = 64;
  b.copied = 32;
  a.join(b);
  CHECK(a.expected == 64);
  CHECK(a.copied == -1);
}

TEST_CASE("verify: a barrier makes fenced writes visible, not unfenced ones",
          "[verify]") {
  Ops o;
  Hazard hazard;
  hazard.write = hazard.unfenced = o.ops[0];
  hazard.passBarrier();
  CHECK(hazard.write == nullptr);
  CHECK(hazard.unfenced == o.ops[0]);
  CHECK(hazard.barrierBeforeFence);
  hazard.unsynced = hazard.unfenced;
  hazard.unfenced = nullptr;
  hazard.passBarrier();
  CHECK(hazard.unsynced == nullptr);
}

TEST_CASE("verify: spans of one path only come back from a join", "[verify]") {
  Ops o;
  Ring ring;
  State left, right;
  Span span;
  span.ring = &ring;
  span.opened = o.ops[0];
  left.spans.push_back(span);
  auto lonely = left.join(right);
  REQUIRE(lonely.size() == 1);
  CHECK(lonely[0].opened == o.ops[0]);
  CHECK(left.spans.empty());

  right.spans.push_back(span);
  left = right;
  CHECK(left.join(right).empty());
  CHECK(left.spans.size() == 1);
}
