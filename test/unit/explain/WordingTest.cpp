// Phrases and line breaking.
#include "compiler/explain/Wording.h"
#include "compiler/explain/Draw.h"
#include "test/support/Catch.h"

using namespace tlc::explain;
using Lines = std::vector<std::string>;

TEST_CASE("wrap: words fill lines up to the width", "[explain]") {
  CHECK(wrap("", 10) == Lines{""});
  CHECK(wrap("one", 10) == Lines{"one"});
  CHECK(wrap("one two six", 7) == Lines{"one two", "six"});
  CHECK(wrap("one two six", 6) == Lines{"one", "two", "six"});
  CHECK(wrap("a unfolded b", 5) == Lines{"a", "unfol", "ded b"});
}

TEST_CASE("wording: counts, warps and guards", "[explain]") {
  CHECK(count(1, "slot") == "1 slot");
  CHECK(count(0, "slot") == "0 slots");
  CHECK(count(2, "slot") == "2 slots");
  Role role;
  role.firstWarp = 4;
  role.warps = 1;
  CHECK(describeWarps(role) == "warp 4");
  role.warps = 4;
  CHECK(describeWarps(role) == "warps 4-7");
  Access access;
  CHECK(describeGuards(access).empty());
  access.guards = {{"if", {3, 1, ""}}, {"if", {5, 1, ""}}};
  CHECK(describeGuards(access) ==
        "under the if at line 3 and the if at line 5");
  // Loaded ahead of its flag: the branch of the compiler has its place.
  access.guards = {{kFirstTurns, {5, 1, ""}}, {"if", {5, 1, ""}}};
  CHECK(describeGuards(access) ==
        "in the first turns and under the if at line 5");
}

TEST_CASE("wording: pieces and loads of a product", "[explain]") {
  Action action;
  action.statement = {kOperandLoad, {7, 1, "T.gemm(a, b, c)"}};
  action.ring = "a";
  action.instruction = "ld.shared (16 bytes)";
  CHECK(describeAction(action) == "load 'a' into registers");
  CHECK_FALSE(isOfProgram(action));
  CHECK(describeReason(action) == "ld.shared (16 bytes)");
  action.pieces = 4;
  CHECK(describeReason(action) == "ld.shared (16 bytes), in 4 pieces");
  CHECK(describeStatement(action.statement) ==
        "load into registers for the T.gemm at line 7");
  action.statement.name = "T.gemm";
  CHECK(describeAction(action) == "T.gemm(a, b, c)");
  CHECK(isOfProgram(action));
}

TEST_CASE("wording: tokens of slots that cp.async fills wait for nothing",
          "[explain]") {
  Action action;
  action.ring = "a";
  for (ActionKind kind : {ActionKind::Acquire, ActionKind::Wait}) {
    action.kind = kind;
    action.groups = false;
    CHECK(describeAction(action).find("wait") == 0);
    action.groups = true;
    CHECK(describeAction(action).find("wait") == std::string::npos);
  }
}

TEST_CASE("wording: what keeps a slot and what its refill needs, in short",
          "[explain]") {
  Ring ring;
  Access load, read;
  load.instruction = "TMA (cp.async.bulk.tensor)";
  ring.writes = {load};
  Span span;
  span.release.reason = "last used by the T.copy at line 3";
  span.fence = "none";
  CHECK(describeHandOver(ring, span) == "kept until the T.copy at line 3; no "
                                        "fence, since nothing reads it");
  read.async = true;
  read.instruction = "wgmma m64n32k16 bf16";
  ring.uses = {read, read};
  CHECK(describeHandOver(ring, span) ==
        "kept until the T.copy at line 3; no fence, since only wgmma reads it "
        "and TMA refills it: both through the async proxy, and the product is "
        "waited for");
  read.async = false;
  read.instruction = "ldmatrix.x4";
  ring.uses.push_back(read);
  span.fence = "derived";
  CHECK(describeHandOver(ring, span) ==
        "kept until the T.copy at line 3; a proxy fence by the readers, since "
        "ldmatrix reads it through the generic proxy and TMA refills it "
        "through the async proxy");
  span.otherReleases.push_back({{}, "the branch is not taken"});
  CHECK(describeHandOver(ring, span)
            .find("line 3, or not at all where that branch is not taken; a "
                  "proxy") != std::string::npos);
  span.fence = "none";
  CHECK(describeHandOver(ring, span)
            .find("but another wait comes before the release") !=
        std::string::npos);
  ring.groups = true;
  ring.writes[0].instruction = "cp.async (16 bytes)";
  CHECK(describeHandOver(ring, span).find("no proxy fence, since cp.async") !=
        std::string::npos);
}

TEST_CASE("wording: a fence of two purposes says both", "[explain]") {
  Span span;
  CHECK(describeFenceElse(span).empty());
  span.fenceElse = "takes the place of the fence at line 3";
  CHECK(describeFenceElse(span) == "one fence for two purposes: it takes the "
                                   "place of the fence at line 3");
}

TEST_CASE("wording: every decision about a fence has words", "[explain]") {
  for (const char *kind : {"derived", "source", "producer", "membar", "none"}) {
    Span span;
    span.fence = kind;
    CHECK(describeFence(span) != "undecided");
  }
  CHECK(describeFence(Span()) == "undecided");
}

TEST_CASE("escape: markup in quoted source stays text", "[explain]") {
  CHECK(escape("a < b && c > \"d\"") ==
        "a &lt; b &amp;&amp; c &gt; &quot;d&quot;");
}
