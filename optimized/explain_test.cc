// Every executor says the same of a dead fetch.

#include "optimized/explain.h"

#include <gtest/gtest.h>

#include "graph/test_graph.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

class ExplainTest : public testing::TestWithParam<ExecutorChoice> {
 protected:
  // The message of a step that fetches a dead tensor.
  std::string Why(const std::string& text, const NamedTensors& feeds, const std::string& fetch,
                  const std::vector<std::string>& targets = {}) {
    SessionOptions options;
    options.executor = GetParam();
    options.threads = options.executor == ExecutorChoice::kSharedTokens ? 2 : 1;
    auto session = Session::Create(TestGraph(text, OpRegistry::Standard()).Take(), options);
    EXPECT_TRUE(session.ok());
    const Status status = (*session)->Run(feeds, {fetch}, targets).status();
    EXPECT_EQ(status.rule(), "fetch.1") << status.ToString();
    const size_t why = status.message().find("is dead");
    return status.message().substr(std::min(why, status.message().size()));
  }
};

constexpr char kBranches[] = R"(
  x = Placeholder() dtype=float
  p = Placeholder() dtype=bool
  q = Placeholder() dtype=bool
  s = Switch(x, p) T=float
  t = Switch(x, q) T=float
  a = Neg(s:1) T=float
  b = Neg(t:1) T=float
  c = Neg(s:0) T=float
  both = Merge(a, b) T=float N=2
  join = Merge(c, a) T=float N=2
  after = Neg(both) T=float
)";

NamedTensors Feeds(bool p, bool q) {
  return {{"x", Tensor::Scalar(1.0f)}, {"p", Tensor::Scalar(p)}, {"q", Tensor::Scalar(q)}};
}

TEST_P(ExplainTest, NamesTheSwitchThePathAndTheMergeThatJoins) {
  EXPECT_EQ(Why(kBranches, Feeds(false, true), "a"),
            "is dead: Switch 's' sent its value the other way (predicate false); path: s -> a. "
            "Fetch 'join', which joins the branches, instead");
  EXPECT_EQ(Why(kBranches, Feeds(true, true), "c"),
            "is dead: Switch 's' sent its value the other way (predicate true); path: s -> c. "
            "Fetch 'join', which joins the branches, instead");
}

TEST_P(ExplainTest, TellsOfADeadSwitchWhatMadeItSo) {
  const std::string text = std::string(kBranches) + R"(
    inner = Switch(a, q) T=float
    deep = Neg(inner:0) T=float
  )";
  EXPECT_EQ(Why(text, Feeds(false, false), "deep"),
            "is dead: Switch 's' sent its value the other way (predicate false); path: s -> a -> "
            "inner -> deep");
  EXPECT_EQ(Why(text, Feeds(true, true), "deep"),
            "is dead: Switch 'inner' sent its value the other way (predicate true); path: inner -> "
            "deep");
}

TEST_P(ExplainTest, FollowsControlEdgesLast) {
  const std::string text = std::string(kBranches) + "late = Neg(x, ^b, ^a) T=float\n";
  EXPECT_EQ(Why(text, Feeds(false, false), "late"),
            "is dead: Switch 't' sent its value the other way (predicate false); path: t -> b -> "
            "late");
}

TEST_P(ExplainTest, FollowsADeadLoopThrough) {
  const std::string text = std::string(kBranches) + R"(
    one = Const(^a) dtype=float value=1
    enter = Enter(one) T=float frame_name=loop
    head = Merge(enter, next) T=float N=2
    less = Less(head, head) T=float
    cond = LoopCond(less)
    way = Switch(head, cond) T=float
    next = NextIteration(way:1) T=float
    out = Exit(way:0) T=float
  )";
  EXPECT_EQ(Why(text, Feeds(false, true), "out"),
            "is dead: Switch 's' sent its value the other way (predicate false); path: s -> a -> "
            "one -> enter -> head -> way -> out");
}

TEST_P(ExplainTest, KnowsAPredicateThatComesOutOfALoop) {
  const std::string text = std::string(kBranches) + R"(
    zero = Const() dtype=float value=0
    enter = Enter(x) T=float frame_name=loop
    flag_in = Enter(q) T=bool frame_name=loop
    zero_in = Enter(zero) T=float frame_name=loop is_constant=true
    head = Merge(enter, next) T=float N=2
    flag = Merge(flag_in, flag_next) T=bool N=2
    less = Less(head, zero_in) T=float
    cond = LoopCond(less)
    way = Switch(head, cond) T=float
    flag_way = Switch(flag, cond) T=bool
    next = NextIteration(way:1) T=float
    flag_next = NextIteration(flag_way:1) T=bool
    flag_out = Exit(flag_way:0) T=bool
    asks = Switch(x, flag_out) T=float
    sum = Add(asks:1, a) T=float
  )";
  EXPECT_EQ(Why(text, Feeds(false, true), "sum"),
            "is dead: Switch 's' sent its value the other way (predicate false); path: s -> a -> "
            "sum");
  EXPECT_EQ(Why(text, Feeds(true, false), "sum"),
            "is dead: Switch 'asks' sent its value the other way (predicate false); path: asks -> "
            "sum");
}

// After a step in which they were not.
TEST_P(ExplainTest, AnEarlierStepIsForgotten) {
  SessionOptions options;
  options.executor = GetParam();
  auto session = Session::Create(TestGraph(kBranches, OpRegistry::Standard()).Take(), options);
  ASSERT_TRUE(session.ok());
  EXPECT_TRUE((*session)->Run(Feeds(true, true), {"a"}).ok());
  const Status status = (*session)->Run(Feeds(false, true), {"a"}).status();
  EXPECT_NE(status.message().find("Switch 's'"), std::string::npos) << status.message();
}

std::string NameOf(const testing::TestParamInfo<ExecutorChoice>& info) {
  if (info.param == ExecutorChoice::kStraight) return "Straight";
  return info.param == ExecutorChoice::kTokens ? "Tokens" : "SharedTokens";
}

INSTANTIATE_TEST_SUITE_P(Executors, ExplainTest,
                         testing::Values(ExecutorChoice::kStraight, ExecutorChoice::kTokens,
                                         ExecutorChoice::kSharedTokens),
                         NameOf);

// Graphs that straight code leaves to tokens.
class ExplainByTokensTest : public ExplainTest {};

// The engine keeps nothing of a loop that ran, so no Switch in it is blamed.
TEST_P(ExplainByTokensTest, EndsWithTheExitOfALoopThatRan) {
  const std::string text = std::string(kBranches) + R"(
    zero = Const() dtype=float value=0
    enter = Enter(zero) T=float frame_name=loop
    head = Merge(enter, next) T=float N=2
    limit = Enter(zero) T=float frame_name=loop is_constant=true
    less = Less(head, limit) T=float
    cond = LoopCond(less)
    way = Switch(head, cond) T=float
    next = NextIteration(way:1) T=float
    ends = Exit(way:0) T=float
    inner = Switch(way:0, cond) T=float
    out = Exit(inner:1) T=float
    late = Neg(out) T=float
    either = Merge(a, late) T=float N=2
  )";
  EXPECT_EQ(Why(text, Feeds(true, true), "late"),
            "is dead: Exit 'out' got no value from 'inner:1' in any iteration of its loop; path: "
            "out -> late");
  EXPECT_EQ(Why(text, Feeds(false, true), "either"),
            "is dead: all inputs of Merge 'either' are dead; path: either; 'a': Switch 's' sent "
            "its value the other way (predicate false); path: s -> a; 'late': Exit 'out' got no "
            "value from 'inner:1' in any iteration of its loop; path: out -> late");
}

// The Merge of a variable that enters as a constant stands in no order of its nodes.
TEST_P(ExplainByTokensTest, FollowsADeadVariableThatNoOrderHas) {
  const std::string text = std::string(kBranches) + R"(
    zero = Const() dtype=float value=0
    enter = Enter(zero) T=float frame_name=loop
    head = Merge(enter, next) T=float N=2
    less = Less(head, head) T=float
    cond = LoopCond(less)
    way = Switch(head, cond) T=float
    next = NextIteration(way:1) T=float
    dead_in = Enter(a) T=float frame_name=loop is_constant=true
    dead_head = Merge(dead_in, dead_next) T=float N=2
    dead_way = Switch(dead_head, cond) T=float
    dead_next = NextIteration(dead_way:1) T=float
    out = Exit(dead_way:0) T=float
  )";
  EXPECT_EQ(Why(text, Feeds(false, true), "out"),
            "is dead: Switch 's' sent its value the other way (predicate false); path: s -> a -> "
            "dead_in -> dead_head -> dead_way -> out");
}

// `told` comes before the Send that tells it in every order of data and control edges.
TEST_P(ExplainByTokensTest, FollowsADeadMessageInALoop) {
  const std::string text = std::string(kBranches) + R"(
    zero = Const() dtype=float value=0
    enter = Enter(zero) T=float frame_name=loop
    head = Merge(enter, next) T=float N=2
    dead_in = Enter(a) T=float frame_name=loop
    told = _Recv(^enter) tensor_type=float tensor_name=m send_device=d recv_device=d send_device_incarnation=1
    less = Less(head, told) T=float
    cond = LoopCond(less)
    way = Switch(head, cond) T=float
    next = NextIteration(way:1) T=float
    out = Exit(way:0) T=float
    tell = _Send(dead_in) T=float tensor_name=m send_device=d recv_device=d send_device_incarnation=1
  )";
  EXPECT_EQ(Why(text, Feeds(false, true), "out", {"tell"}),
            "is dead: Switch 's' sent its value the other way (predicate false); path: s -> a -> "
            "dead_in -> tell -> ... -> less -> cond -> way -> out");
}

INSTANTIATE_TEST_SUITE_P(Executors, ExplainByTokensTest,
                         testing::Values(ExecutorChoice::kTokens, ExecutorChoice::kSharedTokens),
                         NameOf);

// A Merge of two predicates has no structure that straight code knows.
TEST(ExplainMergeTest, TellsEachReasonOfADeadMerge) {
  auto session = Session::Create(TestGraph(kBranches, OpRegistry::Standard()).Take());
  ASSERT_TRUE(session.ok());
  const Status status = (*session)->Run(Feeds(false, false), {"after"}).status();
  EXPECT_NE(status.message().find(
                "is dead: all inputs of Merge 'both' are dead; path: both -> after; 'a': Switch "
                "'s' sent its value the other way (predicate false); path: s -> a; 'b': Switch "
                "'t' sent its value the other way (predicate false); path: t -> b"),
            std::string::npos)
      << status.message();
}

}  // namespace
}  // namespace tagflow::optimized
