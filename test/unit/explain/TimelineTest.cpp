// A timeline obeys the protocol of a ring whatever the times are: a slot is
// used after it has landed and refilled after it has been released.
#include "compiler/explain/Timeline.h"
#include "test/support/Catch.h"

#include <algorithm>

using namespace tlc::explain;

namespace {

const Statement kLoop{"T.Pipelined", {10, 5, "for i in T.Pipelined(n):"}};

Action act(ActionKind kind, unsigned depth, const char *ring = "") {
  Action action;
  action.kind = kind;
  action.depth = depth;
  action.ring = ring;
  action.statement = {"T.copy", {11, 9, "T.copy(a, b)"}};
  return action;
}

Action loopAction() {
  Action action = act(ActionKind::Loop, 0);
  action.statement = kLoop;
  return action;
}

/// A producer and a consumer of one ring.
Launch makeLaunch(int depth, bool releases = true) {
  Launch launch;
  launch.loops.push_back({kLoop, "warp_specialized", depth, ""});
  Ring ring;
  ring.name = "a";
  ring.depth = depth;
  ring.bytes = 1024;
  launch.rings.push_back(ring);
  Role consumer;
  consumer.name = "consumer";
  consumer.actions = {loopAction(), act(ActionKind::Wait, 1, "a"),
                      act(ActionKind::Statement, 1)};
  if (releases)
    consumer.actions.push_back(act(ActionKind::Release, 1, "a"));
  Role producer;
  producer.name = "load_a";
  producer.actions = {loopAction(), act(ActionKind::Acquire, 1, "a"),
                      act(ActionKind::Load, 1, "a"),
                      act(ActionKind::Commit, 1, "a")};
  launch.roles = {consumer, producer};
  return launch;
}

std::vector<Box> boxesOf(const Timeline &timeline, size_t lane) {
  std::vector<Box> result;
  std::copy_if(timeline.boxes.begin(), timeline.boxes.end(),
               std::back_inserter(result),
               [&](const Box &box) { return box.lane == lane; });
  std::sort(result.begin(), result.end(),
            [](const Box &a, const Box &b) { return a.begin < b.begin; });
  return result;
}

} // namespace

TEST_CASE("timeline: nothing in a lane happens at the same time", "[explain]") {
  for (int depth : {1, 2, 3, 5}) {
    std::vector<Timeline> timelines = makeTimelines(makeLaunch(depth));
    REQUIRE(timelines.size() == 1);
    const Timeline &timeline = timelines[0];
    REQUIRE(timeline.lanes.size() == 2 + static_cast<size_t>(depth));
    for (size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
      std::vector<Box> boxes = boxesOf(timeline, lane);
      REQUIRE(!boxes.empty());
      for (size_t i = 1; i < boxes.size(); ++i)
        CHECK(boxes[i - 1].end <= boxes[i].begin + 1e-9);
    }
  }
}

TEST_CASE("timeline: a slot goes round: landing, full, in use, landing",
          "[explain]") {
  Timeline timeline = makeTimelines(makeLaunch(2))[0];
  for (size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
    if (timeline.lanes[lane].kind != LaneKind::Slot)
      continue;
    unsigned turn = timeline.lanes[lane].name == "'a' slot 0" ? 0 : 1;
    BoxKind last = BoxKind::InUse;
    for (const Box &box : boxesOf(timeline, lane)) {
      CHECK(box.turn == turn);
      if (box.kind == BoxKind::Landing)
        CHECK(last == BoxKind::InUse);
      if (box.kind == BoxKind::InUse) {
        CHECK(last != BoxKind::InUse);
        turn += 2;
      }
      last = box.kind;
    }
  }
}

TEST_CASE("timeline: the turns shown are those asked for", "[explain]") {
  Timeline timeline = makeTimelines(makeLaunch(2), 3)[0];
  CHECK(timeline.turns.size() == 4);
  CHECK(std::is_sorted(timeline.turns.begin(), timeline.turns.end()));
  CHECK(timeline.end() == timeline.turns.back());
}

TEST_CASE("timeline: with one slot no load overlaps a use", "[explain]") {
  Timeline timeline = makeTimelines(makeLaunch(1))[0];
  for (const Box &load : timeline.boxes)
    for (const Box &use : timeline.boxes)
      if (load.kind == BoxKind::Landing && use.kind == BoxKind::InUse)
        CHECK((load.end <= use.begin + 1e-9 || use.end <= load.begin + 1e-9));
}

TEST_CASE("timeline: a ring that is never released stops, it does not hang",
          "[explain]") {
  Timeline timeline = makeTimelines(makeLaunch(2, /*releases=*/false), 9)[0];
  CHECK(timeline.turns.size() < 10);
}

TEST_CASE("timeline: a loop without loads ahead has none", "[explain]") {
  Launch launch = makeLaunch(2);
  launch.loops[0].plan = "sequential";
  CHECK(makeTimelines(launch).empty());
  CHECK(makeTimelines(Launch()).empty());
}
