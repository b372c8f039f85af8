// What a run found, in words.
#include "compiler/interp/SmRun.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::interp;
using tile::Proxy;

/// Steps of order that are remembered.
static constexpr size_t kMaxEvents = size_t(1) << 16;

/// "file:line" of a location, "" if it has none.
static std::string placeOf(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return placeOf(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return placeOf(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      if (std::string place = placeOf(part); !place.empty())
        return place;
    return "";
  }
  if (auto file = dyn_cast<FileLineColRange>(loc))
    return llvm::sys::path::filename(file.getFilename().getValue()).str() +
           ":" + std::to_string(file.getStartLine());
  return "";
}

static std::string placeOf(Operation *op) {
  std::string place = placeOf(op->getLoc());
  return place.empty() ? "an unknown place" : place;
}

std::string SmRun::placeText(Operation *op) { return placeOf(op); }

/// "tile.copy(h_shared, h)".
static std::string textOf(const SmProgram &program, Operation *op) {
  std::string text = op->getName().getStringRef().str() + "(";
  bool first = true;
  for (Value v : op->getOperands()) {
    auto it = program.bufferOf.find(v);
    auto barrier = program.barrierOf.find(v);
    StringRef name;
    if (it != program.bufferOf.end())
      name = program.buffers[it->second].name;
    else if (barrier != program.barrierOf.end())
      name = program.barriers[barrier->second].name;
    else
      continue;
    text += (first ? "" : ", ") + name.str();
    first = false;
  }
  return text + ")";
}

static StringRef nameOf(Proxy proxy) {
  switch (proxy) {
  case Proxy::Generic:
    return "generic";
  case Proxy::AsyncCopy:
    return "async copy";
  case Proxy::AsyncMma:
    return "async wgmma";
  }
  return "";
}

static StringRef nameOf(SmProblem kind) {
  switch (kind) {
  case SmProblem::Race:
    return "RACE";
  case SmProblem::Deadlock:
    return "DEADLOCK";
  case SmProblem::Barrier:
    return "BARRIER";
  case SmProblem::Convergence:
    return "CONVERGENCE";
  case SmProblem::Register:
    return "REGISTER";
  case SmProblem::Lifetime:
    return "LIFETIME";
  case SmProblem::Budget:
    return "BUDGET";
  case SmProblem::Fault:
    return "FAULT";
  }
  return "";
}

std::string SmRun::warpName(const Warp &warp) const {
  std::string role = "block";
  for (const Frame &frame : warp.frames)
    if (frame.kind == Frame::RoleBody)
      role = cast<sm::RoleOp>(frame.node->op).getName().str();
  return role + " warp " + std::to_string(warp.index);
}

std::string SmRun::replayText() const {
  std::string text = "  replay   schedule ";
  text += spelling(options.schedule);
  text += ", seed " + std::to_string(options.seed);
  return text + ", block (" + blockName + ")";
}

std::string SmRun::describe(const MemoryAccess &access) const {
  bool isAsync = access.proxy != Proxy::Generic;
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "  " << (access.isWrite ? "write" : "read ") << "    "
      << nameOf(access.proxy) << (isAsync ? ", issued by " : ", ")
      << roleAround(access.op) << " warp " << access.warp << ": "
      << textOf(program, access.op) << " at " << placeOf(access.op);
  if (access.generation >= 0)
    out << ", generation " << access.generation;
  return text;
}

void SmRun::log(SyncEvent::Kind kind, Warp &warp, uint32_t object,
                uint64_t phase, Operation *op) {
  if (events.size() == kMaxEvents)
    events.pop_front();
  events.push_back({kind, warp.index, object, phase, result.stats.steps, op});
}

/// The steps of order from one access to a later one, if one barrier makes
/// them; `missing` says what would order them.
std::string SmRun::pathText(const MemoryAccess &from, const MemoryAccess &to,
                            bool ordered, std::string &missing) const {
  const SyncEvent *arrival = nullptr, *wait = nullptr;
  for (const SyncEvent &later : events) {
    if (later.warp != to.warp || later.step <= from.step ||
        later.kind == SyncEvent::Arrive)
      continue;
    for (const SyncEvent &earlier : events) {
      bool isPair =
          later.kind == SyncEvent::Wait
              ? earlier.kind == SyncEvent::Arrive &&
                    earlier.phase == later.phase
              : earlier.kind == SyncEvent::Bar && later.warp != earlier.warp;
      if (isPair && earlier.object == later.object &&
          earlier.warp == from.warp && earlier.step >= from.step &&
          earlier.step <= later.step) {
        arrival = &earlier;
        wait = &later;
        break;
      }
    }
    if (wait)
      break;
  }
  std::string first = from.isWrite ? "write" : "read";
  std::string second =
      to.proxy == Proxy::Generic ? (to.isWrite ? "write" : "read") : "issue";
  std::string a = placeOf(from.op), b = placeOf(to.op);
  if (!ordered) {
    missing = from.proxy == Proxy::Generic
                  ? "a barrier between " + a + " and " + b
                  : "a wait for the end of the operation of " + a +
                        " that reaches " + b;
    return "none: nothing orders the two";
  }
  missing = "fence.proxy.async between " + a + " and ";
  if (!wait) {
    missing += b;
    return first + " -> program order or other warps -> " + second +
           ": ordered in the generic frontier, NOT in the async frontier";
  }
  std::string name;
  if (wait->kind == SyncEvent::Wait) {
    const MBarrier &barrier = barriers[wait->object];
    name = program.barriers[barrier.decl].name + "[" +
           std::to_string(barrier.stage) + "]";
    missing += "the arrive at " + placeOf(arrival->op) +
               ", or between the wait at " + placeOf(wait->op) + " and " + b;
    return first + " -> arrive " + name + " -> wait " + name + " phase " +
           std::to_string(wait->phase) + " -> " + second +
           ": ordered in the generic frontier, NOT in the async frontier";
  }
  missing += "the bar.sync at " + placeOf(arrival->op);
  return first + " -> bar.sync " + std::to_string(wait->object) + " -> " +
         second +
         ": ordered in the generic frontier, NOT in the async frontier";
}

std::string SmRun::effectText(const MemoryAccess &from,
                              const MemoryAccess &to) const {
  const MemoryAccess &read = from.isWrite ? to : from;
  const MemoryAccess &write = from.isWrite ? from : to;
  if (read.isWrite)
    return "either of the two values may stay";
  std::string reader = "the product";
  if (auto copy = dyn_cast<tile::CopyOp>(read.op))
    reader = "'" + program.buffer(copy.getDst()).name + "'";
  else if (!isa<sm::WgmmaOp, sm::MmaOp>(read.op))
    reader = "the read";
  if (&read == &from && write.generation > read.generation &&
      read.generation >= 0) {
    int64_t turns =
        (write.generation - read.generation) * program.tiles[read.tile].stages;
    return reader + " takes the values of generation " +
           std::to_string(write.generation) + ", which are for " +
           std::to_string(turns) + " turns later";
  }
  if (&read == &from)
    return reader + " takes the values that the later write brings";
  return reader + " takes what was there before the write";
}

void SmRun::reportConflict(const MemoryAccess &now,
                           AccessHistory::Conflict conflict,
                           const Clock &generic) {
  const MemoryAccess &earlier = history->access(conflict.earlier);
  bool ordered = earlier.proxy == Proxy::Generic &&
                 now.proxy != Proxy::Generic && generic.covers(earlier.epoch);
  const SmTile &tile = program.tiles[now.tile];
  uint32_t base = tile.offset + now.slot * tile.slotBytes;
  const std::string &name = program.buffers[tile.buffer].name;
  SmReport found(earlier.op->getLoc());
  found.kind = SmProblem::Race;
  found.second = now.op->getLoc();
  found.buffer = name;
  found.slot = now.slot;
  found.generation = earlier.generation;
  found.missingProxyFence = ordered;
  for (const SmReport &old : result.reports)
    if (old.kind == SmProblem::Race && old.first == found.first &&
        old.second == found.second && old.buffer == name)
      return;
  std::string missing;
  std::string path = pathText(earlier, now, ordered, missing);
  llvm::raw_string_ostream out(found.text);
  out << "RACE  " << name << ", slot " << now.slot << ", bytes "
      << conflict.bytes.begin - base << ".." << conflict.bytes.end - base - 1
      << "\n"
      << describe(earlier) << "\n"
      << describe(now) << "\n";
  if (earlier.tile != now.tile)
    out << "  note     the first names these bytes '"
        << program.buffers[program.tiles[earlier.tile].buffer].name << "'\n";
  out << "  path     " << path << "\n  missing  " << missing << "\n  effect   "
      << effectText(earlier, now) << "\n"
      << replayText();
  report(std::move(found), false);
}

void SmRun::report(SmReport found, bool halt) {
  if (result.reports.size() < options.maxReports)
    result.reports.push_back(std::move(found));
  else
    halt = true;
  halted |= halt;
}

void SmRun::problem(SmProblem kind, Operation *op, const std::string &text) {
  if (halted)
    return;
  SmReport found(op->getLoc());
  found.kind = kind;
  found.text = nameOf(kind).str() + "  " + text + "\n  at       " +
               roleAround(op) + ": " + textOf(program, op) + " at " +
               placeOf(op) + "\n" + replayText();
  report(std::move(found), true);
}

//===----------------------------------------------------------------------===//
// Deadlock
//===----------------------------------------------------------------------===//

static std::string joined(ArrayRef<std::string> names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nobody" : text;
}

/// What a blocked warp waits for.
std::string SmRun::blockedText(Warp &warp, const SmNode &node) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (warp.atBarrier) {
    auto [id, threads] = barOf(node);
    out << "bar.sync " << id << " of " << threads << " threads, "
        << threads - named[id].arrived << " are missing";
  } else if (auto wait = dyn_cast<sm::MBarrierWaitOp>(node.op)) {
    MBarrier &barrier = *barrierAt(warp, node, 1);
    const SmBarrierDecl &decl = program.barriers[barrier.decl];
    int64_t parity = (uniform(warp, node, 2) & 1) ^ wait.getInvert();
    out << "'" << decl.name << "[" << barrier.stage
        << "]' to complete a phase of parity " << parity
        << "; it has completed " << barrier.phase << ", the next one lacks "
        << barrier.pending << " of " << barrier.count << " arrivals";
    if (barrier.bytes)
      out << " and " << barrier.bytes << " bytes of bulk copies";
    for (auto &[role, count] : barrier.arrived)
      out << ", " << role << " made " << count;
    out << "; arrivals come from " << joined(decl.arrivers);
  } else if (isa<sm::SetMaxNRegOp>(node.op)) {
    out << "registers: " << registerPool << " are free, "
        << (cast<sm::SetMaxNRegOp>(node.op).getRegisters() -
            warp.maxRegisters) *
               32
        << " are wanted";
  } else {
    out << "the other warps of its warpgroup to issue the same wgmma";
  }
  out << " (" << placeOf(node.op) << ")";
  return text;
}

/// The innermost role that has a warp.
static std::string roleOfWarp(sm::LaunchOp launch, uint32_t warp) {
  std::string name = "block";
  launch.walk<WalkOrder::PreOrder>([&](sm::RoleOp role) {
    int64_t first = role.getWarps()[0];
    if (warp >= first && warp < first + role.getWarps()[1])
      name = role.getName().str();
  });
  return name;
}

namespace {
/// Which roles wait for which barriers, whose arrivals come from which roles.
struct WaitGraph {
  struct Edge {
    std::string from, barrier;
    ArrayRef<std::string> to;
  };
  std::vector<Edge> edges;

  /// "a -> x -> b -> y -> a", if a cycle can be reached from `role`.
  std::string cycleFrom(const std::string &role) const {
    std::vector<std::pair<std::string, std::string>> path; // role, barrier
    std::string at = role;
    while (true) {
      for (size_t i = 0; i < path.size(); ++i)
        if (path[i].first == at) {
          std::string text;
          for (; i < path.size(); ++i)
            text += path[i].first + " -> " + path[i].second + " -> ";
          return text + at;
        }
      auto edge = llvm::find_if(
          edges, [&](const Edge &e) { return e.from == at && !e.to.empty(); });
      if (edge == edges.end())
        return "";
      path.push_back({at, edge->barrier});
      at = edge->to.front();
    }
  }
};
} // namespace

/// No agent can act: the wait-for graph.
void SmRun::deadlock() {
  SmReport found(launch.getLoc());
  found.kind = SmProblem::Deadlock;
  llvm::raw_string_ostream out(found.text);
  out << "DEADLOCK  no warp can act and no copy is in flight\n";
  std::vector<std::pair<std::string, std::string>> lines; // text, warps
  bool first = true;
  WaitGraph graph;
  for (Warp &warp : warps) {
    if (warp.finished())
      continue;
    const SmNode &node = *current(warp);
    std::string name = warpName(warp);
    std::string role = name.substr(0, name.rfind(" warp "));
    std::string line = role + "\n" + blockedText(warp, node);
    if (first) {
      found.first = found.second = node.op->getLoc();
      if (isa<sm::MBarrierWaitOp>(node.op))
        found.buffer = program.barriers[barrierAt(warp, node, 1)->decl].name;
      first = false;
    }
    if (isa<sm::MBarrierWaitOp>(node.op)) {
      MBarrier &barrier = *barrierAt(warp, node, 1);
      const SmBarrierDecl &decl = program.barriers[barrier.decl];
      graph.edges.push_back(
          {role, decl.name + "[" + std::to_string(barrier.stage) + "]",
           decl.arrivers});
    }
    if (!lines.empty() && lines.back().first == line)
      lines.back().second += ", " + std::to_string(warp.index);
    else
      lines.push_back({line, std::to_string(warp.index)});
  }
  for (auto &[line, indices] : lines) {
    auto [role, text] = StringRef(line).split('\n');
    out << "  blocked  " << role << " (warp " << indices << ") waits for "
        << text << "\n";
  }
  std::string finished;
  for (const Warp &warp : warps)
    if (warp.finished())
      finished += (finished.empty() ? "" : ", ") +
                  roleOfWarp(launch, warp.index) + " warp " +
                  std::to_string(warp.index);
  if (!finished.empty())
    out << "  finished " << finished << "\n";
  for (const WaitGraph::Edge &edge : graph.edges)
    if (std::string cycle = graph.cycleFrom(edge.from); !cycle.empty()) {
      out << "  cycle    " << cycle << "\n";
      break;
    }
  out << replayText();
  report(std::move(found), true);
}
