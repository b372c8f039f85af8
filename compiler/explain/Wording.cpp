// Phrases of explanations.
#include "compiler/explain/Wording.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace tlc::explain {

std::string count(std::int64_t number, llvm::StringRef noun) {
  return std::to_string(number) + " " + noun.str() + (number == 1 ? "" : "s");
}

std::string describeStatement(const Statement &statement) {
  if (statement.place.line == 0)
    return statement.name;
  return statement.name + " at line " + std::to_string(statement.place.line);
}

std::string describePlan(const Loop &loop) {
  if (loop.plan == "warp_specialized")
    return "warp-specialized";
  if (loop.plan == "pipelined")
    return "loads run ahead, without specialization";
  return "turn by turn";
}

std::string describeTile(const Tile &tile) {
  std::string text = tile.shape + " " + tile.dtype;
  if (tile.swizzle)
    text += ", " + std::to_string(tile.swizzle) + "-byte swizzle";
  return text;
}

llvm::StringRef describeProxy(const Access &access) {
  return access.async ? "async proxy" : "generic proxy";
}

std::string describeWarps(const Role &role) {
  if (role.warps == 1)
    return "warp " + std::to_string(role.firstWarp);
  return "warps " + std::to_string(role.firstWarp) + "-" +
         std::to_string(role.firstWarp + role.warps - 1);
}

std::string describeGuards(const Access &access) {
  std::string text, last;
  bool early = false;
  for (const Statement &guard : access.guards) {
    // A load that asks for its flag after the first turns has its place.
    early |= guard.name == kFirstTurns;
    Statement branch = guard;
    if (early)
      branch.name = "if";
    // A statement that became two branches, one in the other, is named once.
    std::string name = describeStatement(branch);
    if (name != last)
      text += (text.empty() ? "under the " : " and the ") + name;
    last = std::move(name);
  }
  return early ? "in the first turns and " + text : text;
}

std::string describeFence(const Span &span) {
  return llvm::StringSwitch<std::string>(span.fence)
      .Case("derived", "fence.proxy.async by the readers, derived")
      .Case("source", "fence.proxy.async, the one that the program wrote")
      .Case("producer", "fence.proxy.async by the thread that refills")
      .Case("membar", "membar.cta, which does not protect the slot")
      .Case("none", "none")
      .Default("undecided");
}

std::string describeArrivals(const Mbarrier &barrier, bool full) {
  std::string text = count(barrier.count, "arrival");
  if (full)
    return text + " (the thread that starts the copies) and " +
           std::to_string(barrier.bytes) + " bytes a turn";
  return text + ", one " + (barrier.perWarp ? "a warp" : "a thread") +
         (barrier.arrivedBy.empty() ? "" : " of '" + barrier.arrivedBy + "'");
}

std::string describeAction(const Action &action) {
  const std::string &text = action.statement.place.text;
  auto quoted = [&] { return text.empty() ? action.statement.name : text; };
  std::string ring = "'" + action.ring + "'";
  switch (action.kind) {
  case ActionKind::Statement:
    // The line is that of the product.
    if (action.statement.name == kOperandLoad)
      return "load " + ring + " into registers";
    return quoted();
  case ActionKind::Loop:
    return quoted();
  case ActionKind::If:
    return quoted() + (text.empty() ? ":" : "");
  case ActionKind::Load:
    return "start " + quoted();
  case ActionKind::Else:
    return "else:";
  case ActionKind::Elect:
    return "one thread:";
  case ActionKind::Acquire:
    return (action.groups ? "take the next slot of "
                          : "wait for a free slot of ") +
           ring;
  case ActionKind::Commit:
    return "slot of " + ring + " is on its way";
  case ActionKind::Wait:
    return action.groups ? "the next slot of " + ring + " is full"
                         : "wait for a full slot of " + ring;
  case ActionKind::Release:
    return (action.groups ? "done with the slot of " : "release the slot of ") +
           ring;
  case ActionKind::Fence:
  case ActionKind::CompletionWait:
  case ActionKind::RegisterFence:
  case ActionKind::Barrier:
    return action.instruction;
  }
  return "";
}

std::string describePieces(const Action &action) {
  return action.pieces == 1
             ? ""
             : ", in " + std::to_string(action.pieces) + " pieces";
}

std::string describeReason(const Action &action) {
  switch (action.kind) {
  case ActionKind::Fence:
    // Derivations say on a fence of the program what they rely on it for.
    if (action.written && action.reason == "written in the program")
      return action.reason + "; nothing found that needs it";
    return action.reason;
  case ActionKind::Loop:
  case ActionKind::CompletionWait:
  case ActionKind::Barrier:
  case ActionKind::Release:
    return action.reason;
  case ActionKind::Load:
  case ActionKind::Statement:
    return action.instruction + describePieces(action);
  case ActionKind::Wait:
    return action.statement.place.line
               ? "before the " + describeStatement(action.statement)
               : "";
  case ActionKind::RegisterFence:
    return "registers of the product are settled";
  case ActionKind::If:
  case ActionKind::Else:
  case ActionKind::Elect:
  case ActionKind::Acquire:
  case ActionKind::Commit:
    return "";
  }
  return "";
}

std::string describePosition(const Action &action) {
  if (action.written)
    return "at line " + std::to_string(action.statement.place.line);
  // That of a slot follows its last use.
  return (action.ring.empty() ? "before the " : "after the ") +
         describeStatement(action.statement);
}

std::string describeFenceElse(const Span &span) {
  return span.fenceElse.empty()
             ? ""
             : "one fence for two purposes: it " + span.fenceElse;
}

std::string describeThreads(const Launch &launch) {
  std::int64_t program = 1;
  for (std::int64_t extent : launch.programThreads)
    program *= extent;
  std::string text = std::to_string(program) + " of the program";
  if (launch.lowered && launch.threads != program)
    text += ", " + std::to_string(launch.threads) + " with those that load";
  return text;
}

std::string describeRegisters(const Role &role, const Launch &launch) {
  if (role.registers)
    return "setmaxnreg " + std::to_string(role.registers);
  std::string text = "as compiled";
  if (launch.registerLimit)
    text += ", at most " + std::to_string(launch.registerLimit);
  return text;
}

std::vector<Access> mergeTiles(llvm::ArrayRef<Access> accesses) {
  std::vector<Access> result;
  for (const Access &access : accesses) {
    auto same = llvm::find_if(result, [&](const Access &known) {
      return known.statement == access.statement && known.role == access.role &&
             known.write == access.write && known.async == access.async &&
             known.instruction == access.instruction;
    });
    if (same == result.end())
      result.push_back(access);
    else
      same->tile += "', '" + access.tile;
  }
  return result;
}

std::string describeDuties(const Role &role, const Launch &launch) {
  std::string fills, uses;
  for (const Ring &ring : launch.rings) {
    if (llvm::any_of(ring.writes, [&](const Access &access) {
          return access.role == role.name;
        }))
      fills += (fills.empty() ? "fills '" : ", '") + ring.name + "'";
    if (llvm::any_of(ring.spans,
                     [&](const Span &span) { return span.role == role.name; }))
      uses += (uses.empty() ? "uses '" : ", '") + ring.name + "'";
  }
  return fills + (fills.empty() || uses.empty() ? "" : ", ") + uses;
}

std::vector<const Action *> findOrder(const LocalTile &local,
                                      const Launch &launch) {
  std::vector<const Action *> result;
  // Reasons name what they order.
  std::string name = "'" + local.tile.name + "' ";
  for (const Role &role : launch.roles)
    for (const Action &action : role.actions)
      if ((action.kind == ActionKind::Barrier ||
           action.kind == ActionKind::Fence) &&
          llvm::StringRef(action.reason).contains(name))
        result.push_back(&action);
  return result;
}

bool isOfProgram(const Action &action) {
  switch (action.kind) {
  case ActionKind::Loop:
  case ActionKind::If:
  case ActionKind::Statement:
  case ActionKind::Load:
  case ActionKind::Else:
    return action.statement.place.line != 0 &&
           action.statement.name != kOperandLoad;
  default:
    return action.written;
  }
}

static bool hasRing(const Explanation &explanation, bool groups) {
  for (const Kernel &kernel : explanation.kernels)
    for (const Launch &launch : kernel.launches)
      for (const Ring &ring : launch.rings)
        if (ring.groups == groups)
          return true;
  return false;
}

/// Of rings that the copy unit refills.
static bool hasFence(const Explanation &explanation, llvm::StringRef kind) {
  for (const Kernel &kernel : explanation.kernels)
    for (const Launch &launch : kernel.launches)
      for (const Ring &ring : launch.rings)
        for (const Span &span : ring.spans)
          if (!ring.groups && span.fence == kind)
            return true;
  return false;
}

std::vector<Note> makeNotes(const Explanation &explanation) {
  std::vector<Note> notes;
  bool fenced = hasFence(explanation, "derived") ||
                hasFence(explanation, "source") ||
                hasFence(explanation, "producer");
  bool unfenced = hasFence(explanation, "none");
  if (hasRing(explanation, /*groups=*/true))
    notes.push_back(
        {"groups",
         "All threads fill a slot by cp.async. Each waits for its own copies, "
         "those of a turn are a group, and then for the others at bar.sync: "
         "then the slot is full. cp.async writes through the generic proxy, so "
         "that wgmma needs fence.proxy.async before that bar.sync, and the "
         "refill of a slot needs none, only a bar.sync after the last use."});
  if (fenced || unfenced)
    notes.push_back(
        {"ring",
         "The slots of a ring go round: a producer fills a free slot and the "
         "'full' barrier hands it over when the bytes have landed; the reader "
         "releases it after its last use and the 'empty' barrier hands it "
         "back. With n slots the load of turn i + n may begin when turn i has "
         "released its slot, never before."});
  if (fenced)
    notes.push_back(
        {"why a fence",
         "Threads read a slot through the generic proxy (ld.shared, ldmatrix), "
         "the copy unit refills it through the async proxy. An arrival on a "
         "barrier orders accesses of one proxy only: the refill could overtake "
         "a load that was issued but not served yet, which then gives the "
         "value of a later turn. fence.proxy.async between the last read and "
         "the refill closes that gap; bar.sync and membar.cta do not."});
  if (unfenced)
    notes.push_back(
        {"why none",
         "wgmma reads its shared operands through the async proxy, like the "
         "copy unit that refills them. Waiting for the product before the "
         "release is all that such a slot needs."});
  if (hasFence(explanation, "membar"))
    notes.push_back({"membar",
                     "membar.cta does not order proxies and is known to give "
                     "wrong results; use --war-fence proxy."});
  return notes;
}

std::vector<std::string> wrap(llvm::StringRef text, size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    auto [word, rest] = text.split(' ');
    if (word.size() > width) {
      rest = text.drop_front(width);
      word = word.take_front(width);
    }
    std::string &line = lines.back();
    if (line.empty())
      line = word.str();
    else if (line.size() + 1 + word.size() <= width)
      line += " " + word.str();
    else
      lines.push_back(word.str());
    text = rest;
  }
  return lines;
}

} // namespace tlc::explain
