// Tests: step_sequential.cc step_concurrent.cc messages.cc explain.cc token_executable.cc
//
// Small graphs on one thread, on several, and under simulated schedules; most name the rule they
// are about. The rest of the standard is held to by the conformance cases.

#include "optimized/tokens/step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/tokens/test_run.h"

namespace tagflow::optimized::tokens {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Steps : public testing::TestWithParam<Mode> {
 protected:
  std::string Text(std::string_view graph, const Feeds& feeds,
                   const std::vector<std::string>& fetches,
                   const std::vector<std::string>& targets = {}) {
    return TestRun(graph, GetParam()).Text(feeds, fetches, targets);
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, Steps, testing::ValuesIn(AllModes()), [](const auto& info) {
  return "threads" + std::to_string(info.param.threads) + "_seed" + std::to_string(info.param.seed);
});

TEST_P(Steps, RunALoopAndKeepTheirMemory) {
  TestRun run(CountingLoop(), GetParam());
  const Feeds feeds = {{"n", Int(0)}};
  const auto made = run.Make(feeds, {"i_exit"});
  ASSERT_TRUE(made.ok());
  for (int32_t n : {0, 1, 3, 100}) {
    const auto values = run.Run(**made, {{"n", Int(n)}});
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    EXPECT_EQ((*values)[0].scalar<int32_t>(), n);
  }
}

TEST_P(Steps, OneIterationAtATime) {
  EXPECT_EQ(Text(CountingLoop("parallel_iterations=1"), {{"n", Int(20)}}, {"i_exit"}),
            "int32[] 20");
}

TEST_P(Steps, ABranchIsChosenAndTheOtherIsDead) {
  const char* graph = R"(
    x = Placeholder() dtype=int32
    p = Placeholder() dtype=bool
    way = Switch(x, p) T=int32
    no = Neg(way:0) T=int32
    yes = Square(way:1) T=int32
    joined = Merge(no, yes) T=int32
  )";
  EXPECT_EQ(Text(graph, {{"x", Int(3)}, {"p", Bool(true)}}, {"joined", "joined:1"}),
            "int32[] 9; int32[] 1");
  EXPECT_EQ(Text(graph, {{"x", Int(3)}, {"p", Bool(false)}}, {"joined", "joined:1"}),
            "int32[] -3; int32[] 0");
  const std::string dead = Text(graph, {{"x", Int(3)}, {"p", Bool(true)}}, {"no"});
  EXPECT_THAT(dead, StartsWith("INVALID_ARGUMENT: Retval[0] does not have value"));
  EXPECT_THAT(dead, HasSubstr("Switch 'way' sent its value the other way (predicate true)"));
  EXPECT_THAT(dead, HasSubstr("path: way -> no"));
  EXPECT_THAT(Text(graph, {{"x", Int(3)}, {"p", Tensor::Vector<bool>({true})}}, {"joined"}),
              HasSubstr("rule switch.2"));
}

TEST_P(Steps, TwoLiveInputsOfAMergeFail) {
  const std::string text = Text(R"(
    x = Placeholder() dtype=int32
    y = Neg(x) T=int32
    joined = Merge(x, y) T=int32
  )",
                                {{"x", Int(3)}}, {"joined"});
  EXPECT_THAT(text, StartsWith("INVALID_ARGUMENT"));
  EXPECT_THAT(text, HasSubstr("[node joined, rule merge.3]"));
}

TEST_P(Steps, ADeadLoopSendsDeadExits) {
  const char* graph = R"(
    x = Placeholder() dtype=int32
    p = Placeholder() dtype=bool
    way = Switch(x, p) T=int32
    late = NoOp(^x)
    enter = Enter(way:1) T=int32 frame_name=f
    head = Merge(enter, next, ^stays) T=int32
    stays = Enter(x) T=int32 frame_name=f is_constant=true
    less = Less(head, stays) T=int32
    turn = Switch(head, less) T=int32
    sum = AddV2(turn:1, stays) T=int32
    next = NextIteration(sum) T=int32
    exit = Exit(turn:0) T=int32
    joined = Merge(way:0, exit) T=int32
  )";
  EXPECT_EQ(Text(graph, {{"x", Int(3)}, {"p", Bool(false)}}, {"joined", "joined:1"}),
            "int32[] 3; int32[] 0");
  EXPECT_EQ(Text(graph, {{"x", Int(3)}, {"p", Bool(true)}}, {"joined", "joined:1"}),
            "int32[] 3; int32[] 1");
  EXPECT_THAT(Text(graph, {{"x", Int(3)}, {"p", Bool(false)}}, {"exit"}),
              HasSubstr("path: way -> enter -> head -> turn -> exit"));
}

// The inner loop of every outer iteration is a frame of its own.
TEST_P(Steps, LoopsNest) {
  EXPECT_EQ(Text(R"(
    n = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    i_in = Enter(zero) T=int32 frame_name=outer
    s_in = Enter(zero) T=int32 frame_name=outer
    n_in = Enter(n) T=int32 frame_name=outer is_constant=true
    i = Merge(i_in, i_next) T=int32
    s = Merge(s_in, s_next) T=int32
    again = Less(i, n_in) T=int32
    i_way = Switch(i, again) T=int32
    s_way = Switch(s, again) T=int32
    one = Const(^i_way) dtype=int32 value=1
    i_sum = AddV2(i_way:1, one) T=int32
    i_next = NextIteration(i_sum) T=int32
    j_in = Enter(i_way:1) T=int32 frame_name=inner
    t_in = Enter(s_way:1) T=int32 frame_name=inner
    m_in = Enter(n_in) T=int32 frame_name=inner is_constant=true
    j = Merge(j_in, j_next) T=int32
    t = Merge(t_in, t_next) T=int32
    j_again = Less(j, m_in) T=int32
    j_way = Switch(j, j_again) T=int32
    t_way = Switch(t, j_again) T=int32
    j_one = Const(^j_way) dtype=int32 value=1
    j_sum = AddV2(j_way:1, j_one) T=int32
    t_sum = AddV2(t_way:1, j_sum) T=int32
    j_next = NextIteration(j_sum) T=int32
    t_next = NextIteration(t_sum) T=int32
    t_out = Exit(t_way:0) T=int32
    s_next = NextIteration(t_out) T=int32
    s_out = Exit(s_way:0) T=int32
  )",
                 {{"n", Int(4)}}, {"s_out"}),
            "int32[] 30");
}

TEST_P(Steps, AnExitThatIsLiveTwiceFails) {
  EXPECT_THAT(Text(R"(
    n = Placeholder() dtype=int32
    zero = Const() dtype=int32 value=0
    enter = Enter(zero) T=int32 frame_name=f
    n_in = Enter(n) T=int32 frame_name=f is_constant=true
    head = Merge(enter, next) T=int32
    less = Less(head, n_in) T=int32
    way = Switch(head, less) T=int32
    one = Const(^head) dtype=int32 value=1
    sum = AddV2(way:1, one) T=int32
    next = NextIteration(sum) T=int32
    exit = Exit(head) T=int32
  )",
                   {{"n", Int(3)}}, {"exit"}),
              HasSubstr("rule exit.3"));
}

TEST_P(Steps, ATriggerIsLiveWhateverItWaitedFor) {
  EXPECT_EQ(Text(R"(
    x = Placeholder() dtype=int32
    p = Placeholder() dtype=bool
    way = Switch(x, p) T=int32
    no = Neg(way:0) T=int32
    any = ControlTrigger(^no)
    y = Identity(x, ^any) T=int32
  )",
                 {{"x", Int(3)}, {"p", Bool(true)}}, {"y"}),
            "int32[] 3");
}

TEST_P(Steps, SendAndRecvCarryDeadnessAcross) {
  const std::string recv = " tensor_name=t send_device=a recv_device=b send_device_incarnation=0";
  const std::string graph = R"(
    x = Placeholder() dtype=int32
    p = Placeholder() dtype=bool
    way = Switch(x, p) T=int32
    send = _Send(way:1) T=int32)" +
                            recv + "\n    recv = _Recv() tensor_type=int32" + recv + R"(
    joined = Merge(recv, way:0) T=int32
  )";
  EXPECT_EQ(Text(graph, {{"x", Int(3)}, {"p", Bool(true)}}, {"joined:1"}, {"send"}), "int32[] 0");
  EXPECT_EQ(Text(graph, {{"x", Int(3)}, {"p", Bool(false)}}, {"joined:1"}, {"send"}), "int32[] 1");
  EXPECT_THAT(Text(graph, {{"x", Int(3)}, {"p", Bool(false)}}, {"recv"}, {"send"}),
              HasSubstr("path: way -> send -> recv."));
  EXPECT_THAT(Text(graph, {{"x", Int(3)}, {"p", Bool(true)}}, {"recv"}),
              HasSubstr("a Recv waits for the key a;b;t;"));
}

TEST_P(Steps, WhatStarvesIsListed) {
  const std::string text = Text(R"(
    x = Placeholder() dtype=int32
    enter = Enter(x) T=int32 frame_name=f
    head = Merge(enter, next) T=int32
    next = NextIteration(half) T=int32
    never = Switch(head, truth) T=int32
    truth = Less(head, head) T=int32
    half = AddV2(never:1, round) T=int32
    round = NextIteration(half) T=int32
    exit = Exit(half) T=int32
  )",
                                {{"x", Int(3)}}, {"exit"});
  EXPECT_THAT(text, StartsWith("FAILED_PRECONDITION: starved"));
  EXPECT_THAT(text, HasSubstr("'half' at tag f[0] waits for 1 of 'never:1', 'round'"));
}

TEST_P(Steps, AReferenceIsReadWhenItsConsumerFires) {
  const char* graph = R"(
    v = VariableV2() dtype=int32
    one = Const() dtype=int32 value=1
    set = Assign(v, one) T=int32 validate_shape=false
    read = Neg(v, ^set) T=int32
    early = Neg(v) T=int32
  )";
  EXPECT_EQ(Text(graph, {}, {"read", "set"}), "int32[] -1; int32[] 1");
  const std::string unset = Text(graph, {}, {"early"});
  EXPECT_THAT(unset, StartsWith("FAILED_PRECONDITION"));
  EXPECT_THAT(unset, HasSubstr("[node early, rule ref.3]"));
  EXPECT_THAT(Text(graph, {}, {"v"}), StartsWith("FAILED_PRECONDITION"));
}

TEST_P(Steps, ValuesInBuffersAreSharedAndMoved) {
  const Tensor vector = Tensor::Vector<int32_t>({1, 2, 3});
  EXPECT_EQ(Text(R"(
    x = Placeholder() dtype=int32
    a = Neg(x) T=int32
    b = AddV2(a, a) T=int32
    c = Neg(b) T=int32
    d = Mul(b, c) T=int32
  )",
                 {{"x", vector}}, {"d", "a", "x"}),
            "int32[3] [-4, -16, -36]; int32[3] [-1, -2, -3]; int32[3] [1, 2, 3]");
  EXPECT_EQ(vector.DebugString(), "int32[3] [1, 2, 3]");
}

TEST_P(Steps, AnErrorNamesNodeAndTag) {
  EXPECT_THAT(Text(R"(
    x = Placeholder() dtype=int32
    enter = Enter(x) T=int32 frame_name=f
    zero = Const(^enter) dtype=int32 value=0
    quotient = Div(enter, zero) T=int32
    exit = Exit(quotient) T=int32
  )",
                   {{"x", Int(3)}}, {"exit"}),
              HasSubstr("[node quotient, tag f[0]]"));
}

TEST_P(Steps, LimitsEndEndlessLoops) {
  const char* endless = R"(
    x = Placeholder() dtype=int32
    enter = Enter(x) T=int32 frame_name=f
    head = Merge(enter, next) T=int32
    next = NextIteration(head) T=int32
    gate = Switch(head, truth) T=int32
    truth = NotEqual(head, head) T=int32
    exit = Exit(gate:1) T=int32
  )";
  const Feeds feeds = {{"x", Int(3)}};
  TestRun limited(endless, GetParam());
  limited.control.max_firings = 1000;
  EXPECT_THAT(limited.Text(feeds, {"exit"}), StartsWith("RESOURCE_EXHAUSTED: step limit"));
  TestRun late(endless, GetParam());
  late.control.deadline = StepControl::Clock::now() + std::chrono::milliseconds(5);
  EXPECT_THAT(late.Text(feeds, {"exit"}), StartsWith("DEADLINE_EXCEEDED"));
  TestRun cancelled(endless, GetParam());
  std::atomic<int> asked{0};
  cancelled.control.cancelled = [&asked] { return ++asked > 500; };
  EXPECT_THAT(cancelled.Text(feeds, {"exit"}), StartsWith("CANCELLED"));
  cancelled.control.cancelled = nullptr;
  cancelled.control.max_firings = 500;
  EXPECT_THAT(cancelled.Text(feeds, {"exit"}), StartsWith("RESOURCE_EXHAUSTED"));
}

// A fed placeholder is no instance.
TEST_P(Steps, ExactlyAsManyFiringsAsAllowed) {
  const char* graph = R"(
    x = Placeholder() dtype=int32
    a = Neg(x) T=int32
    b = Neg(a) T=int32
    c = Neg(b) T=int32
  )";
  TestRun run(graph, GetParam());
  run.control.max_firings = 3;
  EXPECT_EQ(run.Text({{"x", Int(1)}}, {"c"}), "int32[] -1");
  run.control.max_firings = 2;
  EXPECT_THAT(run.Text({{"x", Int(1)}}, {"c"}), HasSubstr("[node c, rule step.3]"));
}

TEST_P(Steps, TargetsInLoopsAreOwedUntilTheLoopHasEnded) {
  const std::string graph = CountingLoop();
  EXPECT_EQ(Text(graph, {{"n", Int(2)}}, {"i_exit"}, {"sum"}), "int32[] 2");
  const std::string never = R"(
    cycle = Merge(back) T=int32
    back = NextIteration(cycle) T=int32
  )";
  EXPECT_THAT(Text(graph + never, {{"n", Int(2)}}, {"i_exit"}, {"cycle"}),
              StartsWith("FAILED_PRECONDITION: starved"));
}

}  // namespace
}  // namespace tagflow::optimized::tokens
