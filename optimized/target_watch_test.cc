#include "optimized/target_watch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/test_graph.h"
#include "optimized/observer_stats.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using Names = std::vector<std::string>;

// Where p holds, `more` adds one to v; `step` is in a loop of n trips.
constexpr char kGraph[] = R"(
  v = VariableV2() dtype=int32 shape=[]
  nothing = Const() dtype=int32 value=0
  init = Assign(v, nothing) T=int32
  p = Placeholder() dtype=bool
  one = Const() dtype=int32 value=1
  s = Switch(one, p) T=int32
  more = AssignAdd(v, s:1) T=int32
  train = NoOp(^more)
  always = NoOp(^one)
  n = Placeholder() dtype=int32
  i_in = Enter(nothing) T=int32 frame_name=loop
  n_in = Enter(n) T=int32 frame_name=loop is_constant=true
  i = Merge(i_in, next) T=int32
  less = Less(i, n_in) T=int32
  go = LoopCond(less)
  turn = Switch(i, go) T=int32
  one_in = Const(^i) dtype=int32 value=1
  step = AddV2(turn:1, one_in) T=int32
  next = NextIteration(step) T=int32
  out = Exit(turn) T=int32
)";

struct Step {
  std::string values;
  Names dead;
};

Step RunStep(const SessionOptions& options, bool p, int n, const Names& targets) {
  auto session = Session::Create(TestGraph(kGraph, OpRegistry::Standard()).Take(), options);
  EXPECT_TRUE(session.ok());
  EXPECT_TRUE((*session)->Run({}, {}, {"init"}).ok());
  Step step;
  step.dead = {"untouched"};
  RunOptions run;
  run.dead_targets = &step.dead;
  const auto values =
      (*session)->Run({{"p", Tensor::Scalar(p)}, {"n", Tensor::Scalar(n)}}, {"out"}, targets, run);
  EXPECT_TRUE(values.ok()) << values.status().ToString();
  step.values = (*values)[0].DebugString();
  const auto v = (*session)->Run({}, {"v"});
  EXPECT_EQ((*v)[0].scalar<int32_t>(), p && targets[0] != "step" ? 1 : 0);
  return step;
}

SessionOptions Watching(ExecutorChoice executor = ExecutorChoice::kAuto, int threads = 1) {
  SessionOptions options;
  options.watches_targets = true;
  options.executor = executor;
  options.threads = threads;
  return options;
}

std::vector<SessionOptions> EveryKind() {
  std::vector<SessionOptions> kinds = {Watching(), Watching(ExecutorChoice::kTokens),
                                       Watching(ExecutorChoice::kSharedTokens, 3)};
  kinds.push_back(Watching());
  kinds.back().passes = Passes::All();
  kinds.back().simplify_if_worthwhile = false;
  kinds.push_back(Watching());
  kinds.back().devices = {"/device:CPU:0", "/device:SIM:0"};
  return kinds;
}

TEST(TargetWatchTest, ATargetOfTheOtherBranchIsDead) {
  for (const SessionOptions& options : EveryKind()) {
    EXPECT_EQ(RunStep(options, false, 2, {"train", "always"}).dead, Names{"train"});
    EXPECT_EQ(RunStep(options, false, 2, {"train", "more", "train"}).dead,
              (Names{"train", "more"}));
    EXPECT_EQ(RunStep(options, true, 2, {"train", "always"}).dead, Names{});
  }
}

TEST(TargetWatchTest, ATargetInALoopRanIfItRanOnce) {
  for (const SessionOptions& options : EveryKind()) {
    EXPECT_EQ(RunStep(options, true, 3, {"step", "next"}).dead, Names{});
    EXPECT_EQ(RunStep(options, true, 0, {"step", "out"}).dead, Names{"step"});
    EXPECT_EQ(RunStep(options, true, 3, {"step"}).values, "int32[] 3");
  }
}

TEST(TargetWatchTest, StraightCodeStaysStraight) {
  auto session = Session::Create(TestGraph(kGraph, OpRegistry::Standard()).Take(), Watching());
  const auto callable = (*session)->MakeCallable({"p"}, {}, {"train"});
  ASSERT_TRUE(callable.ok());
  EXPECT_EQ((*callable)->about(), "straight code");
}

TEST(TargetWatchTest, NobodyIsToldWhoDoesNotAsk) {
  const SessionOptions options;
  auto session = Session::Create(TestGraph(kGraph, OpRegistry::Standard()).Take(), options);
  Names dead = {"untouched"};
  RunOptions run;
  run.dead_targets = &dead;
  EXPECT_TRUE((*session)->Run({}, {}, {"always"}, run).ok());
  EXPECT_EQ(dead, Names{});
}

TEST(TargetWatchTest, ObserversSeeTheGraphAsItIs) {
  StatsObserver stats;
  SessionOptions options = Watching();
  options.observer = &stats;
  EXPECT_EQ(RunStep(options, false, 2, {"train", "always"}).dead, Names{"train"});
  for (const auto& [node, op, each] : stats.ByNode()) EXPECT_NE(op, "TemporaryVariable") << node;
}

}  // namespace
}  // namespace tagflow::optimized
