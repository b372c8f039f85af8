// Names of levers and lists of them.
#include "compiler/support/Levers.h"

#include "test/support/Catch.h"

using namespace tlc;

TEST_CASE("levers: each has a name of its own and is on", "[levers]") {
  for (const LeverText &entry : allLevers()) {
    CHECK(LeverSet().isOn(entry.lever));
    CHECK_FALSE(entry.help.empty());
    std::string unknown;
    auto set = LeverSet::parse(entry.name, unknown);
    REQUIRE(set);
    for (const LeverText &other : allLevers())
      CHECK(set->isOn(other.lever) == (other.lever != entry.lever));
    CHECK(set->disabledText() == entry.name.str());
  }
}

TEST_CASE("levers: lists", "[levers]") {
  std::string unknown, all;
  auto none = LeverSet::parse("", unknown);
  REQUIRE(none);
  CHECK(*none == LeverSet());
  CHECK(none->disabledText().empty());
  for (const LeverText &entry : allLevers())
    all += "," + entry.name.str();
  auto set = LeverSet::parse(all, unknown);
  REQUIRE(set);
  for (const LeverText &entry : allLevers())
    CHECK_FALSE(set->isOn(entry.lever));
  CHECK("," + set->disabledText() == all);
  auto twice = LeverSet::parse("renumber,,renumber,", unknown);
  REQUIRE(twice);
  CHECK(twice->disabledText() == "renumber");
  CHECK(unknown.empty());
}

TEST_CASE("levers: unknown names", "[levers]") {
  for (const char *text : {"renumbre", "renumber,renumbre", "renumbre,other"}) {
    std::string unknown;
    CHECK_FALSE(LeverSet::parse(text, unknown));
    CHECK(unknown == "renumbre");
  }
  std::string unknown;
  CHECK_FALSE(LeverSet::parse("Renumber", unknown));
  CHECK_FALSE(LeverSet::parse("renumber, ring-depth", unknown));
  CHECK(unknown == " ring-depth");
}
