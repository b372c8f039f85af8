// V4: no generic access of a slot is unordered when the slot goes back to an
// asynchronous writer. Only a proxy fence orders it: in the accessing threads
// before their arrive, or in the filling thread after its acquire. membar.cta
// and bar.sync do not order proxies (sync.md 0, 2.4).
// V6: data written through the generic proxy is fenced by its writers, then
// synchronised, before an asynchronous read of it is issued.
#include "compiler/verify/Obligations.h"
#include "compiler/verify/RoleWalk.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

void RoleWalk::noteGenericAccess(Operation *op, Span &span) {
  span.pending = span.lastUse = op;
  span.membar = span.barrier = span.delayed = false;
}

void RoleWalk::checkHandOver(Operation *arrive, const Span &span) {
  if (span.pending && !reporter.isSilent())
    protocol.handOvers.push_back({span.ring, arrive, span.pending, span.membar,
                                  span.barrier, span.delayed});
}

/// A slot filled by threads: its asynchronous readers need the fence.
void RoleWalk::checkCommitFence(Operation *arrive, const Span &span) {
  if (span.hazard.unfenced && span.ring->hasAsyncReader)
    reporter.error(arrive,
                   "the slot of " + span.ring->text +
                       " is passed on before the writes" +
                       atLine(span.hazard.unfenced) +
                       " are visible to the asynchronous reader: a proxy fence "
                       "is missing between the writes and the arrive",
                   {{span.hazard.unfenced, "written here"}});
}

/// An asynchronous read is issued: wgmma operand or tensor store.
void RoleWalk::checkAsyncRead(Operation *op, const Place &place) {
  Hazard *hazard = hazardOf(op, place);
  if (!hazard)
    return;
  std::string name = "'" + place.tile.getName().str() + "'";
  std::string what =
      "the " + actionName(op).str() + " reads " + name + " asynchronously";
  if (Operation *write = hazard->unfenced)
    return reporter.error(op,
                          what +
                              " before the writes to it are ordered: a proxy "
                              "fence in the writing threads and then a barrier "
                              "are missing between the writes and the " +
                              actionName(op),
                          {{write, "written here"}});
  if (Operation *write = hazard->unsynced) {
    if (hazard->barrierBeforeFence)
      return reporter.notProved(
          op, what + "; the proxy fence follows the barrier, so it is the "
                     "reading threads that order the writes of others");
    return reporter.error(op,
                          what +
                              " before all threads have written it: a barrier "
                              "is missing between the proxy fence and the " +
                              actionName(op),
                          {{write, "written here"}});
  }
  if (Operation *write = hazard->write)
    reporter.error(op,
                   what +
                       " before all threads have written it: a barrier is "
                       "missing between the writes and the " +
                       actionName(op),
                   {{write, "written here"}});
}

static std::string describeMissing(const HandOver &over) {
  std::string access = actionName(over.access).str();
  std::string text =
      "a proxy fence is missing between the " + access + " and the arrive";
  if (over.membar)
    text += "; membar.cta does not order proxies";
  else if (over.barrier)
    text += "; a barrier of threads does not order proxies";
  return text;
}

void tlc::verify::checkHandOvers(const Protocol &protocol, Reporter &reporter) {
  for (const HandOver &over : protocol.handOvers) {
    if (!over.ring->unfencedFill)
      continue;
    std::string head = "the slot of " + over.ring->text +
                       " is handed back to the loader before the " +
                       actionName(over.access).str() + atLine(over.access) +
                       " is ordered: ";
    if (over.delayed && !over.membar) {
      reporter.notProved(
          over.arrive,
          head + "no proxy fence; the arrive follows another wait of the same "
                 "threads, which has sufficed on hardware but is no order by "
                 "the PTX memory model");
      continue;
    }
    reporter.error(over.arrive, head + describeMissing(over),
                   {{over.access, "the slot is used here"},
                    {over.ring->unfencedFill,
                     "and refilled here through the async proxy"}});
  }
}
