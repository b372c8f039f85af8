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

TEST_CASE("timeline: the first turns load without asking, later ones ask",
          "[explain]") {
  Launch launch = makeLaunch(2);
  Action first = act(ActionKind::If, 1), other = act(ActionKind::Else, 1),
         asked = act(ActionKind::If, 2);
  first.firstTurns = true;
  first.statement = {kFirstTurns, {}};
  other.statement = {};
  auto load = [](unsigned depth) {
    return std::vector<Action>{act(ActionKind::Acquire, depth, "a"),
                               act(ActionKind::Load, depth, "a"),
                               act(ActionKind::Commit, depth, "a")};
  };
  std::vector<Action> actions = {loopAction(), first};
  for (const Action &action : load(2))
    actions.push_back(action);
  actions.push_back(other);
  actions.push_back(asked);
  for (const Action &action : load(3))
    actions.push_back(action);
  launch.roles[1].actions = actions;
  Timeline timeline = makeTimelines(launch)[0];
  unsigned loads = 0;
  for (const Box &box : timeline.boxes)
    if (box.kind == BoxKind::Issue) {
      CHECK(box.turn == loads++);
      CHECK(box.guarded == (box.turn >= 2));
    }
  CHECK(loads >= 4);
}

TEST_CASE("timeline: of a slot with two releases the path that uses it is "
          "taken",
          "[explain]") {
  Launch launch = makeLaunch(2);
  launch.roles[0].actions = {
      loopAction(),
      act(ActionKind::Wait, 1, "a"),
      act(ActionKind::If, 1),
      act(ActionKind::Statement, 2, "a"),
      act(ActionKind::Release, 2, "a"),
      act(ActionKind::Else, 1),
      act(ActionKind::Release, 2, "a"),
  };
  Timeline timeline = makeTimelines(launch, 3)[0];
  unsigned releases = 0;
  for (const Box &box : timeline.boxes)
    releases += box.kind == BoxKind::Release && box.turn < 3;
  CHECK(releases == 3);
}

TEST_CASE("timeline: what is read a turn early has the colour of its turn",
          "[explain]") {
  Launch launch = makeLaunch(2);
  Action ahead = act(ActionKind::If, 0);
  ahead.statement = {"if that turn exists", {}};
  Action again = ahead;
  again.depth = 1;
  launch.roles[0].actions = {ahead,
                             act(ActionKind::Wait, 1, "a"),
                             act(ActionKind::Statement, 1, "a"),
                             act(ActionKind::Release, 1, "a"),
                             loopAction(),
                             act(ActionKind::Statement, 1),
                             again,
                             act(ActionKind::Wait, 2, "a"),
                             act(ActionKind::Statement, 2, "a"),
                             act(ActionKind::Release, 2, "a")};
  Timeline timeline = makeTimelines(launch, 3)[0];
  std::vector<unsigned> turns;
  for (const Box &box : timeline.boxes)
    if (box.kind == BoxKind::Statement && box.lane == 3)
      turns.push_back(box.turn);
  REQUIRE(turns.size() >= 5);
  // Read 0; turn 0, read 1; turn 1, read 2; ...
  turns.resize(5);
  CHECK(turns == std::vector<unsigned>{0, 0, 1, 1, 2});
}

TEST_CASE("timeline: groups of cp.async are waited for, not handed over",
          "[explain]") {
  Launch launch = makeLaunch(2);
  Action close = act(ActionKind::CompletionWait, 1);
  close.instruction = "cp.async.commit_group";
  Action wait = close;
  wait.instruction = "cp.async.wait_group 1";
  Action fill = loopAction();
  fill.statement = {"for the first turns", {}};
  auto load = [](ActionKind kind) { return act(kind, 1, "a"); };
  launch.roles.resize(1);
  launch.roles[0].actions = {
      fill,
      load(ActionKind::Acquire),
      load(ActionKind::Load),
      load(ActionKind::Commit),
      close,
      loopAction(),
      wait,
      load(ActionKind::Wait),
      act(ActionKind::Statement, 1, "a"),
      load(ActionKind::Release),
      load(ActionKind::Acquire),
      load(ActionKind::Load),
      load(ActionKind::Commit),
      close,
  };
  Timeline timeline = makeTimelines(launch, 3)[0];
  CHECK(timeline.turns.size() == 4);
  // The role waits until its copies have landed, in the wait for their group.
  bool waits = false;
  for (const Box &box : timeline.boxes) {
    CHECK(box.kind != BoxKind::Completion);
    waits |= box.kind == BoxKind::Idle &&
             box.title.find("cp.async.wait_group 1") == 0;
  }
  CHECK(waits);
}

TEST_CASE("timeline: a wait for tensor stores waits for no slot", "[explain]") {
  Launch launch = makeLaunch(2);
  Action stores = act(ActionKind::CompletionWait, 1);
  stores.instruction = "cp.async.bulk.wait_group.read 0";
  std::vector<Action> &actions = launch.roles[0].actions;
  actions.insert(actions.begin() + 1, stores);
  Timeline timeline = makeTimelines(launch, 2)[0];
  unsigned waits = 0;
  for (const Box &box : timeline.boxes) {
    waits += box.kind == BoxKind::Completion;
    CHECK_FALSE((box.kind == BoxKind::Idle &&
                 box.title.find("cp.async.bulk") != std::string::npos));
  }
  CHECK(waits >= 2);
}

TEST_CASE("timeline: a loop without loads ahead has none", "[explain]") {
  Launch launch = makeLaunch(2);
  launch.loops[0].plan = "sequential";
  CHECK(makeTimelines(launch).empty());
  CHECK(makeTimelines(Launch()).empty());
}
