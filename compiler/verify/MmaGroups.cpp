// V5: no product that reads a slot is in flight when the slot is handed back.
// V12: accumulators are fenced after their last write by threads and not
// touched before the product has been waited for (PTX ISA, wgmma.fence,
// wgmma.wait_group).
#include "compiler/verify/RoleWalk.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

static std::string nameOf(Value buffer) {
  return "'" + tile::getBufferName(buffer) + "'";
}

/// All warps of the role share a product.
void RoleWalk::checkWarps(Operation *product, int64_t warps) {
  if (warps != role.warps())
    reporter.error(product, "the product is for " + Twine(warps) +
                                " warps, role '" + role.name + "' has " +
                                Twine(role.warps()));
}

void RoleWalk::atProduct(sm::WgmmaOp product) {
  checkWarps(product, product.getWarpsM() * product.getWarpsN());
  if (inElect)
    reporter.error(product, "a warpgroup product is issued by one thread: all "
                            "threads of the warpgroup must issue it");
  AsyncGroup &open = state.products.open;
  for (Value operand : {Value(product.getA()), Value(product.getB())}) {
    auto place = resolve(operand);
    if (!place)
      continue;
    if (place->fragment) {
      atRegisterAccess(product, operand, /*write=*/false);
      open.read.push_back(operand);
      continue;
    }
    checkAsyncRead(product, *place);
    open.sources.push_back(place->source());
  }
  Value c = product.getC();
  for (Value registers : {c, Value(product.getA())}) {
    auto it = state.unfencedRegisters.find(registers);
    if (it != state.unfencedRegisters.end() && it->second)
      reporter.error(product,
                     "the product uses the registers of " + nameOf(registers) +
                         " before they are settled: a wgmma fence is missing "
                         "between their last write and the product",
                     {{it->second, "last written here"}});
  }
  open.written.push_back(c);
  open.op = product;
}

void RoleWalk::atProductWait(sm::WgmmaWaitOp wait) {
  if (static_cast<int64_t>(wait.getPending()) < 0)
    reporter.error(wait, "a negative number of products cannot be pending");
  endReads(state.products.retire(static_cast<int64_t>(wait.getPending())));
}

/// An access of registers by threads.
void RoleWalk::atRegisterAccess(Operation *op, Value fragment, bool write) {
  state.products.forEach([&](AsyncGroup &group) {
    if (isPoisoned(group.op))
      return;
    bool written = llvm::is_contained(group.written, fragment);
    if (!written && !(write && llvm::is_contained(group.read, fragment)))
      return;
    reporter.error(op,
                   "the " + actionName(op) + " uses " + nameOf(fragment) +
                       " while a product may still be using its registers: a "
                       "wgmma_wait that covers the product is missing before "
                       "it",
                   {{group.op, "the product is issued here"}});
    poison(group.op);
  });
  if (write)
    state.unfencedRegisters[fragment] = op;
}

void RoleWalk::checkRetired(Operation *arrive, const Span &span) {
  AsyncSource slot{{}, span.ring, span.stage};
  auto reads = [&](const AsyncGroup &group) {
    return !isPoisoned(group.op) &&
           llvm::any_of(group.sources, [&](const AsyncSource &source) {
             return source.ring == slot.ring && source.stage == slot.stage;
           });
  };
  state.products.forEach([&](AsyncGroup &group) {
    if (!reads(group))
      return;
    reporter.error(arrive,
                   "the slot of " + span.ring->text +
                       " is handed back to the loader while the product" +
                       atLine(group.op) +
                       " may still read it: a wgmma_wait that covers the "
                       "product is missing before the arrive",
                   {{group.op, "the product is issued here"}});
    poison(group.op);
  });
  state.stores.forEach([&](AsyncGroup &group) {
    if (!reads(group))
      return;
    reporter.error(arrive,
                   "the slot of " + span.ring->text +
                       " is handed back to the loader while the tensor "
                       "store may still read it: a bulk_wait is missing "
                       "before the arrive",
                   {{group.op, "the store is issued here"}});
    poison(group.op);
  });
}
