// V16: the thread program runs the same ordering actions as the `sm` program it
// was made from: same actions on the same barriers, same order, same nesting,
// and shared accesses on the same side of each of them.
//
// Both programs are written down as a list of words. Runs of accesses between
// two actions become one word; loops and branches without actions are left out,
// so that an expansion may add its own.
#include "compiler/verify/Report.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tlc;
using namespace tlc::verify;

/// Where an `sm` program keeps its order until the expansion was checked.
static constexpr StringLiteral kOrderAttr = "sm.order";

namespace {

struct Word {
  std::string text;
  Operation *op;
  /// 1 read, 2 written, 4 perhaps by cp.async; an action if 0.
  unsigned access = 0;
  /// Boxes of one tile and instructions of one product are one action.
  std::string joined = {};
  int64_t bytes = 0;
};

using Words = std::vector<Word>;

class OrderWriter {
public:
  Words write(sm::LaunchOp launch) {
    Words words;
    writeBlock(launch.getBody().front(), words);
    return words;
  }

private:
  static void addAccess(Words &words, Operation *op, unsigned access) {
    if (!words.empty() && words.back().access != 0)
      words.back().access |= access;
    else
      words.push_back({"", op, access});
  }

  static void add(Words &words, Operation *op, const Twine &text) {
    words.push_back({text.str(), op});
  }

  /// Copies that complete on the same barrier, or products, in one go.
  static void addJoined(Words &words, Operation *op, std::string text,
                        int64_t bytes) {
    if (!words.empty() && words.back().joined == text) {
      words.back().bytes += bytes;
      return;
    }
    words.push_back({text, op, 0, text, bytes});
  }

  void writeBlock(Block &block, Words &words) {
    for (Operation &op : block)
      writeOp(&op, words);
  }

  void writeRegions(Operation *op, Words &words, const Twine &name) {
    SmallVector<Words> regions;
    bool acts = isa<sm::RoleOp, sm::ElectOp>(op);
    for (Region &region : op->getRegions()) {
      Words inner;
      if (!region.empty())
        writeBlock(region.front(), inner);
      acts |= llvm::any_of(inner, [](const Word &w) { return w.access == 0; });
      regions.push_back(std::move(inner));
    }
    if (llvm::all_of(regions, [](const Words &w) { return w.empty(); }))
      return;
    if (!acts) {
      for (const Words &inner : regions)
        for (const Word &word : inner)
          addAccess(words, op, word.access);
      return;
    }
    add(words, op, name + " {");
    for (auto [i, inner] : llvm::enumerate(regions)) {
      if (i != 0 && !inner.empty())
        add(words, op, "} and {");
      llvm::append_range(words, inner);
    }
    add(words, op, "}");
  }

  /// Constant part of an address or of an index.
  static int64_t constantPart(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    if (auto add = value.getDefiningOp<arith::AddIOp>())
      return constantPart(add.getLhs()) + constantPart(add.getRhs());
    return 0;
  }

  static std::string at(Value barrier, Value stage) {
    auto decl = barrier.getDefiningOp<sm::MBarrierOp>();
    int64_t offset = decl ? static_cast<int64_t>(decl.getOffset()) : 0;
    APInt constant;
    if (stage && matchPattern(stage, m_ConstantInt(&constant)))
      offset += 8 * constant.getSExtValue();
    return " barrier at " + std::to_string(offset);
  }
  static std::string at(Value address) {
    return " barrier at " + std::to_string(constantPart(address));
  }

  void writeOp(Operation *op, Words &words) {
    if (writeBarrierOp(op, words) || writeAsyncOp(op, words))
      return;
    TypeSwitch<Operation *>(op)
        .Case([&](sm::RoleOp role) {
          writeRegions(op, words,
                       "warps " + Twine(role.getWarps()[0]) + " + " +
                           Twine(role.getWarps()[1]));
        })
        .Case([&](sm::ElectOp) { writeRegions(op, words, "one thread"); })
        .Case([&](scf::IfOp) { writeRegions(op, words, "branch"); })
        .Case<scf::ForOp, scf::WhileOp>(
            [&](auto) { writeRegions(op, words, "loop"); })
        .Case([&](sm::GridBarrierOp) { add(words, op, "grid barrier"); })
        .Case([&](sm::AtomicOp atomic) {
          if (!atomic.getAddress())
            return;
          if (atomic.getKind() != tile::AtomicKind::Store)
            addAccess(words, op, 1);
          if (atomic.getKind() != tile::AtomicKind::Load)
            addAccess(words, op, 2);
        })
        .Case<sm::LdSharedOp, sm::LdMatrixOp>(
            [&](auto) { addAccess(words, op, 1); })
        .Case([&](sm::StSharedOp) { addAccess(words, op, 2); })
        .Case([&](sm::CpAsyncOp) { addAccess(words, op, 2 | 4); })
        .Default([&](Operation *) { writeAccesses(op, words); });
  }

  static unsigned accessOf(const tile::Effect &effect) {
    if (effect.completion == tile::Completion::CpAsyncGroup)
      return 2 | 4;
    return effect.kind == tile::AccessKind::Read ? 1 : 2;
  }

  /// Accesses of shared tiles by threads, in tile-sized ops.
  static void writeAccesses(Operation *op, Words &words) {
    op->walk([&](tile::EffectsOpInterface inner) {
      SmallVector<tile::Effect> effects;
      inner.getTileEffects(effects);
      for (const tile::Effect &effect : effects)
        if (tile::isInSpace(effect.buffer, tile::Space::Shared) &&
            !isa<tile::CallExternOp>(inner))
          addAccess(words, op, accessOf(effect));
    });
  }

  bool writeBarrierOp(Operation *op, Words &words) {
    return TypeSwitch<Operation *, bool>(op)
        .Case([&](sm::MBarrierInitOp x) {
          auto decl = x.getBarrier().getDefiningOp<sm::MBarrierOp>();
          for (int64_t s = 0; decl && s < int64_t(decl.getStages()); ++s)
            add(words, op,
                "init barrier at " + Twine(decl.getOffset() + 8 * s) +
                    " count " + Twine(decl.getCount()));
          return true;
        })
        .Case([&](sm::MbarInitOp x) {
          add(words, op,
              "init" + at(x.getAddress()) + " count " + Twine(x.getCount()));
          return true;
        })
        .Case([&](sm::MBarrierWaitOp x) {
          add(words, op, "wait" + at(x.getBarrier(), x.getStage()));
          return true;
        })
        .Case([&](sm::MbarWaitOp x) {
          add(words, op, "wait" + at(x.getAddress()));
          return true;
        })
        .Case([&](sm::MBarrierArriveOp x) {
          add(words, op,
              (x.getPerWarp() ? "arrive of warps" : "arrive") +
                  at(x.getBarrier(), x.getStage()));
          return true;
        })
        .Case([&](sm::MbarArriveOp x) {
          add(words, op,
              (x.getPerWarp() ? "arrive of warps" : "arrive") +
                  at(x.getAddress()));
          return true;
        })
        .Case([&](sm::MBarrierArriveExpectTxOp x) {
          add(words, op,
              "expect " + Twine(x.getBytes()) +
                  at(x.getBarrier(), x.getStage()));
          return true;
        })
        .Case([&](sm::MbarExpectOp x) {
          add(words, op, "expect " + Twine(x.getBytes()) + at(x.getAddress()));
          return true;
        })
        .Case([&](sm::BarSyncOp x) {
          add(words, op,
              "bar.sync " + Twine(x.getId()) + " of " + Twine(x.getThreads()));
          return true;
        })
        .Default([](Operation *) { return false; });
  }

  bool writeAsyncOp(Operation *op, Words &words) {
    return writeCopy(op, words) || writeGroupOp(op, words);
  }

  static int64_t bytesOf(ArrayRef<int64_t> sizes, Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t bytes = std::max<int64_t>(8, type.getElementTypeBitWidth()) / 8;
    for (int64_t size : sizes)
      bytes *= size;
    return bytes;
  }

  bool writeCopy(Operation *op, Words &words) {
    return TypeSwitch<Operation *, bool>(op)
        .Case<sm::TmaLoadOp, sm::BulkLoadOp>([&](auto x) {
          addJoined(words, op, "copy to" + at(x.getBarrier(), x.getStage()),
                    bytesOf(x.getSizes(), x.getSrc()));
          return true;
        })
        .Case([&](sm::TmaLoadBoxOp x) {
          auto map = x.getMap().template getDefiningOp<sm::TensorMapOp>();
          addJoined(words, op, "copy to" + at(x.getBarrier()),
                    map ? bytesOf(map.getBox(), map.getBuffer()) : 0);
          return true;
        })
        .Case([&](sm::BulkCopyOp x) {
          addJoined(words, op, "copy to" + at(x.getBarrier()),
                    static_cast<int64_t>(x.getBytes()));
          return true;
        })
        .Case([&](sm::TmaStoreOp x) {
          addJoined(words, op, "tensor store",
                    bytesOf(x.getSizes(), x.getDst()));
          return true;
        })
        .Case([&](sm::TmaStoreBoxOp x) {
          auto map = x.getMap().template getDefiningOp<sm::TensorMapOp>();
          addJoined(words, op, "tensor store",
                    map ? bytesOf(map.getBox(), map.getBuffer()) : 0);
          return true;
        })
        .Default([](Operation *) { return false; });
  }

  bool writeGroupOp(Operation *op, Words &words) {
    return TypeSwitch<Operation *, bool>(op)
        .Case<sm::WgmmaOp, sm::WgmmaInstOp>([&](auto) {
          addJoined(words, op, "wgmma", 0);
          return true;
        })
        .Case([&](sm::WgmmaWaitOp x) {
          add(words, op, "wgmma wait " + Twine(x.getPending()));
          return true;
        })
        .Case([&](sm::BulkWaitOp x) {
          add(words, op,
              "bulk wait " + Twine(x.getPending()) +
                  (x.getRead() ? " read" : ""));
          return true;
        })
        .Case([&](sm::CpAsyncWaitOp x) {
          add(words, op, "cp.async wait " + Twine(x.getPending()));
          return true;
        })
        .Case<sm::CpAsyncCommitOp, sm::FenceMBarrierInitOp, sm::WgmmaFenceOp,
              sm::WgmmaCommitOp, sm::BulkCommitOp, sm::MembarOp>([&](auto) {
          add(words, op, op->getName().getStringRef());
          return true;
        })
        .Case<sm::FenceProxyAsyncOp, tile::FenceProxyAsyncOp>([&](auto) {
          add(words, op, "sm.fence_proxy_async");
          return true;
        })
        .Case([&](sm::SetMaxNRegOp x) {
          add(words, op, "setmaxnreg " + Twine(x.getRegisters()));
          return true;
        })
        .Default([](Operation *) { return false; });
  }
};

} // namespace

static std::string spell(const Word &word) {
  if (word.access != 0)
    return std::string("shared accesses:") + (word.access & 1 ? " read" : "") +
           (word.access & 2 ? " write" : "") +
           (word.access & 4 ? " by cp.async" : "");
  if (word.bytes != 0)
    return word.text + ", " + std::to_string(word.bytes) + " bytes";
  return word.text;
}

void tlc::verify::recordOrder(sm::LaunchOp launch) {
  SmallVector<Attribute> words;
  for (const Word &word : OrderWriter().write(launch))
    words.push_back(StringAttr::get(launch.getContext(), spell(word)));
  launch->setAttr(kOrderAttr, ArrayAttr::get(launch.getContext(), words));
}

VerifyReport tlc::verify::verifyExpansion(sm::LaunchOp launch) {
  VerifyReport report;
  Reporter reporter(report);
  auto order = launch->getAttrOfType<ArrayAttr>(kOrderAttr);
  if (!order) {
    reporter.notProved(launch, "the order of the sm program was not recorded");
    return report;
  }
  launch->removeAttr(kOrderAttr);
  Words words = OrderWriter().write(launch);
  for (size_t i = 0; i < std::max(words.size(), order.size()); ++i) {
    std::string want = i < order.size()
                           ? cast<StringAttr>(order[i]).getValue().str()
                           : std::string("the end");
    std::string have = i < words.size() ? spell(words[i]) : "the end";
    if (want == have)
      continue;
    reporter.error(i < words.size() ? words[i].op : launch.getOperation(),
                   "the thread program has '" + have +
                       "' where the sm program has '" + want + "'");
    break;
  }
  return report;
}
