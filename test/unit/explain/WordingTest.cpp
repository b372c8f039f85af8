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
