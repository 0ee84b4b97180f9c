// Tests: naive_ops.cc, naive_state_ops.cc, naive_static.cc
// What the naive executor makes of small graphs, held against what the judgements of
// docs/small_step.md say, worked out by hand.

#include "fuzz/graphs/naive.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/test_graph.h"

namespace tagflow::fuzz {
namespace {

class NaiveTest : public testing::Test {
 protected:
  NaiveOutcome Run(const std::string& text, NamedTensors feeds, std::vector<std::string> fetches,
                   std::vector<std::string> targets = {}, int64_t max_firings = 1000) {
    sample_ = GraphSample();
    sample_.graph = TestGraph(text, OpRegistry::Standard()).Take();
    sample_.runs = {std::move(feeds)};
    sample_.fetches = std::move(fetches);
    sample_.targets = std::move(targets);
    const Naive naive(sample_);
    EXPECT_TRUE(naive.Supported().ok()) << naive.Supported().ToString();
    return naive.Run(
        0, variables_, [](size_t) { return size_t{0}; }, max_firings);
  }

  // The tags a node fired at, in order; " dead" behind those of dead instances.
  static std::vector<std::string> Firings(const NaiveOutcome& outcome, const std::string& node) {
    std::vector<std::string> tags;
    for (const NaiveEvent& event : outcome.events) {
      if (event.node->name == node) tags.push_back(event.tag + (event.dead ? " dead" : ""));
    }
    return tags;
  }

  GraphSample sample_;  // events point into its graph
  NaiveVariables variables_;
};

Tensor Int(int32_t value) { return Tensor::Scalar<int32_t>(value); }
Tensor Bool(bool value) { return Tensor::Scalar<bool>(value); }

// i = 0; while i < n: i = i + 1
std::string Loop(const std::string& attrs = "") {
  return R"(
    n = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    start = Enter(zero) T=int32 frame_name=loop )" +
         attrs + R"(
    limit = Enter(n) T=int32 frame_name=loop is_constant=true )" +
         attrs + R"(
    i = Merge(start, next) T=int32
    less = Less(i, limit) T=int32
    again = LoopCond(less)
    if = Switch(i, again) T=int32
    body = Identity(if:1) T=int32
    one = Const(^body) dtype=int32 value=1
    sum = AddV2(body, one) T=int32
    next = NextIteration(sum) T=int32
    last = Exit(if) T=int32
  )";
}

TEST_F(NaiveTest, ALoopFiresItsHeaderOncePerTripAndOnceMore) {
  const NaiveOutcome outcome = Run(Loop(), {{"n", Int(2)}}, {"last"});
  EXPECT_EQ(outcome.code, Code::kOk);
  EXPECT_EQ(outcome.fetched.at(0).value.number, 2);
  EXPECT_EQ(Firings(outcome, "i"), (std::vector<std::string>{"loop[0]", "loop[1]", "loop[2]"}));
  EXPECT_EQ(Firings(outcome, "next"),
            (std::vector<std::string>{"loop[0]", "loop[1]", "loop[2] dead"}));
}

TEST_F(NaiveTest, WithOneIterationAtATimeTheNextWaits) {
  const NaiveOutcome outcome =
      Run(Loop("parallel_iterations=1"), {{"n", Int(2)}}, {"last"}, {"last"});
  size_t last_of_first = 0, first_of_second = outcome.events.size();
  for (size_t i = 0; i < outcome.events.size(); ++i) {
    if (outcome.events[i].tag == "loop[0]") last_of_first = i;
    if (outcome.events[i].tag == "loop[1]") first_of_second = std::min(first_of_second, i);
  }
  EXPECT_LT(last_of_first, first_of_second);
}

TEST_F(NaiveTest, ADeadLoopGivesOneDeadTokenPerExit) {
  const NaiveOutcome outcome = Run(R"(
    p = Placeholder() dtype=bool
    x = Switch(p, p) T=bool
    in = Enter(x:1) T=bool frame_name=f
    m = Merge(in, next) T=bool
    if = Switch(m, m) T=bool
    next = NextIteration(if:1) T=bool
    out = Exit(if) T=bool
    see = Identity(out) T=bool
  )",
                                   {{"p", Bool(false)}}, {}, {"see"});
  EXPECT_EQ(outcome.code, Code::kOk);
  EXPECT_EQ(Firings(outcome, "m"), std::vector<std::string>{"f[0] dead"});
  EXPECT_EQ(Firings(outcome, "see"), std::vector<std::string>{" dead"});
}

TEST_F(NaiveTest, AConstantEnterIsThereInEveryIteration) {
  const NaiveOutcome outcome = Run(Loop() + R"(
    copy = Identity(limit) T=int32
  )",
                                   {{"n", Int(2)}}, {"last"}, {"copy"});
  EXPECT_EQ(Firings(outcome, "copy").size(), 3u);
}

TEST_F(NaiveTest, TwoLiveTokensAtAMergeAreAnErrorUnlessTheyAreEqual) {
  const std::string graph = R"(
    p = Placeholder() dtype=bool
    both = Merge(p, copy) T=bool
    copy = Identity(p) T=bool
    unequal = Merge(p, opposite) T=bool
    opposite = LogicalNot(p)
  )";
  const NamedTensors feeds = {{"p", Bool(true)}};
  EXPECT_EQ(Run(graph, feeds, {"both"}).code, Code::kOk);
  const NaiveOutcome unequal = Run(graph, feeds, {"unequal"});
  EXPECT_EQ(unequal.code, Code::kInvalidArgument);
  EXPECT_EQ(unequal.node, "unequal");
  EXPECT_FALSE(unequal.ended);
  const NaiveOutcome indexed = Run(graph, feeds, {"both", "both:1"});
  EXPECT_EQ(indexed.code, Code::kInvalidArgument);
  EXPECT_EQ(indexed.node, "both");
}

TEST_F(NaiveTest, WhatNothingLeadsToStarves) {
  const NaiveOutcome outcome = Run(R"(
    p = Placeholder() dtype=bool
    m = Merge(p, ^never) T=bool
    never = Merge(next) T=bool
    next = NextIteration(never) T=bool
  )",
                                   {{"p", Bool(true)}}, {}, {"m"});
  EXPECT_EQ(outcome.code, Code::kFailedPrecondition);
  EXPECT_EQ(outcome.node, "m");
  EXPECT_TRUE(outcome.ended);
}

TEST_F(NaiveTest, ADeadFetchIsAnError) {
  const NaiveOutcome outcome = Run(R"(
    p = Placeholder() dtype=bool
    if = Switch(p, p) T=bool
  )",
                                   {{"p", Bool(true)}}, {"if:1", "if:0"});
  EXPECT_EQ(outcome.code, Code::kInvalidArgument);
  EXPECT_EQ(outcome.node, "if");
}

TEST_F(NaiveTest, AnEndlessLoopMeetsTheLimit) {
  const NaiveOutcome outcome = Run(R"(
    p = Placeholder() dtype=bool
    in = Enter(p) T=bool frame_name=f
    m = Merge(in, next) T=bool
    next = NextIteration(m) T=bool
  )",
                                   {{"p", Bool(true)}}, {}, {"m"}, 50);
  EXPECT_EQ(outcome.code, Code::kResourceExhausted);
  EXPECT_EQ(outcome.events.size(), 50u);
}

TEST_F(NaiveTest, VariablesKeepTheirValuesFromRunToRun) {
  const std::string text = R"(
    v = VarHandleOp() dtype=int32 shared_name=v
    x = Placeholder() dtype=int32
    write = AssignVariableOp(v, x) dtype=int32
    add = AssignAddVariableOp(v, x) dtype=int32
    read = ReadVariableOp(v) dtype=int32
  )";
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {"read"}).code, Code::kFailedPrecondition);
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {}, {"add"}).code, Code::kNotFound);
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {}, {"write"}).code, Code::kOk);
  EXPECT_EQ(Run(text, {{"x", Int(2)}}, {}, {"add"}).code, Code::kOk);
  EXPECT_EQ(Run(text, {{"x", Int(0)}}, {"read"}).fetched.at(0).value.number, 7);
}

TEST_F(NaiveTest, AReferenceIsReadWhenItsConsumerFires) {
  const std::string text = R"(
    v = VariableV2() dtype=int32 shared_name=v
    x = Placeholder() dtype=int32
    set = Assign(v, x) T=int32
    before = Identity(set) T=int32
    add = AssignAdd(set, x, ^before) T=int32
    late = Identity(x, ^add) T=int32
    sum = AddV2(set, late) T=int32
    has = IsVariableInitialized(v) dtype=int32
  )";
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {"has"}).fetched.at(0).value.number, 0);
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {"v"}).code, Code::kFailedPrecondition);
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {"before", "sum"}).fetched.at(1).value.number, 15);
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {"v"}).fetched.at(0).value.number, 10);
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {"has"}).fetched.at(0).value.number, 1);
}

TEST_F(NaiveTest, AStackGivesBackWhatCameLastAndHasItsSize) {
  const std::string text = R"(
    x = Placeholder() dtype=int32
    one = Const() dtype=int32 value=1
    s = StackV2(one) elem_type=int32
    push = StackPushV2(s, x) T=int32
    again = StackPushV2(s, x, ^push) T=int32
    pop = StackPopV2(s, ^push) elem_type=int32
    none = StackPopV2(s, ^pop) elem_type=int32
    close = StackCloseV2(s)
    closed = StackPushV2(s, x, ^close) T=int32
  )";
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {"pop"}).fetched.at(0).value.number, 5);
  for (const char* node : {"again", "none", "closed"}) {
    const NaiveOutcome outcome = Run(text, {{"x", Int(5)}}, {}, {node});
    EXPECT_EQ(outcome.code, Code::kInvalidArgument) << node;
    EXPECT_EQ(outcome.node, node);
  }
}

TEST_F(NaiveTest, GradientsOfOneSourceAddUp) {
  const std::string text = R"(
    x = Placeholder() dtype=int32
    two = Const() dtype=int32 value=2
    zero = Const() dtype=int32 value=0
    a = TensorArrayV3(two) dtype=int32
    w = TensorArrayWriteV3(a, zero, x, a:1) T=int32
    g = TensorArrayGradV3(a, w) source=g
    same = TensorArrayGradV3(a, w, ^g) source=g
    other = TensorArrayGradV3(a, w) source=h
    first = TensorArrayWriteV3(g, zero, x, g:1, ^same) T=int32
    second = TensorArrayWriteV3(same, zero, x, same:1, ^first) T=int32
    sum = TensorArrayReadV3(g, zero, second) dtype=int32
    apart = TensorArrayReadV3(other, zero, other:1, ^second) dtype=int32
    gone = TensorArrayReadV3(same, zero, second, ^sum) dtype=int32
    twice = TensorArrayWriteV3(a, zero, x, w) T=int32
    known = TensorArrayV3(two) dtype=int32 element_shape=[]
    kept = TensorArrayWriteV3(known, zero, x, known:1) T=int32
    gk = TensorArrayGradV3(known, kept) source=g
    beyond = TensorArrayReadV3(gk, two, gk:1) dtype=int32
    outside = TensorArrayReadV3(known, two, kept) dtype=int32
  )";
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {"beyond"}).code, Code::kOk);
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {"outside"}).code, Code::kInvalidArgument);
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {"sum"}).fetched.at(0).value.number, 10);
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {"apart"}).fetched.at(0).value.number, 0);
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {"gone"}).code, Code::kInvalidArgument);
  EXPECT_EQ(Run(text, {{"x", Int(5)}}, {}, {"twice"}).node, "twice");
}

TEST_F(NaiveTest, IntegersWrapAndTheRestHasTheSignOfTheDivisor) {
  const auto result = [&](const std::string& op, int32_t a, int32_t b) {
    const NaiveOutcome outcome =
        Run("a = Placeholder() dtype=int32\nb = Placeholder() "
            "dtype=int32\nc = " +
                op + "(a, b) T=int32\n",
            {{"a", Int(a)}, {"b", Int(b)}}, {"c"});
    return outcome.code == Code::kOk ? outcome.fetched.at(0).value.number : -999;
  };
  EXPECT_EQ(result("AddV2", 2147483647, 1), -2147483648LL);
  EXPECT_EQ(result("Mul", 65536, 65536), 0);
  EXPECT_EQ(result("Sub", -2147483648LL, 1), 2147483647);
  EXPECT_EQ(result("FloorMod", -7, 3), 2);
  EXPECT_EQ(result("FloorMod", 7, -3), -2);
  EXPECT_EQ(result("FloorMod", -2147483648LL, -1), 0);
  EXPECT_EQ(result("FloorMod", 1, 0), -999);
}

TEST_F(NaiveTest, AMessageCarriesDeadness) {
  const std::string key = " tensor_name=m send_device=d recv_device=d send_device_incarnation=1";
  const NaiveOutcome outcome = Run(R"(
    p = Placeholder() dtype=bool
    x = Placeholder() dtype=int32
    if = Switch(p, p) T=bool
    pivot = Identity(if:1) T=bool
    send = _Send(x, ^pivot) T=int32)" + key +
                                       R"(
    recv = _Recv() tensor_type=int32)" +
                                       key + R"(
    see = Identity(recv) T=int32
  )",
                                   {{"p", Bool(false)}, {"x", Int(4)}}, {}, {"see", "send"});
  EXPECT_EQ(outcome.code, Code::kOk);
  EXPECT_EQ(Firings(outcome, "recv"), std::vector<std::string>{""});
  EXPECT_EQ(Firings(outcome, "see"), std::vector<std::string>{" dead"});
}

TEST_F(NaiveTest, AnOpItDoesNotKnowIsNamed) {
  sample_.graph = TestGraph(R"(
    x = Placeholder() dtype=float
    e = Exp(x) T=float
  )",
                            OpRegistry::Standard())
                      .Take();
  sample_.runs = {{{"x", Tensor::Scalar<float>(1)}}};
  sample_.fetches = {"e"};
  EXPECT_EQ(Naive(sample_).Supported().node(), "e");
}

}  // namespace
}  // namespace tagflow::fuzz
