// V18: slots that threads fill by cp.async. The skeleton is run with what every
// thread of a role knows of each slot:
//
//   fill    all reads of the slot by other threads are over and they have met;
//           products that read it were waited for
//   use     the group of the fill was waited for, and then the threads have met
//   product besides, each thread has fenced its own copies before they met:
//           cp.async writes through the generic proxy
//   end     every copy was waited for
//
// Groups belong to a thread and all threads of a role run the same, so that one
// agent stands for them. Slots are numbers here: which fill a wait covers is
// counted, turn by turn, and not assumed.
#include "compiler/verify/Execution.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

/// All threads of the agent's barrier have come: what each had waited for is
/// there for all, what they read has been read, and a fence that each made of
/// its own copies holds for all.
void Machine::meet(Agent &agent) {
  for (auto &[key, slot] : agent.slots) {
    slot.read = nullptr;
    slot.lateFence = false;
    if (slot.state == GroupSlot::Landed)
      slot.state = GroupSlot::Visible;
  }
}

void Machine::fillSlot(Agent &agent, Operation *op, const SlotKey &key,
                       const std::string &name) {
  GroupSlot &slot = agent.slots[key];
  if (slot.product)
    fail(op,
         "the " + actionName(op).str() + " fills a slot of " + name +
             " while the product" + atLine(slot.product) +
             " may still read it: a wgmma_wait that covers the product and a "
             "barrier are missing between them",
         {{slot.product, "the product is issued here"}});
  else if (slot.read)
    fail(op,
         "the " + actionName(op).str() + " fills a slot of " + name +
             " before the " + actionName(slot.read).str() +
             " of other threads" + atLine(slot.read) +
             " is over: a barrier is missing between them",
         {{slot.read, "the slot is used here"}});
  slot = GroupSlot();
  slot.state = GroupSlot::InFlight;
  slot.fill = op;
  agent.openCopies.push_back(key);
}

void Machine::readSlot(Operation *op, const GroupSlot &slot, bool async,
                       const std::string &name) {
  std::string what =
      "the " + actionName(op).str() + " uses a slot of " + name + " ";
  auto note = [&]() -> std::vector<Note> {
    if (!slot.fill)
      return {};
    return {{slot.fill, "the slot is filled here"}};
  };
  switch (slot.state) {
  case GroupSlot::Unfilled:
    return fail(op, what + "that nothing has filled");
  case GroupSlot::InFlight:
    return fail(op,
                what + "before its copies have landed: a cp_async_wait that "
                       "covers their group is missing before it",
                note());
  case GroupSlot::Landed:
    return fail(op,
                what + "before the copies of other threads have landed: a "
                       "barrier is missing between the cp_async_wait and it",
                note());
  case GroupSlot::Visible:
    break;
  }
  if (async && (!slot.fenced || slot.lateFence))
    fail(op,
         what + "asynchronously before the copies of all threads are ordered: "
                "cp.async writes through the generic proxy, a proxy fence is "
                "missing between the cp_async_wait and the barrier",
         note());
}

void Machine::touchSlots(Agent &agent, Operation *op) {
  bool product = isa<sm::WgmmaOp>(op);
  op->walk([&](tile::EffectsOpInterface inner) {
    SmallVector<tile::Effect> effects;
    inner.getTileEffects(effects);
    for (const tile::Effect &effect : effects) {
      sm::SharedOp tile = baseTile(effect.buffer);
      if (!tile || !protocol.isFilledInGroups(tile) || result.failure)
        continue;
      auto slotOp = effect.buffer.getDefiningOp<sm::SlotOp>();
      SlotKey key{tile.getResult().getAsOpaquePointer(),
                  slotOp ? agent.values.number(slotOp.getStage()) : 0};
      std::string name = "'" + tile.getName().str() + "'";
      bool write = effect.kind == tile::AccessKind::Write;
      if (effect.completion == tile::Completion::CpAsyncGroup) {
        if (write)
          fillSlot(agent, op, key, name);
        continue;
      }
      if (write)
        return fail(op, "the " + actionName(op).str() + " writes " + name +
                            ", which cp.async fills: that is not understood");
      GroupSlot &slot = agent.slots[key];
      readSlot(op, slot, product, name);
      (product ? slot.product : slot.read) = op;
      if (product)
        agent.openProducts.push_back(key);
    }
  });
}

/// Takes the oldest groups until `pending` are left.
template <typename Groups, typename Visit>
static void retire(Groups &groups, uint64_t pending, Visit visit) {
  while (groups.size() > pending) {
    for (const auto &key : groups.front())
      visit(key);
    groups.pop_front();
  }
}

void Machine::runGroupNode(Agent &agent, const Node &node) {
  switch (node.kind) {
  case Node::Touch:
  case Node::Product:
    return touchSlots(agent, node.op);
  case Node::GroupCommit:
    agent.copies.push_back(std::exchange(agent.openCopies, {}));
    return;
  case Node::GroupWait:
    return retire(agent.copies, cast<sm::CpAsyncWaitOp>(node.op).getPending(),
                  [&](const SlotKey &key) {
                    GroupSlot &slot = agent.slots[key];
                    if (slot.state == GroupSlot::InFlight)
                      slot.state = GroupSlot::Landed;
                  });
  case Node::ProductCommit:
    agent.products.push_back(std::exchange(agent.openProducts, {}));
    return;
  case Node::ProductWait:
    return retire(agent.products, cast<sm::WgmmaWaitOp>(node.op).getPending(),
                  [&](const SlotKey &key) {
                    GroupSlot &slot = agent.slots[key];
                    // Its end is known to this thread, not yet to others.
                    if (slot.product)
                      slot.read = slot.product;
                    slot.product = nullptr;
                  });
  case Node::Fence:
    for (auto &[key, slot] : agent.slots) {
      if (slot.fenced || slot.state < GroupSlot::Landed)
        continue;
      slot.fenced = true;
      slot.lateFence = slot.state == GroupSlot::Visible;
    }
    return;
  default:
    return;
  }
}

/// V13 for cp.async: the block does not end before its copies.
void Machine::checkLanded(const Agent &agent) {
  for (const auto &[key, slot] : agent.slots)
    if (slot.state == GroupSlot::InFlight)
      return fail(slot.fill, "the block may end before this copy has landed: "
                             "a cp_async_wait that covers its group is "
                             "missing");
}
