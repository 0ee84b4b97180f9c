// Calls over several CPU devices: the values and errors of one device, whatever is where.

#include "optimized/spread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/op_def.h"
#include "graph/test_graph.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr char kHere[] = "/device:CPU:0";
constexpr char kThere[] = "/device:CPU:1";

// i = 0, a = x; while i < n: a = a * 2 + i, i = i + 1
constexpr char kLoop[] = R"(
  n = Placeholder() dtype=int32
  x = Placeholder() dtype=int32
  zero = Const() dtype=int32 value=0
  i_enter = Enter(zero) T=int32 frame_name=loop
  a_enter = Enter(x) T=int32 frame_name=loop
  n_enter = Enter(n) T=int32 frame_name=loop is_constant=true
  i = Merge(i_enter, i_next) T=int32
  a = Merge(a_enter, a_next) T=int32
  less = Less(i, n_enter) T=int32
  again = LoopCond(less)
  i_switch = Switch(i, again) T=int32
  a_switch = Switch(a, again) T=int32
  one = Const(^again_too) dtype=int32 value=1
  again_too = Identity(i_switch:1) T=int32
  twice = AddV2(a_switch:1, a_switch:1) T=int32
  more = AddV2(twice, again_too) T=int32
  next = AddV2(again_too, one) T=int32
  i_next = NextIteration(next) T=int32
  a_next = NextIteration(more) T=int32
  a_exit = Exit(a_switch:0) T=int32
)";

Tensor Int(int32_t value) { return Tensor::Scalar<int32_t>(value); }

class SpreadTest : public testing::TestWithParam<int> {
 protected:
  // `there` is on the second device.
  std::unique_ptr<Session> Open(const char* text, const std::vector<std::string>& there,
                                std::vector<std::string> devices = {kHere, kThere}) {
    TestGraph graph(text, OpRegistry::Standard());
    for (const std::string& name : there) {
      graph.mutable_graph().mutable_node(graph.id(name)).device = kThere;
    }
    SessionOptions options;
    options.devices = std::move(devices);
    options.threads = GetParam();
    options.executor = GetParam() > 1 ? ExecutorChoice::kSharedTokens : ExecutorChoice::kAuto;
    return *Session::Create(graph.Take(), options);
  }
  static std::string Text(Session& session, const NamedTensors& feeds, const std::string& fetch,
                          const RunOptions& options = {}) {
    const auto values = session.Run(feeds, {fetch}, {}, options);
    return values.ok() ? (*values)[0].DebugString() : values.status().ToString();
  }
};
INSTANTIATE_TEST_SUITE_P(Threads, SpreadTest, testing::Values(1, 2, 4));

TEST_P(SpreadTest, ALoopIsTheSameWhereverItsNodesAre) {
  const std::vector<std::vector<std::string>> placements = {
      {},
      {"twice"},
      {"more", "twice"},
      {"less"},
      {"again", "less", "i_switch"},
      {"a", "a_switch", "twice", "more", "a_exit"},
      {"one"},
      {"a_exit"},
      {"n", "x"},
  };
  for (const auto& there : placements) {
    const auto session = Open(kLoop, there);
    for (const int32_t n : {0, 1, 2, 5, 20}) {
      int32_t a = 3;
      for (int32_t i = 0; i < n; ++i) a = 2 * a + i;
      EXPECT_EQ(Text(*session, {{"n", Int(n)}, {"x", Int(3)}}, "a_exit"),
                "int32[] " + std::to_string(a));
    }
  }
}

TEST_P(SpreadTest, SaysSo) {
  const auto session = Open(kLoop, {"twice"});
  EXPECT_THAT((*session->MakeCallable({"n", "x"}, {"a_exit"}))->about(),
              AllOf(StartsWith("tokens"), EndsWith(", over 2 devices")));
}

// In simulated schedules too, each of them.
TEST_P(SpreadTest, UnderAnySchedule) {
  const auto session = Open(kLoop, {"twice", "less"});
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    RunOptions options;
    options.seed = seed;
    EXPECT_EQ(Text(*session, {{"n", Int(3)}, {"x", Int(1)}}, "a_exit", options), "int32[] 12");
  }
}

// TensorFlow leaves the second device in iteration 0 here, and waits for ever.
TEST_P(SpreadTest, ADeviceThatHasOnlyConstantsOfALoopIterates) {
  const auto session = Open(R"(
    n = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    i_enter = Enter(zero) T=int32 frame_name=loop
    n_enter = Enter(n) T=int32 frame_name=loop is_constant=true
    k_enter = Enter(n) T=int32 frame_name=loop is_constant=true
    i = Merge(i_enter, i_next) T=int32
    less = Less(i, n_enter) T=int32
    again = LoopCond(less)
    i_switch = Switch(i, again) T=int32
    body = Identity(i_switch:1) T=int32
    apart = FloorDiv(k_enter, k_enter) T=int32
    sum = AddV2(body, apart) T=int32
    i_next = NextIteration(sum) T=int32
    i_exit = Exit(i_switch:0) T=int32
  )",
                            {"apart"});
  EXPECT_EQ(Text(*session, {{"n", Int(7)}}, "i_exit"), "int32[] 7");
}

TEST_P(SpreadTest, ErrorsHaveTheTagOfTheWholeGraph) {
  const auto session = Open(R"(
    n = Placeholder() dtype=int32
    i_enter = Enter(n) T=int32 frame_name=loop
    i = Merge(i_enter, i_next) T=int32
    none = Const(^i) dtype=int32 value=0
    less = Less(none, i) T=int32
    again = LoopCond(less)
    i_switch = Switch(i, again) T=int32
    body = Identity(i_switch:1) T=int32
    minus = Const(^body) dtype=int32 value=-1
    sum = AddV2(body, minus) T=int32
    bad = FloorDiv(body, sum) T=int32
    i_next = NextIteration(sum, ^bad) T=int32
    i_exit = Exit(i_switch:0) T=int32
  )",
                            {"bad"});
  const auto values = session->Run({{"n", Int(3)}}, {"i_exit"});
  ASSERT_FALSE(values.ok());
  EXPECT_EQ(values.status().node(), "bad");
  EXPECT_EQ(values.status().tag(), "loop[2]");
  EXPECT_EQ(values.status().code(), Code::kInvalidArgument);
}

TEST_P(SpreadTest, ADeadBranchIsToldToTheOtherSide) {
  constexpr char kBranch[] = R"(
    x = Placeholder() dtype=int32
    p = Placeholder() dtype=bool
    way = Switch(x, p) T=int32
    yes = AddV2(way:1, way:1) T=int32
    no = Neg(way:0) T=int32
    joined = Merge(no, yes) T=int32
  )";
  for (const auto& there :
       std::vector<std::vector<std::string>>{{"yes"}, {"no"}, {"joined"}, {"yes", "no"}, {"way"}}) {
    const auto session = Open(kBranch, there);
    EXPECT_EQ(Text(*session, {{"x", Int(3)}, {"p", Tensor::Scalar(true)}}, "joined"), "int32[] 6");
    EXPECT_EQ(Text(*session, {{"x", Int(3)}, {"p", Tensor::Scalar(false)}}, "joined"),
              "int32[] -3");
    EXPECT_THAT(Text(*session, {{"x", Int(3)}, {"p", Tensor::Scalar(false)}}, "yes"),
                HasSubstr("Switch 'way'"));
  }
}

TEST_P(SpreadTest, WhatDoesNotFitIsRefusedBeforeItRuns) {
  const auto session = Open(kLoop, {"twice"}, {kHere, "/device:CPU:7"});
  EXPECT_THAT(Text(*session, {{"n", Int(1)}, {"x", Int(1)}}, "a_exit"),
              HasSubstr("INVALID_ARGUMENT"));
  // What is not needed may ask for anything.
  EXPECT_EQ(Text(*session, {{"n", Int(1)}}, "n"), "int32[] 1");
}

// "h" is the same in every iteration, waits by "w" for the Enter of a reference, and is elsewhere.
// Outside of the loop it would leave that waiting to its stand-in inside, which is where it was.
TEST_P(SpreadTest, APassBringsNothingTogetherThatIsApart) {
  TestGraph graph(R"(
    x = Placeholder() dtype=float
    v = VariableV2() dtype=float shape=[]
    set = Assign(v, x) T=float
    set_in = Enter(set) T=float frame_name=loop is_constant=true
    x_in = Enter(x) T=float frame_name=loop is_constant=true
    i_in = Enter(x) T=float frame_name=loop
    i = Merge(i_in, next) T=float
    less = Less(i, x_in) T=float
    again = LoopCond(less)
    way = Switch(i, again) T=float
    w = Const(^set_in) dtype=float value=2
    h = Mul(x_in, w) T=float
    more = Add(way:1, h) T=float
    next = NextIteration(more) T=float
    out = Exit(way:0) T=float
  )",
                  OpRegistry::Standard());
  for (const NodeId id : graph.graph().NodeIds()) {
    const bool is_there = graph.graph().node(id).name == "h";
    graph.mutable_graph().mutable_node(id).device = is_there ? kThere : kHere;
  }
  SessionOptions options;
  options.devices = {kHere, kThere};
  options.passes = Passes::All();
  options.simplify_if_worthwhile = false;
  const auto session = *Session::Create(graph.Take(), options);
  EXPECT_EQ(Text(*session, {{"x", Tensor::Scalar(3.0f)}}, "out"), "float[] 3");
}

TEST_P(SpreadTest, FloatsMayCrossAsTheUpperHalfOfTheirBits) {
  TestGraph graph(R"(
    x = Placeholder() dtype=float
    there = Identity(x) T=float
    back = Identity(there) T=float
  )",
                  OpRegistry::Standard());
  graph.mutable_graph().mutable_node(graph.id("there")).device = kThere;
  graph.mutable_graph().mutable_node(graph.id("back")).device = kHere;
  SessionOptions options;
  options.devices = {kHere, kThere};
  options.spread.compresses_floats = true;
  const auto session = *Session::Create(graph.Take(), options);
  const Tensor x = Tensor::Vector<float>({1.0f, 1 + 0x1p-7f, 1 + 0x1p-8f, -3.99999f, 0x1p-140f});
  const Tensor expected = Tensor::Vector<float>({1.0f, 1 + 0x1p-7f, 1.0f, -3.984375f, 0.0f});
  const auto values = session->Run({{"x", x}}, {"back"});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_TRUE(BitwiseEqual((*values)[0], expected)) << (*values)[0].DebugString();
}

TEST_P(SpreadTest, AStepThatIsStoppedLeavesTheNextRight) {
  const auto session = Open(kLoop, {"twice"});
  RunOptions options;
  options.max_firings = 50;
  EXPECT_THAT(Text(*session, {{"n", Int(1000)}, {"x", Int(1)}}, "a_exit", options),
              HasSubstr("RESOURCE_EXHAUSTED"));
  EXPECT_EQ(Text(*session, {{"n", Int(2)}, {"x", Int(1)}}, "a_exit"), "int32[] 5");
}

}  // namespace
}  // namespace tagflow::optimized
