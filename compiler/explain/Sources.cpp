// Quotes the program.
#include "compiler/explain/Sources.h"

#include "compiler/conversion/TileToWS/Buffers.h"
#include "compiler/driver/MlirDiagnostics.h"
#include "dialects/ws/WS.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tlc::explain {

Sources::Sources(const llvm::SourceMgr &manager) {
  if (manager.getNumBuffers() == 0)
    return;
  StringRef rest =
      manager.getMemoryBuffer(manager.getMainFileID())->getBuffer();
  while (!rest.empty()) {
    auto [head, tail] = rest.split('\n');
    lines.push_back(head.rtrim('\r'));
    rest = tail;
  }
}

StringRef Sources::line(unsigned number) const {
  return number == 0 || number > lines.size() ? StringRef() : lines[number - 1];
}

/// The lines as one, without what indentation and line ends put between.
std::string Sources::text(unsigned first, unsigned last) const {
  std::string result = line(first).trim().str();
  for (unsigned i = first + 1; i <= last; ++i) {
    StringRef next = line(i).trim();
    bool glue = StringRef("([{").contains(result.empty() ? ' ' : result.back());
    if (!next.empty() && StringRef(")]}").contains(next.front())) {
      glue = true;
      if (!result.empty() && result.back() == ',')
        result.pop_back();
    }
    result += (glue ? "" : " ") + next.str();
  }
  return result;
}

Place Sources::place(Location location, bool firstLineOnly) const {
  SourceSpan span = sourceSpan(location);
  if (span.line == 0)
    return {};
  unsigned last = firstLineOnly ? span.line : std::max(span.line, span.endLine);
  return {span.line, span.column, text(span.line, last)};
}

std::string nameOf(Operation *op) {
  if (isRunAhead(op))
    return isa<scf::IfOp>(op) ? "if that turn exists" : "for the first turns";
  if (isLoadGuard(op))
    return isLoadGuard(op, /*fills=*/true) ? kFirstTurns
                                           : "if the tile was loaded";
  if (isOperandLoad(op))
    return kOperandLoad;
  if (op->hasAttr("ws.plan"))
    return "T.Pipelined";
  if (auto copy = dyn_cast<tile::CopyOp>(op);
      copy && copy.getInst() == tile::CopyInst::TmaStore &&
      tile::isInSpace(copy.getSrc(), tile::Space::Shared))
    return "TMA store";
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<tile::CopyOp>([](auto) { return "T.copy"; })
      .Case<tile::GemmOp>([](auto) { return "T.gemm"; })
      .Case<tile::FillOp>([](auto) { return "T.fill"; })
      .Case<tile::ParallelOp>([](auto) { return "T.Parallel"; })
      .Case<tile::CallExternOp>([](auto) { return "T.call_extern"; })
      .Case<tile::SyncGridOp>([](auto) { return "T.sync_grid"; })
      .Case<tile::AtomicOp>([](auto) { return "atomic"; })
      .Case<tile::LoadOp>([](auto) { return "load"; })
      .Case<tile::StoreOp>([](auto) { return "store"; })
      .Case<scf::IfOp>([](auto) { return "if"; })
      .Case<scf::ForOp>([](auto) { return "for"; })
      .Case<scf::WhileOp>([](auto) { return "while"; })
      .Default([](auto) { return "statement"; });
}

bool isRunAhead(Operation *op) {
  if (!isa<scf::IfOp, scf::ForOp>(op) || op->hasAttr("ws.plan"))
    return false;
  Block &block = op->getRegion(0).front();
  // One thread issues, or all do and close a group.
  if (!block.empty() && isa<ws::ElectOp>(block.front()))
    return true;
  if (isa<scf::ForOp>(op))
    return !block.getOps<ws::GroupCommitOp>().empty();
  // A slot of the next turn is read, by a copy of this turn.
  auto isRead = [&](tile::CopyOp copy) {
    return copy.getLoc() == op->getLoc() &&
           isa_and_nonnull<ws::WaitOp>(copy.getSrc().getDefiningOp());
  };
  return isa_and_nonnull<ws::GroupCommitOp>(op->getNextNode()) ||
         llvm::any_of(block.getOps<tile::CopyOp>(), isRead);
}

bool isLoadGuard(Operation *op, bool fills) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return false;
  Block *then = branch.thenBlock(), *other = branch.elseBlock();
  bool acquires = !then->getOps<ws::AcquireOp>().empty();
  if (then->getOps<ws::WaitOp>().empty() && !acquires)
    return false;
  // It has the place of the branch of the program that it surrounds, or that
  // asks for the flag on the other path.
  auto hasBranch = [&](scf::IfOp inner) {
    return inner.getLoc() == op->getLoc();
  };
  if (acquires)
    return other && llvm::any_of(other->getOps<scf::IfOp>(), hasBranch);
  return !fills && llvm::any_of(then->getOps<scf::IfOp>(), hasBranch);
}

Statement Sources::statement(Operation *op) const {
  if (isRunAhead(op) || isLoadGuard(op))
    return {nameOf(op), {}};
  bool nested = op->getNumRegions() != 0 && !isa<tile::ParallelOp>(op);
  return {nameOf(op), place(op->getLoc(), nested)};
}

std::vector<Statement> Sources::guards(Operation *op, Operation *scope) const {
  std::vector<Statement> result;
  for (Operation *parent = op->getParentOp(); parent && parent != scope;
       parent = parent->getParentOp()) {
    if (!isa<scf::IfOp>(parent) || isRunAhead(parent))
      continue;
    Statement guard = statement(parent);
    if (isLoadGuard(parent)) {
      // What the program orders in it has a guard of the program, too.
      if (!result.empty())
        continue;
      guard.place = place(parent->getLoc(), /*firstLineOnly=*/true);
    }
    result.insert(result.begin(), guard);
  }
  return result;
}

} // namespace tlc::explain
