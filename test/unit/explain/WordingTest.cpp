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
