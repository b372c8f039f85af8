#include "test/support/mutations/Places.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::test;

template <typename Op> static Op named(tile::KernelOp kernel, StringRef name) {
  for (Op op : all<Op>(kernel))
    if (op.getName() == name)
      return op;
  return {};
}

sm::MBarrierOp tlc::test::barrier(tile::KernelOp kernel, StringRef name) {
  return named<sm::MBarrierOp>(kernel, name);
}
sm::SharedOp tlc::test::sharedTile(tile::KernelOp kernel, StringRef name) {
  return named<sm::SharedOp>(kernel, name);
}
sm::CounterOp tlc::test::counter(tile::KernelOp kernel, StringRef name) {
  return named<sm::CounterOp>(kernel, name);
}

std::string tlc::test::ringName(tile::KernelOp kernel) {
  for (sm::MBarrierOp op : all<sm::MBarrierOp>(kernel))
    if (op.getName().ends_with("_full"))
      return op.getName().drop_back(5).str();
  return "";
}

static bool isOf(Value buffer, StringRef name) {
  if (sm::SlotOp slot = slotOf(buffer))
    buffer = slot.getBuffer();
  auto decl = buffer.getDefiningOp<sm::SharedOp>();
  return decl && decl.getName() == name;
}

tile::CopyOp tlc::test::copyFrom(tile::KernelOp kernel, StringRef name) {
  for (tile::CopyOp op : all<tile::CopyOp>(kernel))
    if (isOf(op.getSrc(), name))
      return op;
  return {};
}

tile::CopyOp tlc::test::copyTo(tile::KernelOp kernel, StringRef name) {
  for (tile::CopyOp op : all<tile::CopyOp>(kernel))
    if (isOf(op.getDst(), name))
      return op;
  return {};
}

sm::SlotOp tlc::test::slotOf(Value buffer) {
  return buffer.getDefiningOp<sm::SlotOp>();
}

scf::IfOp tlc::test::productGuard(tile::KernelOp kernel) {
  scf::IfOp found;
  kernel.walk([&](Operation *op) {
    if (isa<sm::WgmmaOp, sm::MmaOp>(op) && !found)
      found = op->getParentOfType<scf::IfOp>();
  });
  return found;
}

scf::ForOp tlc::test::loopOf(Operation *op) {
  return op ? op->getParentOfType<scf::ForOp>() : scf::ForOp();
}

bool tlc::test::erase(Operation *op) {
  if (op)
    op->erase();
  return op;
}
