// Tests: races.cc

#include "reference/explore.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reference/test_step.h"

namespace tagflow::reference {
namespace {

std::set<std::string> OutcomesOf(Session& session, const NamedTensors& feeds,
                                 const std::vector<std::string>& fetches,
                                 Exploration* exploration = nullptr) {
  Result<Exploration> explored = Explore(session, feeds, fetches);
  EXPECT_TRUE(explored.ok()) << explored.status().ToString();
  EXPECT_TRUE(explored->exhaustive);
  std::set<std::string> outcomes;
  for (const Outcome& outcome : explored->outcomes) {
    outcomes.insert(outcome.status.ok() ? outcome.values[0].DebugString()
                                        : std::string(CodeName(outcome.status.code())));
  }
  if (exploration != nullptr) *exploration = *std::move(explored);
  return outcomes;
}

constexpr char kVariable[] = R"(
    v = VarHandleOp() dtype=int32 shared_name=v
    one = Const() dtype=int32 value=1
    five = Const() dtype=int32 value=5
    init = AssignVariableOp(v, one) dtype=int32
)";

TEST(Explore, ARaceFreeStepHasOneOutcomeAndOneOrder) {
  auto session = MakeSession(CountingLoop());
  Exploration exploration;
  EXPECT_EQ(OutcomesOf(*session, {{"n", Int(3)}}, {"i_exit"}, &exploration),
            std::set<std::string>{"int32[] 3"});
  EXPECT_EQ(exploration.orders, 1);
  EXPECT_TRUE(exploration.races.empty());
}

TEST(Explore, AWriteAndAReadUnorderedGiveBothValues) {
  auto session = MakeSession(std::string(kVariable) + R"(
    write = AssignVariableOp(v, five) dtype=int32
    read = ReadVariableOp(v) dtype=int32
    result = Identity(read, ^write) T=int32
  )");
  ASSERT_TRUE(session->Run({}, {}, {"init"}).ok());
  Exploration exploration;
  EXPECT_EQ(OutcomesOf(*session, {}, {"result"}, &exploration),
            (std::set<std::string>{"int32[] 1", "int32[] 5"}));
  EXPECT_EQ(exploration.races.size(), 1u);
  // The session is as it was: nothing of the exploration stayed.
  EXPECT_EQ((*session->Run({}, {"read"}))[0].scalar<int32_t>(), 1);
}

TEST(Explore, AControlEdgeOrdersThem) {
  auto session = MakeSession(std::string(kVariable) + R"(
    write = AssignVariableOp(v, five) dtype=int32
    read = ReadVariableOp(v, ^write) dtype=int32
  )");
  ASSERT_TRUE(session->Run({}, {}, {"init"}).ok());
  Exploration exploration;
  EXPECT_EQ(OutcomesOf(*session, {}, {"read"}, &exploration), std::set<std::string>{"int32[] 5"});
  EXPECT_TRUE(exploration.races.empty());
}

TEST(Explore, ThreeUnorderedWritesGiveEveryLastOne) {
  auto session = MakeSession(std::string(kVariable) + R"(
    seven = Const() dtype=int32 value=7
    a = AssignVariableOp(v, one) dtype=int32
    b = AssignVariableOp(v, five) dtype=int32
    c = AssignVariableOp(v, seven) dtype=int32
    read = ReadVariableOp(v, ^a, ^b, ^c) dtype=int32
  )");
  EXPECT_EQ(OutcomesOf(*session, {}, {"read"}),
            (std::set<std::string>{"int32[] 1", "int32[] 5", "int32[] 7"}));
}

TEST(Explore, AMergeOfTwoLiveTokensGivesEitherOrTheError) {
  auto session = MakeSession(R"(
    a = Const() dtype=int32 value=1
    b = Const() dtype=int32 value=2
    both = Merge(a, b) T=int32
  )");
  EXPECT_EQ(OutcomesOf(*session, {}, {"both"}),
            (std::set<std::string>{"int32[] 1", "int32[] 2", "INVALID_ARGUMENT"}));
  EXPECT_EQ(session->Run({}, {"both"}).status().rule(), "merge.3");
}

// Whose value_index is asked for.
TEST(Explore, AMergeOfOneLiveTokenTwiceIsARaceThoughTheTokensAreOrdered) {
  for (const char* second : {"a", "copy"}) {
    auto session = MakeSession(R"(
      a = Const() dtype=int32 value=1
      copy = Identity(a) T=int32
      both = Merge(a, )" + std::string(second) +
                               ") T=int32");
    Exploration exploration;
    EXPECT_EQ(OutcomesOf(*session, {}, {"both", "both:1"}, &exploration),
              (std::set<std::string>{"int32[] 1", "INVALID_ARGUMENT"}));
    EXPECT_EQ(exploration.races.size(), 1u);
    EXPECT_EQ(exploration.orders, 1);
    EXPECT_EQ(OutcomesOf(*session, {}, {"both"}, &exploration), std::set<std::string>{"int32[] 1"});
    EXPECT_TRUE(exploration.races.empty());
  }
}

// Of three live tokens two are equal: each of them races with the third, and not with the other.
TEST(Explore, UnequalTokensOfAMergeRace) {
  auto session = MakeSession(R"(
    a = Const() dtype=int32 value=1
    b = Const() dtype=int32 value=1
    c = Const() dtype=int32 value=2
    all = Merge(a, b, c) T=int32 N=3
  )");
  Exploration exploration;
  EXPECT_EQ(OutcomesOf(*session, {}, {"all"}, &exploration),
            (std::set<std::string>{"int32[] 1", "int32[] 2", "INVALID_ARGUMENT"}));
  EXPECT_EQ(exploration.races.size(), 2u);
}

// The Merge does not wait for the write, though its one input does.
TEST(Explore, AMergeOfEqualInputsOrdersWhatAllOfThemOrder) {
  const std::string graph = std::string(kVariable) + R"(
    write = AssignVariableOp(v, five) dtype=int32
    by_write = Const(^write) dtype=int32 value=7
    by_itself = Const() dtype=int32 value=7
    again = Identity(by_write) T=int32
    either = Merge(by_write, by_itself) T=int32
    both = Merge(by_write, again) T=int32
    after_either = ReadVariableOp(v, ^either) dtype=int32
    after_both = ReadVariableOp(v, ^both) dtype=int32
  )";
  auto session = MakeSession(graph);
  ASSERT_TRUE(session->Run({}, {}, {"init"}).ok());
  Exploration exploration;
  EXPECT_EQ(OutcomesOf(*session, {}, {"after_either"}, &exploration),
            (std::set<std::string>{"int32[] 1", "int32[] 5"}));
  EXPECT_EQ(exploration.races.size(), 1u);
  EXPECT_EQ(OutcomesOf(*session, {}, {"after_both"}, &exploration),
            std::set<std::string>{"int32[] 5"});
  EXPECT_TRUE(exploration.races.empty());
}

TEST(Explore, AReadThatFailsIsInARaceToo) {
  auto session = MakeSession(std::string(kVariable) + R"(
    read = ReadVariableOp(v) dtype=int32
    result = Identity(read, ^init) T=int32
  )");
  EXPECT_EQ(OutcomesOf(*session, {}, {"result"}),
            (std::set<std::string>{"int32[] 1", "FAILED_PRECONDITION"}));
}

// The constant Enter's token comes to iteration 1 with the NextIteration that begins it, of which
// there are two; the read is after the Enter, and not after that NextIteration.
TEST(Explore, AControlEdgeOfAConstantEnterOrdersAfterTheEnterAlone) {
  auto session = MakeSession(CountingLoop("parallel_iterations=4") + R"(
    v = VarHandleOp() dtype=int32 shared_name=v
    five = Const() dtype=int32 value=5
    init = AssignVariableOp(v, five) dtype=int32
    v_enter = Enter(v) T=resource frame_name=loop is_constant=true parallel_iterations=4
    go = Enter(five, ^init) T=int32 frame_name=loop is_constant=true parallel_iterations=4
    j = Merge(go_once, j_next) T=int32
    go_once = Enter(five) T=int32 frame_name=loop parallel_iterations=4
    j_switch = Switch(j, again) T=int32
    j_next = NextIteration(j_switch:1) T=int32
    seen = ReadVariableOp(v_enter, ^go) dtype=int32
    kept = AddV2(j, seen) T=int32
  )");
  Result<Exploration> explored = Explore(*session, {{"n", Int(2)}}, {"i_exit"}, {"kept"});
  ASSERT_TRUE(explored.ok()) << explored.status().ToString();
  EXPECT_TRUE(explored->races.empty()) << explored->races.front();
  EXPECT_EQ(explored->orders, 1);
}

TEST(Explore, AMergeOfTwoFeedsIsARace) {
  auto session = MakeSession(R"(
    a = Placeholder() dtype=int32
    b = Placeholder() dtype=int32
    both = Merge(a, b) T=int32
  )");
  Exploration exploration;
  EXPECT_EQ(OutcomesOf(*session, {{"a", Int(1)}, {"b", Int(2)}}, {"both"}, &exploration),
            (std::set<std::string>{"int32[] 1", "INVALID_ARGUMENT"}));
  EXPECT_EQ(exploration.races.size(), 1u);
}

TEST(Explore, TwoFiringsMayBeInTwoRaces) {
  auto session = MakeSession(R"(
    a = Const() dtype=int32 value=1
    b = Const() dtype=int32 value=2
    one = Merge(a, b) T=int32
    other = Merge(b, a) T=int32
    both = Sub(one, other) T=int32
  )");
  Exploration exploration;
  OutcomesOf(*session, {}, {"both"}, &exploration);
  EXPECT_EQ(exploration.races.size(), 2u);
  std::set<std::string> blamed;
  for (const Outcome& outcome : exploration.outcomes) blamed.insert(outcome.status.node());
  EXPECT_EQ(blamed, (std::set<std::string>{"", "one", "other"}));
}

TEST(Explore, AStepThatAMergeFailsReportsTheRace) {
  auto session = MakeSession(R"(
    a = Const() dtype=int32 value=1
    b = Const() dtype=int32 value=2
    both = Merge(a, b) T=int32
  )");
  History history;
  RunOptions options;
  options.history = &history;
  EXPECT_EQ(session->Run({}, {"both"}, {}, options).status().rule(), "merge.3");
  EXPECT_EQ(FindRaces(history).size(), 1u);
}

// Where the reader comes first it fails, and that it might is the race.
TEST(Explore, AReadThatFindsNoValueIsARaceWithTheAssignment) {
  auto session = MakeSession(R"(
    v = VariableV2() dtype=int32 shape=[]
    one = Const() dtype=int32 value=1
    set = Assign(v, one) T=int32
    seen = Enter(v) frame_name=f T=int32
    out = Exit(seen) T=int32
  )");
  Exploration exploration;
  EXPECT_EQ(OutcomesOf(*session, {}, {"out", "set"}, &exploration),
            (std::set<std::string>{"int32[] 1", "FAILED_PRECONDITION"}));
  EXPECT_EQ(exploration.races.size(), 1u);
}

// Each iteration writes its number; nothing but the iterations themselves orders the writes.
std::unique_ptr<Session> LoopOfWrites(const std::string& attrs) {
  auto session = MakeSession(CountingLoop(attrs) + R"(
    v = VarHandleOp() dtype=int32 shared_name=v
    minus = Const() dtype=int32 value=-1
    init = AssignVariableOp(v, minus) dtype=int32
    v_enter = Enter(v) T=resource frame_name=loop is_constant=true )" +
                             attrs + R"(
    write = AssignVariableOp(v_enter, body) dtype=int32
    read = ReadVariableOp(v, ^i_exit) dtype=int32
  )");
  EXPECT_TRUE(session->Run({}, {}, {"init"}).ok());
  return session;
}

// "small" has no element shape, so a read finds nothing where nothing was written.
constexpr char kArray[] = R"(
    one = Const() dtype=int32 value=1
    zero = Const() dtype=int32 value=0
    small = TensorArrayV3(one) dtype=int32 clear_after_read=true
    write = TensorArrayWriteV3(small, zero, one, small:1) T=int32
)";

TEST(Explore, AWriteThatARunFailsIsARaceWithTheReadBeforeIt) {
  auto session = MakeSession(std::string(kArray) + R"(
    read = TensorArrayReadV3(small, zero, small:1) dtype=int32
    both = Identity(read, ^write) T=int32
  )");
  Exploration exploration;
  EXPECT_EQ(OutcomesOf(*session, {}, {"both"}, &exploration),
            (std::set<std::string>{"int32[] 1", "INVALID_ARGUMENT"}));
  EXPECT_EQ(exploration.races.size(), 1u);
}

TEST(Explore, AUseOfAnArrayIsARaceWithItsEnd) {
  for (const char* use :
       {"TensorArraySizeV3(small, write)", "TensorArrayGradV3(small, write) source=\"g\""}) {
    auto session = MakeSession(std::string(kArray) + R"(
      close = TensorArrayCloseV3(small, ^write)
      use = )" + use + R"(
      both = Identity(one, ^use, ^close) T=int32
    )");
    EXPECT_EQ(OutcomesOf(*session, {}, {"both"}),
              (std::set<std::string>{"int32[] 1", "INVALID_ARGUMENT"}))
        << use;
  }
}

// An element that nobody writes is there for those alone who come after the write of a later one.
TEST(Explore, WhoReadsWhatNobodyWroteIsInARaceWithWhatMakesTheArrayLonger) {
  const auto outcomes = [](const std::string& index) {
    auto session = MakeSession(R"(
      size = Const() dtype=int32 value=1
      nine = Const() dtype=int32 value=9
      index = Const() dtype=int32 value=)" +
                               index + R"(
      array = TensorArrayV3(size) dtype=int32 element_shape=[] dynamic_size=true
      write = TensorArrayWriteV3(array, nine, nine, array:1) T=int32
      read = TensorArrayReadV3(array, index, array:1) dtype=int32
      both = Identity(read, ^write) T=int32
    )");
    return OutcomesOf(*session, {}, {"both"});
  };
  EXPECT_EQ(outcomes("7"), (std::set<std::string>{"int32[] 0", "INVALID_ARGUMENT"}));
  EXPECT_EQ(outcomes("0"), (std::set<std::string>{"int32[] 0"}));
}

// `late` makes the array in some orders only, and then, without an element to take the shape from,
// the read fails.
TEST(Explore, WhoAsksForAGradientArrayThatIsThereRacesTooWithTheWrite) {
  auto session = MakeSession(std::string(kArray) + R"(
    late = TensorArrayGradV3(small, small:1) source="g"
    first = TensorArrayGradV3(small, write) source="g"
    read = TensorArrayReadV3(first, zero, first:1, ^late) dtype=int32
  )");
  Exploration exploration;
  EXPECT_EQ(OutcomesOf(*session, {}, {"read"}, &exploration),
            (std::set<std::string>{"int32[] 0", "INVALID_ARGUMENT"}));
  EXPECT_EQ(exploration.races.size(), 1u);
}

// The fetch and the node both read `v`; either may come first.
TEST(Explore, AFetchThatFindsNoValueFailsAsANodeDoes) {
  auto session = MakeSession(R"(
    v = VariableV2() dtype=int32 shape=[]
    read = Identity(v) T=int32
  )");
  RunOptions options;
  options.collect_errors = true;
  EXPECT_FALSE(session->Run({}, {"v"}, {"read"}, options).ok());
  std::set<std::string> nodes;
  for (const Status& error : session->collected_errors()) nodes.insert(error.node());
  EXPECT_EQ(nodes, (std::set<std::string>{"read", "v"}));
}

TEST(Explore, ParallelIterationsOneOrdersTheEffectsOfIterations) {
  for (const bool sequential : {true, false}) {
    auto session = LoopOfWrites(sequential ? "parallel_iterations=1" : "parallel_iterations=8");
    Result<Exploration> explored = Explore(*session, {{"n", Int(2)}}, {"read"}, {"write"});
    ASSERT_TRUE(explored.ok()) << explored.status().ToString();
    EXPECT_TRUE(explored->exhaustive);
    std::set<int32_t> outcomes;
    for (const Outcome& outcome : explored->outcomes) {
      outcomes.insert(outcome.values[0].scalar<int32_t>());
    }
    EXPECT_EQ(outcomes, sequential ? (std::set<int32_t>{1}) : (std::set<int32_t>{-1, 0, 1}));
    EXPECT_EQ(explored->races.empty(), sequential);
  }
}

// A loop of one trip. `bump` takes constants alone; the only edge between two of its firings is the
// one into NextIteration.
std::unique_ptr<Session> LoopOfBumps(const std::string& more) {
  auto session = MakeSession(R"(
    v = VarHandleOp() dtype=int32 shared_name=v
    zero = Const() dtype=int32 value=0
    one = Const() dtype=int32 value=1
    init = AssignVariableOp(v, zero) dtype=int32
    i_enter = Enter(zero) T=int32 frame_name=loop
    limit = Enter(one) T=int32 frame_name=loop is_constant=true
    step = Enter(one) T=int32 frame_name=loop is_constant=true
    v_enter = Enter(v) T=resource frame_name=loop is_constant=true
    i = Merge(i_enter, i_next) T=int32
    less = Less(i, limit) T=int32
    cond = LoopCond(less)
    i_switch = Switch(i, cond) T=int32
    plus = AddV2(i_switch:1, step) T=int32
    bump = AssignAddVariableOp(v_enter, step) dtype=int32
    i_next = NextIteration(plus, ^bump) T=int32
    i_exit = Exit(i_switch) T=int32
  )" + more);
  EXPECT_TRUE(session->Run({}, {}, {"init"}).ok());
  return session;
}

TEST(Explore, TheOnlyNextIterationComesBeforeTheIterationItBegins) {
  Exploration exploration;
  auto session = LoopOfBumps("");
  OutcomesOf(*session, {}, {"i_exit"}, &exploration);
  EXPECT_TRUE(exploration.races.empty());
  // With a second one, that may begin the next iteration before the bump.
  auto racing = LoopOfBumps(R"(
    j = Merge(i_enter, j_next) T=int32
    j_switch = Switch(j, cond) T=int32
    j_next = NextIteration(j_switch:1) T=int32
    j_exit = Exit(j_switch) T=int32
    sum = AddV2(i_exit, j_exit) T=int32
  )");
  OutcomesOf(*racing, {}, {"sum"}, &exploration);
  EXPECT_FALSE(exploration.races.empty());
}

size_t RacesOf(Session& session, const NamedTensors& feeds, const std::string& fetch,
               const std::vector<std::string>& targets, RunOn run_on) {
  History history;
  RunOptions options;
  options.history = &history;
  EXPECT_TRUE(session.Run(feeds, {fetch}, targets, options).ok());
  return FindRaces(history, run_on).size();
}

//                                                                            Spec: [partition.5]
TEST(Races, TheEndOfAnIterationOrdersWhatIsOnOneDevice) {
  auto session = LoopOfWrites("parallel_iterations=1");
  const NamedTensors feeds = {{"n", Int(2)}};
  EXPECT_EQ(RacesOf(*session, feeds, "read", {"write"}, RunOn::kOneDevice), 0u);
  EXPECT_GT(RacesOf(*session, feeds, "read", {"write"}, RunOn::kDevices), 0u);
}

TEST(Races, TheOnlyNextIterationOrdersAcrossDevices) {
  auto session = LoopOfBumps("");
  EXPECT_EQ(RacesOf(*session, {}, "i_exit", {}, RunOn::kDevices), 0u);
}

TEST(Races, EveryErrorThatSomeOrderMeetsIsAnOutcome) {
  auto session = MakeSession(R"(
    zero = Const() dtype=int32 value=0
    one = Const() dtype=int32 value=1
    bad = FloorDiv(one, zero) T=int32
    worse = FloorMod(one, zero) T=int32
    sum = AddV2(bad, worse) T=int32
  )");
  Result<Exploration> explored = Explore(*session, {}, {"sum"});
  ASSERT_TRUE(explored.ok());
  std::set<std::string> nodes;
  for (const Outcome& outcome : explored->outcomes) nodes.insert(outcome.status.node());
  EXPECT_EQ(nodes, (std::set<std::string>{"bad", "worse"}));
}

TEST(Explore, EndsWhenItIsToldTo) {
  // Eight writes in no order: 40,320 orders.
  std::string text = kVariable;
  std::string after;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "w" + std::to_string(i);
    text += "    " + name + " = AssignVariableOp(v, five) dtype=int32\n";
    after += ", ^" + name;
  }
  auto session = MakeSession(text + "    last = Identity(one" + after + ") T=int32\n");
  int asked = 0;
  ExploreOptions options;
  options.cancelled = [&] { return ++asked > 20; };
  const Result<Exploration> stopped = Explore(*session, {}, {"last"}, {}, options);
  ASSERT_TRUE(stopped.ok());
  EXPECT_FALSE(stopped->exhaustive);
  EXPECT_LT(stopped->orders, 20);
  ASSERT_EQ(stopped->outcomes.size(), 1u);
  EXPECT_TRUE(stopped->outcomes[0].status.ok());

  options = ExploreOptions();
  options.deadline_s = 1e-9;
  const Result<Exploration> late = Explore(*session, {}, {"last"}, {}, options);
  ASSERT_TRUE(late.ok());
  EXPECT_FALSE(late->exhaustive);
}

}  // namespace
}  // namespace tagflow::reference
