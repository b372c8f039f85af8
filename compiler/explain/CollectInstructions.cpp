// Names the instructions that each statement has become. A statement is known
// in the thread program by its place in the source; where it became several
// they are told apart by the kind of instruction.
#include "compiler/explain/Collect.h"

#include "compiler/driver/MlirDiagnostics.h"
#include "dialects/sm/Sm.h"

#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <map>
#include <set>

using namespace mlir;

namespace tlc::explain {

namespace {

using Position = std::pair<unsigned, unsigned>;

/// What an instruction does to shared memory.
enum class Touch { None, Read, Write };

struct Used {
  std::set<std::string> all, reads, writes;
};

/// Those of `names` that begin like one of the instructions in `text`, as it
/// was before the program was lowered; all of them if none does.
std::set<std::string> narrow(const std::set<std::string> &names,
                             StringRef text) {
  std::set<std::string> result;
  SmallVector<StringRef> known;
  text.split(known, ", ");
  for (const std::string &name : names)
    if (llvm::any_of(known, [&](StringRef begin) {
          return StringRef(name).starts_with(begin);
        }))
      result.insert(name);
  return result.empty() ? names : result;
}

std::string withBytes(StringRef name, Type type) {
  int64_t bits = 0;
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  else
    bits = std::max(8u, type.getIntOrFloatBitWidth());
  return (name + " (" + Twine(bits / 8) + " bytes)").str();
}

/// The instruction of an op of the thread program, or an empty string.
std::string instructionOf(Operation *op, Touch &touch) {
  auto is = [&](Touch what, std::string name) {
    touch = what;
    return name;
  };
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<sm::LdSharedOp>([&](auto x) {
        return is(Touch::Read, withBytes("ld.shared", x.getResult().getType()));
      })
      .Case<sm::StSharedOp>([&](auto x) {
        return is(Touch::Write, withBytes("st.shared", x.getValue().getType()));
      })
      .Case<sm::LdMatrixOp>([&](sm::LdMatrixOp x) {
        return is(Touch::Read,
                  "ldmatrix.x" + std::to_string(x.getRegisters().size()));
      })
      .Case<sm::LdGlobalOp>([&](auto x) {
        return is(Touch::None, withBytes("ld.global", x.getResult().getType()));
      })
      .Case<sm::StGlobalOp>([&](auto x) {
        return is(Touch::None, withBytes("st.global", x.getValue().getType()));
      })
      .Case<sm::AtomicOp>([&](sm::AtomicOp x) {
        return is(x.getAddress() ? Touch::Write : Touch::None,
                  ("atom." + Twine(tile::stringifyAtomicKind(x.getKind())) +
                   (x.getAddress() ? ".shared" : ".global"))
                      .str());
      })
      .Case<sm::GridBarrierOp>([&](auto) {
        return is(Touch::None, "arrival of one thread at the grid barrier");
      })
      .Case<sm::MmaSyncOp>([&](sm::MmaSyncOp x) {
        return is(Touch::None, "mma.sync m16n8k" + std::to_string(x.getK()) +
                                   " " + x.getType().str());
      })
      .Case<sm::WgmmaInstOp>([&](sm::WgmmaInstOp x) {
        return is(Touch::Read, "wgmma m64n" + std::to_string(x.getN()) + "k" +
                                   std::to_string(x.getK()) + " " +
                                   x.getAType().str());
      })
      .Case<sm::TmaLoadBoxOp>(
          [&](auto) { return is(Touch::Write, "TMA (cp.async.bulk.tensor)"); })
      .Case<sm::BulkCopyOp>(
          [&](auto) { return is(Touch::Write, "bulk copy (cp.async.bulk)"); })
      .Case<sm::CpAsyncOp>(
          [&](auto) { return is(Touch::Write, "cp.async (16 bytes)"); })
      .Case<sm::TmaStoreBoxOp>([&](auto) {
        return is(Touch::Read, "TMA store (cp.async.bulk.tensor)");
      })
      .Default([](auto) { return ""; });
}

void replace(std::string &text, const std::set<std::string> &names) {
  if (names.empty())
    return;
  text.clear();
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
}

class InstructionCollector {
public:
  explicit InstructionCollector(Operation *launch) {
    launch->walk([&](Operation *op) {
      Touch touch = Touch::None;
      std::string name = instructionOf(op, touch);
      if (name.empty())
        return;
      SourceSpan span = sourceSpan(op->getLoc());
      Used &place = used[{span.line, span.column}];
      place.all.insert(name);
      if (touch == Touch::Read)
        place.reads.insert(name);
      if (touch == Touch::Write)
        place.writes.insert(name);
    });
  }

  void apply(Launch &launch) {
    findShared(launch);
    for (Ring &ring : launch.rings) {
      applyTo(ring.writes);
      applyTo(ring.uses);
    }
    for (LocalTile &local : launch.locals)
      applyTo(local.accesses);
    for (Role &role : launch.roles)
      for (Action &action : role.actions)
        if (action.kind == ActionKind::Statement ||
            action.kind == ActionKind::Load)
          replaceAll(action.statement, action.instruction);
    for (Choice &choice : launch.choices)
      replaceAll(choice.statement, choice.instruction);
  }

private:
  static Position getPosition(const Statement &statement) {
    return {statement.place.line, statement.place.column};
  }

  const Used *find(const Statement &statement) const {
    auto it = used.find(getPosition(statement));
    return it == used.end() || statement.place.line == 0 ? nullptr
                                                         : &it->second;
  }

  /// Finds places of statements that became several.
  void findShared(const Launch &launch) {
    std::map<Position, std::string> first;
    for (const Role &role : launch.roles)
      for (const Action &action : role.actions) {
        if (action.kind != ActionKind::Statement)
          continue;
        Position at = getPosition(action.statement);
        auto [known, isNew] = first.try_emplace(at, action.instruction);
        if (!isNew && known->second != action.instruction)
          shared.insert(at);
      }
  }

  /// Those of `names` that belong to the statement, which so far had
  /// `instruction`, and not to another one in its place.
  std::set<std::string> own(const Statement &statement, StringRef instruction,
                            const std::set<std::string> &names) const {
    return shared.count(getPosition(statement)) ? narrow(names, instruction)
                                                : names;
  }

  void replaceAll(const Statement &statement, std::string &instruction) const {
    // What was read in the turn before stands in the place of that read.
    if (instruction == "registers")
      return;
    if (const Used *place = find(statement))
      replace(instruction, own(statement, instruction, place->all));
  }

  void applyTo(std::vector<Access> &accesses) const {
    for (Access &access : accesses)
      if (const Used *place = find(access.statement))
        replace(access.instruction,
                own(access.statement, access.instruction,
                    access.write ? place->writes : place->reads));
  }

  std::map<Position, Used> used;
  std::set<Position> shared; ///< places of several statements
};

} // namespace

void collectInstructions(ModuleOp module, Explanation &result) {
  for (auto [op, kernel] :
       llvm::zip(module.getOps<tile::KernelOp>(), result.kernels))
    for (auto [launchOp, launch] :
         llvm::zip(op.getBody().getOps<sm::LaunchOp>(), kernel.launches))
      InstructionCollector(launchOp).apply(launch);
}

} // namespace tlc::explain
