// V17 on instruction streams that are written by hand, and on damaged cubins.
#include "compiler/verify/sass/Flow.h"
#include "compiler/verify/sass/Lint.h"
#include "test/support/Catch.h"

#include <cstring>

using namespace tlc::sass;
using Catch::Matchers::Contains;

namespace {

using Word = std::pair<std::uint64_t, std::uint64_t>;

/// Fields that every instruction has.
struct Fields {
  unsigned wait = 0;  ///< mask
  unsigned write = 7; ///< scoreboard
  unsigned guard = 7;
};

Word make(unsigned opcode, Fields f, std::uint64_t low = 0,
          std::uint64_t high = 0) {
  std::uint64_t control = 1u | f.write << 5 | 7u << 8 | f.wait << 11;
  return {opcode | std::uint64_t(f.guard) << 12 | low, high | control << 41};
}

Word lds(Fields f) { return make(0x984, f); }
Word ldsm(Fields f) { return make(0x83b, f); }
Word generic(Fields f) { return make(0x980, f); }
Word fence(Fields f) { return make(0x3c6, f); }
Word globalFence(Fields f) { return make(0x3c6, f, 0, 0x100); }
Word membar() { return make(0x992, {}); }
Word bar() { return make(0xb1d, {}); }
Word nop(Fields f = {}) { return make(0x918, f); }
Word arrive(Fields f = {}, std::uint64_t at = 0) {
  return make(0x9a7, f, at << 40, 0x08100004);
}
Word arriveCount() { return make(0x9a7, {}, 0, 0x08500004); }
Word expect() { return make(0x9a7, {}, 0, 0x08000004); }
Word leave(Fields f = {}) { return make(0x94d, f, 0, 0x03800000); }
Word ret() { return make(0x950, {}, 0, 0x03c00000); }

/// A branch over `count` instructions, backwards if negative.
Word jump(unsigned opcode, int count, Fields f = {}) {
  std::uint64_t words = std::int64_t(count) * 4;
  return make(opcode, f, (words & 0xff) << 16 | (words >> 8) << 34,
              0x03800000 | (words >> 38 & 0x3ffff));
}
Word branch(int count, Fields f = {}) { return jump(0x947, count, f); }

Cubin cubinOf(const std::vector<Word> &words, std::vector<std::uint8_t> &bytes,
              unsigned sm = 90) {
  bytes.resize(words.size() * 16);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::memcpy(&bytes[16 * i], &words[i].first, 8);
    std::memcpy(&bytes[16 * i + 8], &words[i].second, 8);
  }
  Cubin cubin;
  cubin.sm = sm;
  cubin.functions.push_back({"k", bytes});
  return cubin;
}

LintResult run(const std::vector<Word> &words,
               std::vector<Barrier> barriers = {}) {
  std::vector<std::uint8_t> bytes;
  return lint(cubinOf(words, bytes), "k", barriers);
}

bool isClean(const std::vector<Word> &words) {
  LintResult result = run(words);
  INFO(result.skipped);
  CHECK(result.releases > 0);
  return result.isClean();
}

constexpr unsigned kNotP0 = 8;

} // namespace

TEST_CASE("sass: an arrive behind a load must wait for it", "[sass]") {
  CHECK_FALSE(isClean({lds({.write = 0}), arrive(), leave()}));
  CHECK_FALSE(isClean({ldsm({.write = 0}), arrive(), leave()}));
  CHECK_FALSE(isClean({generic({.write = 0}), arrive(), leave()}));
  CHECK_FALSE(isClean({lds({.write = 0}), arriveCount(), leave()}));
  CHECK(isClean({arrive(), lds({.write = 0}), leave()}));
  CHECK(isClean({lds({.write = 2}), arrive({.wait = 1 << 2}), leave()}));
  CHECK_FALSE(isClean({lds({.write = 2}), arrive({.wait = 1 << 1}), leave()}));
  // What was used before is over.
  CHECK(isClean({lds({.write = 2}), nop({.wait = 1 << 2}), arrive(), leave()}));
  CHECK_FALSE(isClean({lds({.write = 0}), lds({.write = 1}),
                       nop({.wait = 1 << 1}), arrive(), leave()}));
  // Nobody is released by bytes that are announced.
  LintResult result = run({lds({.write = 0}), expect(), leave()});
  CHECK(result.releases == 0);
  CHECK(result.isClean());
}

TEST_CASE("sass: the finding names the places", "[sass]") {
  LintResult result = run({nop(), lds({.write = 0}), lds({.write = 1}),
                           membar(), arrive(), leave()});
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].read == 2);
  CHECK(result.findings[0].arrive == 4);
  CHECK(result.findings[0].membar);
  CHECK_FALSE(result.findings[0].fence);
  CHECK_FALSE(result.findings[0].barrier);
  CHECK(offsetText(4) == "0x40");
}

TEST_CASE("sass: a fence counts once it was waited for", "[sass]") {
  CHECK(isClean({lds({.write = 0}), fence({.write = 5}),
                 arrive({.wait = 1 << 5}), leave()}));
  CHECK(isClean({lds({.write = 0}), fence({.write = 5}), nop({.wait = 1 << 5}),
                 arrive(), leave()}));
  CHECK_FALSE(isClean({lds({.write = 0}), fence({.write = 5}), arrive()}));
  CHECK_FALSE(
      isClean({lds({.write = 0}), fence({}), arrive({.wait = 63 - 1})}));
  // Before the load, or behind the arrive, it is of no use.
  CHECK_FALSE(isClean({fence({.write = 5}), lds({.write = 0}),
                       arrive({.wait = 1 << 5}), leave()}));
  CHECK_FALSE(isClean({lds({.write = 0}), arrive({.wait = 1 << 5}),
                       fence({.write = 5}), leave()}));
  // One for global memory, or one that a predicate may turn off.
  CHECK_FALSE(isClean({lds({.write = 0}), globalFence({.write = 5}),
                       arrive({.wait = 1 << 5}), leave()}));
  CHECK_FALSE(isClean({lds({.write = 0}), fence({.write = 5, .guard = 0}),
                       arrive({.wait = 1 << 5}), leave()}));
}

TEST_CASE("sass: membar and barriers do not count", "[sass]") {
  CHECK_FALSE(isClean({lds({.write = 0}), membar(), arrive(), leave()}));
  CHECK_FALSE(isClean({lds({.write = 0}), bar(), arrive(), leave()}));
  // fence.acq_rel: MEMBAR, then something that waits for all.
  CHECK(isClean(
      {lds({.write = 0}), membar(), nop({.wait = 63}), arrive(), leave()}));
}

TEST_CASE("sass: loads without a scoreboard end with a later one", "[sass]") {
  CHECK_FALSE(isClean({lds({}), arrive({.wait = 63}), leave()}));
  CHECK(isClean({lds({}), lds({}), lds({.write = 1}), arrive({.wait = 1 << 1}),
                 leave()}));
  CHECK_FALSE(
      isClean({lds({.write = 1}), lds({}), arrive({.wait = 1 << 1}), leave()}));
  CHECK(isClean({lds({}), fence({.write = 3}), arrive({.wait = 1 << 3})}));
  // The later one may be turned off.
  CHECK_FALSE(isClean({lds({}), lds({.write = 1, .guard = 0}),
                       arrive({.wait = 1 << 1}), leave()}));
  CHECK(isClean({lds({.guard = 0}), lds({.write = 1, .guard = 0}),
                 arrive({.wait = 1 << 1}), leave()}));
}

TEST_CASE("sass: what never runs is not there", "[sass]") {
  CHECK(isClean({lds({.guard = 15}), arrive(), leave()}));
  CHECK(run({lds({.write = 0}), arrive({.guard = 15}), leave()}).releases == 0);
  // Behind the end nothing is reached.
  CHECK(run({leave(), lds({.write = 0}), arrive()}).releases == 0);
}

TEST_CASE("sass: all paths count", "[sass]") {
  // if (!p0) skip the load; arrive
  CHECK_FALSE(isClean(
      {branch(1, {.guard = kNotP0}), lds({.write = 0}), arrive(), leave()}));
  CHECK(isClean({branch(1), lds({.write = 0}), arrive(), leave()}));
  // The fence stands on one path only.
  CHECK_FALSE(
      isClean({lds({.write = 0}), branch(1, {.guard = kNotP0}),
               fence({.write = 5}), arrive({.wait = 1 << 5}), leave()}));
  // Read and fence on the same path.
  CHECK(isClean({branch(2, {.guard = kNotP0}), lds({.write = 0}),
                 fence({.write = 5}), arrive({.wait = 1 << 5}), leave()}));
  // A wait in front of the branch serves both.
  CHECK(isClean({lds({.write = 0}), branch(1, {.wait = 1, .guard = kNotP0}),
                 nop(), arrive(), leave()}));
}

TEST_CASE("sass: loops", "[sass]") {
  // The load behind the arrive is before the arrive of the next turn.
  CHECK_FALSE(isClean(
      {arrive(), lds({.write = 0}), branch(-3, {.guard = 0}), leave()}));
  CHECK(isClean({arrive(), lds({.write = 0}),
                 branch(-3, {.wait = 1, .guard = 0}), leave()}));
  // A spinning wait, then the arrive.
  CHECK_FALSE(isClean(
      {lds({.write = 0}), nop(), branch(-2, {.guard = 0}), arrive(), leave()}));
  // The branch to itself that ends each function.
  CHECK(isClean({arrive(), leave(), branch(-1)}));
}

TEST_CASE("sass: calls and convergence", "[sass]") {
  // 0 call 3; 1 arrive; 2 exit; 3 load; 4 return
  CHECK_FALSE(
      isClean({jump(0x944, 2), arrive(), leave(), lds({.write = 0}), ret()}));
  CHECK(isClean({jump(0x944, 2), arrive({.wait = 1}), leave(),
                 lds({.write = 0}), ret()}));
  // 0 BSSY B1 to 4; 1 load; 2 BSYNC B1; 3 exit; 4 arrive
  Word enter = make(0x945, {}, std::uint64_t(48) << 32 | 1 << 16, 0x03800000);
  Word meet = make(0x941, {}, 1 << 16, 0x03800000);
  CHECK_FALSE(isClean({enter, lds({.write = 0}), meet, leave(), arrive()}));
  // DEPBAR.LE SB2, 0 waits, with one left it does not.
  Word all = make(0x91a, {}, std::uint64_t(0xa) << 44);
  Word one = make(0x91a, {}, std::uint64_t(0xa) << 44 | std::uint64_t(1) << 38);
  CHECK(isClean({lds({.write = 2}), all, arrive(), leave()}));
  CHECK_FALSE(isClean({lds({.write = 2}), one, arrive(), leave()}));
}

TEST_CASE("sass: arrives belong to barriers by their address", "[sass]") {
  const std::vector<Barrier> barriers = {{1000, 2, true}, {1016, 2, false}};
  auto at = [&](std::uint64_t address) {
    return run({arrive({}, 1000), lds({.write = 0}), arrive({}, address)},
               barriers);
  };
  CHECK(at(1008).findings.size() == 1);
  CHECK(at(1008).findings[0].barrier == 0u);
  CHECK(at(1016).isClean());
  CHECK(at(1024).isClean());
  // Of an unknown barrier: it may be one that releases.
  CHECK(at(1032).findings.size() == 1);
  CHECK_FALSE(at(1032).findings[0].barrier);
}

TEST_CASE("sass: loads of other tiles", "[sass]") {
  auto at = [](std::uint64_t address, Fields f) {
    return make(0x984, f, address << 40);
  };
  auto find = [](const std::vector<Word> &words, std::vector<Region> other) {
    std::vector<std::uint8_t> bytes;
    return lint(cubinOf(words, bytes), "k", {}, other).findings.size();
  };
  CHECK(find({at(512, {.write = 0}), arrive()}, {{512, 64}}) == 0);
  CHECK(find({at(575, {.write = 0}), arrive()}, {{512, 64}}) == 0);
  CHECK(find({at(576, {.write = 0}), arrive()}, {{512, 64}}) == 1);
  CHECK(find({at(511, {.write = 0}), arrive()}, {{512, 64}}) == 1);
  // It still says that a load of the slot before it is over, and only that.
  CHECK(find({at(0, {}), at(512, {.write = 1}), arrive({.wait = 1 << 1})},
             {{512, 64}}) == 0);
  CHECK(find({at(0, {}), at(512, {.write = 1}), arrive()}, {{512, 64}}) == 1);
}

TEST_CASE("sass: small constants beside a tile at the start", "[sass]") {
  auto at = [](std::uint64_t address) {
    return make(0x984, {.write = 0}, address << 40);
  };
  auto check = [](const std::vector<Word> &words) {
    std::vector<std::uint8_t> bytes;
    return lint(cubinOf(words, bytes), "k", {}, {{0, 64}});
  };
  // The load may be of the tile, or of a slot that a register points to.
  for (std::uint64_t address : {0, 32, 63}) {
    LintResult result = check({at(address), arrive()});
    CHECK(result.findings.empty());
    CHECK_THAT(result.skipped, Contains("the tile at the start"));
  }
  // This one is not of the tile, alone or with others.
  CHECK(check({at(64), arrive()}).findings.size() == 1);
  CHECK(check({at(0), at(64), arrive()}).findings.size() == 1);
  CHECK(check({at(64), at(0), arrive()}).findings.size() == 1);
  // The arrive waits, so nothing is in doubt.
  CHECK(check({at(0), arrive({.wait = 1})}).isClean());
}

TEST_CASE("sass: what is not understood is skipped with a reason", "[sass]") {
  auto skipped = [](const std::vector<Word> &words) {
    return run(words).skipped;
  };
  CHECK_THAT(skipped({make(0x949, {}), arrive()}),
             Contains("at 0x0, opcode 0x949, is not known"));
  CHECK_THAT(skipped({nop(), make(0x344, {}), arrive()}),
             Contains("at 0x10, opcode 0x344"));
  CHECK_THAT(skipped({branch(7), arrive()}), Contains("leaves the function"));
  CHECK_THAT(skipped({branch(-2), arrive()}), Contains("leaves the function"));
  CHECK_THAT(skipped({make(0x9a7, {}, 0, 0x08700004)}), Contains("not known"));
  CHECK_THAT(run({leave()}, {{0, 2, true}}).skipped,
             Contains("no arrive that releases a slot"));

  std::vector<std::uint8_t> bytes;
  Cubin other = cubinOf({lds({.write = 0}), arrive()}, bytes, 100);
  CHECK_THAT(lint(other, "k", {}).skipped, Contains("sm_100"));
  Cubin cubin = cubinOf({arrive()}, bytes);
  CHECK_THAT(lint(cubin, "other", {}).skipped, Contains("no function 'other'"));
  cubin.functions[0].code = cubin.functions[0].code.drop_back();
  CHECK_THAT(lint(cubin, "k", {}).skipped, Contains("does not end"));
  CHECK(run({}).isClean());
}

TEST_CASE("sass: what is no cubin is refused", "[sass]") {
  alignas(8) char header[64] = "\177ELF\2\1\1";
  for (std::size_t size : {0, 3, 16, 63, 64}) {
    auto cubin = readCubin(llvm::StringRef(header, size));
    REQUIRE_FALSE(bool(cubin));
    CHECK_THAT(llvm::toString(cubin.takeError()), Contains("not a cubin"));
  }
}

// Instructions of kernels whose PTX was one statement, as NVRTC 13.0 made them.
TEST_CASE("sass: instructions of known meaning", "[sass]") {
  auto kind = [](std::uint64_t low, std::uint64_t high) {
    return decode(low, high).kind;
  };
  CHECK(kind(0x000000ffffff79a7, 0x000fe20008100004) == Kind::Arrive);
  CHECK(kind(0x000000ffffff79a7, 0x000fe20008100804) == Kind::Arrive); // drop
  CHECK(kind(0x00000000ffff79a7, 0x001fe20008500004) == Kind::Arrive); // count
  CHECK(kind(0x000000ffffff79a7, 0x000fe20008100404) == Kind::Arrive); // remote
  CHECK(kind(0x00000000ffff79a7, 0x000fe20008000004) == Kind::Expect);
  CHECK(kind(0x00000000ffff79a7, 0x000fe20008300404) == Kind::Expect);
  CHECK(kind(0x00000000ff0075a7, 0x000e620008000144) == Kind::Wait); // try
  CHECK(kind(0x00000000ff0075a7, 0x000e620008000044) == Kind::Wait); // test
  CHECK(kind(0x00000000000073c6, 0x001fe20000000000) == Kind::AsyncFence);
  CHECK(kind(0x00000000000073c6, 0x000fe20000000100) == Kind::Other);
  CHECK(kind(0x0000000000007992, 0x000fec0000000000) == Kind::Membar);
  CHECK(kind(0x00000000ff0079b1, 0x000fe20008000004) == Kind::Other); // inval
  CHECK(kind(0x00000004063f75b2, 0x0001e40008000100) == Kind::Other); // init

  Instruction read = decode(0x0100000a08297984, 0x001e280008000800);
  CHECK(read.kind == Kind::SharedLoad);
  CHECK(read.writeScoreboard == 0);
  CHECK(read.readScoreboard == 7);
  CHECK(read.waitMask == 1);
  CHECK(read.stall == 4);
  CHECK(decode(0x016010ffffff79a7, 0x020fe4000810000c).address == 90128);
  CHECK(decode(0x016010ffffff79a7, 0x020fe4000810000c).waitMask == 1 << 5);
  // BRA to itself; @!P0 BRA back to 0x5a0 from 0x640; BRA.DIV is conditional.
  CHECK(decode(0xfffffffc00fc7947, 0x000fc0000383ffff).distance == 0);
  CHECK(decode(0xfffffffc00f88947, 0x001fea000383ffff).distance == -16);
  CHECK(decode(0x000000020a447947, 0x000fea000b800000).distance == 0x120);
  CHECK_FALSE(decode(0x000000020a447947, 0x000fea000b800000).unconditional);
  CHECK(decode(0x0000020000007945, 0x000fe20003800000).distance == 0x210);
  CHECK(decode(0x000080c00000791a, 0x000fc80000000000).counted == 0);
  CHECK(decode(0x000080000000791a, 0x000fc80000000000).counted == 1);
}
