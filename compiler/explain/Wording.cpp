// Phrases of explanations.
#include "compiler/explain/Wording.h"

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
  std::string text;
  for (const Statement &guard : access.guards)
    text +=
        (text.empty() ? "under the " : " and the ") + describeStatement(guard);
  return text;
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
  switch (action.kind) {
  case ActionKind::Loop:
  case ActionKind::If:
  case ActionKind::Statement:
    return quoted();
  case ActionKind::Load:
    return "start " + quoted();
  case ActionKind::Else:
    return "else:";
  case ActionKind::Elect:
    return "one thread:";
  case ActionKind::Acquire:
    return "wait for a free slot of '" + action.ring + "'";
  case ActionKind::Commit:
    return "slot of '" + action.ring + "' is on its way";
  case ActionKind::Wait:
    return "wait for a full slot of '" + action.ring + "'";
  case ActionKind::Release:
    return "release the slot of '" + action.ring + "'";
  case ActionKind::Fence:
  case ActionKind::CompletionWait:
  case ActionKind::RegisterFence:
  case ActionKind::Barrier:
    return action.instruction;
  }
  return "";
}

std::string describeReason(const Action &action) {
  switch (action.kind) {
  case ActionKind::Loop:
  case ActionKind::Fence:
  case ActionKind::CompletionWait:
  case ActionKind::Barrier:
  case ActionKind::Release:
    return action.reason;
  case ActionKind::Load:
  case ActionKind::Statement:
    return action.instruction;
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

std::string describeRoles(llvm::ArrayRef<Access> accesses) {
  std::vector<std::string> names;
  std::string text;
  for (const Access &access : accesses) {
    if (llvm::is_contained(names, access.role))
      continue;
    names.push_back(access.role);
    text += (text.empty() ? "'" : ", '") + access.role + "'";
  }
  return text.empty() ? "nobody" : text;
}

std::vector<std::string> wrap(llvm::StringRef text, size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    auto [word, rest] = text.split(' ');
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
