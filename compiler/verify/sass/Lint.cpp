// A forward data flow over the instructions, to a fixed point. Its states only
// grow, and there are finitely many, so it ends.
#include "compiler/verify/sass/Lint.h"

#include "compiler/verify/sass/Flow.h"
#include "compiler/verify/sass/PendingReads.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tlc::sass {

namespace {
class Linter {
public:
  /// `trustStart`: loads whose constant lies in a tile at the start of shared
  /// memory are taken to be of that tile.
  Linter(const Flow &flow, ArrayRef<Barrier> barriers,
         ArrayRef<Region> elsewhere, bool trustStart)
      : flow(flow), barriers(barriers), elsewhere(elsewhere),
        trustStart(trustStart) {}

  LintResult run() {
    solve();
    for (unsigned i = 0; i < flow.instructions().size(); ++i)
      if (reached.test(i) && isRelease(i))
        checkRelease(i);
    return std::move(result);
  }

private:
  void solve();
  bool isElsewhere(const Instruction &instruction) const;
  void pass(unsigned index, PendingReads &state) const;
  void flowInto(unsigned index, const PendingReads &state);
  std::optional<unsigned> barrierOf(const Instruction &arrive) const;
  bool isRelease(unsigned index) const;
  void checkRelease(unsigned index);

  const Flow &flow;
  ArrayRef<Barrier> barriers;
  ArrayRef<Region> elsewhere;
  bool trustStart;
  LintResult result;
  /// What may be pending before each instruction.
  std::vector<PendingReads> before;
  BitVector reached;
  std::vector<unsigned> work;
};
} // namespace

/// A load of a tile that is no slot to be protected. ptxas leaves the tile's
/// offset in the load as a constant, as it does for barriers.
bool Linter::isElsewhere(const Instruction &instruction) const {
  return instruction.kind == Kind::SharedLoad &&
         llvm::any_of(elsewhere, [&](const Region &region) {
           return (region.offset > 0 || trustStart) &&
                  instruction.address >= region.offset &&
                  instruction.address < region.offset + region.bytes;
         });
}

void Linter::pass(unsigned index, PendingReads &state) const {
  const Instruction &instruction = flow.instructions()[index];
  state.wait(instruction.waitMask);
  state.issue(instruction, index, !isElsewhere(instruction));
}

void Linter::flowInto(unsigned index, const PendingReads &state) {
  bool isNew = !reached.test(index);
  reached.set(index);
  if (before[index].join(state) || isNew)
    work.push_back(index);
}

void Linter::solve() {
  unsigned count = flow.instructions().size();
  before.resize(count);
  reached.resize(count);
  if (count != 0)
    flowInto(0, {});
  while (!work.empty()) {
    unsigned index = work.back();
    work.pop_back();
    PendingReads state = before[index];
    pass(index, state);
    for (unsigned next : flow.next(index))
      flowInto(next, state);
  }
}

/// ptxas leaves the barrier's offset in the arrive as a constant and adds what
/// is known only later: where shared memory begins, and the stage.
std::optional<unsigned> Linter::barrierOf(const Instruction &arrive) const {
  for (auto [i, barrier] : llvm::enumerate(barriers))
    if (arrive.address >= barrier.offset &&
        arrive.address < barrier.offset + 8 * barrier.stages)
      return i;
  return std::nullopt;
}

bool Linter::isRelease(unsigned index) const {
  const Instruction &instruction = flow.instructions()[index];
  if (instruction.kind != Kind::Arrive || instruction.isNever())
    return false;
  std::optional<unsigned> barrier = barrierOf(instruction);
  return !barrier || barriers[*barrier].releases;
}

void Linter::checkRelease(unsigned index) {
  ++result.releases;
  const Instruction &arrive = flow.instructions()[index];
  PendingReads state = before[index];
  state.wait(arrive.waitMask);
  if (state.empty())
    return;
  const PendingRead &read = state.latest();
  result.findings.push_back(
      {index, read.at, barrierOf(arrive), read.membar, read.fence});
}

static LintResult skip(const Twine &why) {
  LintResult result;
  result.skipped = why.str();
  return result;
}

LintResult lint(const Cubin &cubin, StringRef name, ArrayRef<Barrier> barriers,
                ArrayRef<Region> elsewhere) {
  if (cubin.sm != 90)
    return skip("the machine code of sm_" + Twine(cubin.sm) +
                " is not known, only that of sm_90");
  const CubinFunction *function = cubin.find(name);
  if (!function)
    return skip("the cubin has no function '" + name + "'");
  Expected<Flow> flow = Flow::build(function->code);
  if (!flow)
    return skip("in '" + name + "', " + toString(flow.takeError()));
  LintResult result =
      Linter(*flow, barriers, elsewhere, /*trustStart=*/false).run();
  // A small constant may be a place in that tile or in a slot whose offset is
  // in the register.
  if (!result.findings.empty() &&
      llvm::any_of(elsewhere, [](const Region &r) { return r.offset == 0; }) &&
      Linter(*flow, barriers, elsewhere, /*trustStart=*/true)
          .run()
          .findings.empty())
    return skip("in '" + name +
                "', reads of the tile at the start of shared memory cannot be "
                "told from reads of slots");
  // Each slot is released somewhere: without an arrive the code was misread.
  if (result.releases == 0 &&
      llvm::any_of(barriers, [](const Barrier &b) { return b.releases; }))
    return skip("no arrive that releases a slot was found in '" + name + "'");
  return result;
}

} // namespace tlc::sass
