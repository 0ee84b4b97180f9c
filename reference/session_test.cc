// Tests: finish.cc, firing.cc, kernel_call.cc, observe.cc, program.cc, propagation.cc, step.cc,
//        trace.cc

#include "reference/session.h"

#include <gtest/gtest.h>

#include <limits>

#include "reference/test_step.h"

namespace tagflow::reference {
namespace {

int32_t Count(Session& session, int32_t n, const RunOptions& options = {}) {
  Result<std::vector<Tensor>> values = session.Run({{"n", Int(n)}}, {"i_exit"}, {}, options);
  EXPECT_TRUE(values.ok()) << values.status().ToString();
  return values.ok() ? (*values)[0].scalar<int32_t>() : -1;
}

TEST(Session, ALoopRunsAnyNumberOfTrips) {
  auto session = MakeSession(CountingLoop());
  for (int32_t n : {0, 1, 2, 9, 10, 11, 1000}) EXPECT_EQ(Count(*session, n), n);
}

TEST(Session, ParallelIterationsDoNotChangeTheResult) {
  for (const char* attrs :
       {"parallel_iterations=1", "parallel_iterations=2", "parallel_iterations=2147483647"}) {
    auto session = MakeSession(CountingLoop(attrs));
    EXPECT_EQ(Count(*session, 40), 40) << attrs;
  }
}

TEST(Session, NoOrderChangesTheResult) {
  auto session = MakeSession(CountingLoop("parallel_iterations=3"));
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    RunOptions options;
    options.seed = seed;
    EXPECT_EQ(Count(*session, 7, options), 7) << "seed " << seed;
  }
}

TEST(Session, AnEndlessLoopMeetsTheStepLimitInsideTheLoop) {
  auto session = MakeSession(CountingLoop());
  RunOptions options;
  options.max_firings = 1000;
  Status status =
      session->Run({{"n", Int(std::numeric_limits<int32_t>::max())}}, {"i_exit"}, {}, options)
          .status();
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_NE(status.tag().find("loop["), std::string::npos) << status.ToString();
  EXPECT_EQ(Count(*session, 3), 3);  // still usable
}

TEST(Session, ADeadlineEndsALoop) {
  auto session = MakeSession(CountingLoop());
  RunOptions options;
  options.deadline_s = 0.01;
  Status status =
      session->Run({{"n", Int(std::numeric_limits<int32_t>::max())}}, {"i_exit"}, {}, options)
          .status();
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded);
}

TEST(Session, EveryMomentIsAGoodOneToCancel) {
  auto session = MakeSession(CountingLoop());
  for (int k = 0; k < 5; ++k) {
    int polls = 0;
    RunOptions options;
    options.cancelled = [&] { return polls++ == k; };
    Status status = session->Run({{"n", Int(1'000'000)}}, {"i_exit"}, {}, options).status();
    EXPECT_EQ(status.code(), Code::kCancelled);
    EXPECT_EQ(Count(*session, 2), 2);
  }
}

TEST(Session, ADeadFetchNamesTheSwitchThePredicateAndThePath) {
  auto session = MakeSession(R"(
    p = Placeholder() dtype=bool
    x = Const() dtype=int32 value=1
    chooser = Switch(x, p) T=int32
    left = Identity(chooser:0) T=int32
    further = Neg(left) T=int32
  )");
  Status status = session->Run({{"p", Bool(true)}}, {"further"}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.rule(), "fetch.1");
  EXPECT_NE(status.message().find("Switch 'chooser' sent its value the other way (predicate true)"),
            std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find("chooser -> left -> further"), std::string::npos)
      << status.message();
}

TEST(Session, ADeadExitExplainsItselfThoughItsIterationsHaveEnded) {
  auto session = MakeSession(R"(
    p = Placeholder() dtype=bool
    x = Const() dtype=int32 value=1
    chooser = Switch(x, p) T=int32
    enter = Enter(chooser:1) T=int32 frame_name=dead
    exit = Exit(enter) T=int32
  )");
  Status status = session->Run({{"p", Bool(false)}}, {"exit"}).status();
  EXPECT_EQ(status.rule(), "fetch.1");
  EXPECT_NE(status.message().find("chooser -> enter -> exit"), std::string::npos)
      << status.message();
}

// "out" is dead in iteration 1 before it is in iteration 0, where it waits for "slow".
TEST(Session, ADeadExitIsExplainedByItsEarliestIteration) {
  auto session = MakeSession(R"(
    p = Placeholder() dtype=bool
    x = Const() dtype=int32 value=1
    quick_way = Switch(x, p) T=int32
    quick = Enter(quick_way:1) T=int32 frame_name=f is_constant=true
    slow_way = Switch(x, p) T=int32
    slow1 = Identity(slow_way:1) T=int32
    slow2 = Identity(slow1) T=int32
    slow3 = Identity(slow2) T=int32
    slow4 = Identity(slow3) T=int32
    slow5 = Identity(slow4) T=int32
    slow6 = Identity(slow5) T=int32
    slow7 = Identity(slow6) T=int32
    slow8 = Identity(slow7) T=int32
    slow9 = Identity(slow8) T=int32
    slow = Enter(slow9) T=int32 frame_name=f
    either = Merge(quick, slow) T=int32
    zero = Const() dtype=int32 value=0
    start = Enter(zero) T=int32 frame_name=f
    limit = Enter(x) T=int32 frame_name=f is_constant=true
    i = Merge(start, next) T=int32
    less = Less(i, limit) T=int32
    cond = LoopCond(less)
    way = Switch(i, cond) T=int32
    one = Const(^way) dtype=int32 value=1
    more = AddV2(way:1, one) T=int32
    next = NextIteration(more) T=int32
    out_way = Switch(either, cond) T=int32
    out = Exit(out_way:0) T=int32
  )");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RunOptions options;
    options.seed = seed;
    const Status status = session->Run({{"p", Bool(false)}}, {"out"}, {}, options).status();
    EXPECT_NE(status.message().find("all inputs of Merge 'either'"), std::string::npos)
        << status.message();
  }
}

TEST(Session, ADeadRecvExplainsItselfByItsSend) {
  const std::string key = " tensor_name=k send_device=d recv_device=d send_device_incarnation=1\n";
  auto session = MakeSession(
      "p = Placeholder() dtype=bool\n"
      "x = Const() dtype=int32 value=1\n"
      "chooser = Switch(x, p) T=int32\n"
      "send = _Send(chooser:1) T=int32" +
      key + "recv = _Recv() tensor_type=int32" + key + "late = Neg(recv, ^x) T=int32\n");
  const Status status = session->Run({{"p", Bool(false)}}, {"late"}, {"send"}).status();
  EXPECT_NE(status.message().find("chooser -> send -> recv -> late"), std::string::npos)
      << status.ToString();
}

TEST(Session, StarvationListsWhoWaitsForWhat) {
  // With p false the frame ends, but `gone` had no token at all: its Exit never fires.
  auto session = MakeSession(R"(
    x = Const() dtype=int32 value=1
    enter = Enter(x) T=int32 frame_name=f
    other = NextIteration(half) T=int32
    half = AddV2(enter, other) T=int32
    exit = Exit(half) T=int32
  )");
  Status status = session->Run({}, {"exit"}).status();
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_EQ(status.rule(), "step.2");
  EXPECT_NE(status.message().find("'half' at tag f[0] waits for 'other'"), std::string::npos)
      << status.message();
}

TEST(Session, ATraceShowsEveryFiringWithItsTag) {
  auto session = MakeSession(CountingLoop());
  std::vector<TraceEvent> events;
  RunOptions options;
  options.trace = [&](const TraceEvent& event) { events.push_back(event); };
  EXPECT_EQ(Count(*session, 2, options), 2);
  int less_firings = 0;
  for (const TraceEvent& event : events) {
    if (event.node->name != "less") continue;
    EXPECT_EQ(event.tag, "loop[" + std::to_string(less_firings) + "]");
    ++less_firings;
  }
  EXPECT_EQ(less_firings, 3);
  EXPECT_NE(TraceLine(events[0]).find("\"firing\":0"), std::string::npos);
}

TEST(Session, ATraceShowsWhatWasReadOfAReference) {
  auto session = MakeSession(R"(
    v = VariableV2() dtype=int32
    one = Const() dtype=int32 value=1
    set = Assign(v, one) T=int32
    twice = AddV2(set, set) T=int32
  )");
  std::vector<TraceEvent> events;
  RunOptions options;
  options.trace = [&](const TraceEvent& event) { events.push_back(event); };
  ASSERT_TRUE(session->Run({}, {"twice"}, {}, options).ok());
  ASSERT_EQ(events.back().node->name, "twice");
  ASSERT_EQ(events.back().reads.size(), 2u);
  EXPECT_EQ(events.back().reads[1].first, 1);
  EXPECT_EQ(events.back().reads[1].second.scalar<int32_t>(), 1);
  for (size_t i = 0; i + 1 < events.size(); ++i) EXPECT_TRUE(events[i].reads.empty());
}

TEST(Session, AFeedThatDoesNotFitIsRefused) {
  auto session = MakeSession(CountingLoop());
  EXPECT_EQ(session->Run({{"n", Tensor::Scalar<float>(1)}}, {"i_exit"}).status().code(),
            Code::kInvalidArgument);
  Status missing = session->Run({}, {"i_exit"}).status();
  EXPECT_NE(missing.message().find("'n' (int32"), std::string::npos) << missing.message();
}

TEST(Session, AFeedStandsInForAnOpNobodyDefines) {
  auto session = MakeSession(R"(
    strange = NobodyDefinesThis()
    minus = Neg(strange) T=int32
  )");
  EXPECT_EQ((*session->Run({{"strange", Int(3)}}, {"minus"}))[0].scalar<int32_t>(), -3);
  EXPECT_EQ(session->Run({}, {"minus"}).status().code(), Code::kUnimplemented);
  EXPECT_EQ(session->Run({}, {"strange:3"}).status().code(), Code::kUnimplemented);
  // Nobody says what type output 5 has.
  EXPECT_TRUE(session->Run({{"strange", Int(3)}, {"strange:5", Bool(true)}}, {"minus"}).ok());
  EXPECT_EQ(session->Run({{"strange", Bool(true)}}, {"minus"}).status().code(),
            Code::kInvalidArgument);
}

TEST(Session, AnOpNobodyDefinesFailsWhereItIsLive) {
  auto session = MakeSession(R"(
    p = Placeholder() dtype=bool
    x = Placeholder() dtype=int32
    way = Switch(x, p) T=int32
    strange = NobodyDefinesThis(way:1)
    no = Neg(way:0) T=int32
    y = Merge(no, strange) T=int32
  )");
  EXPECT_EQ((*session->Run({{"p", Bool(false)}, {"x", Int(3)}}, {"y"}))[0].scalar<int32_t>(), -3);
  const Status live = session->Run({{"p", Bool(true)}, {"x", Int(3)}}, {"y"}).status();
  EXPECT_EQ(live.code(), Code::kUnimplemented);
  EXPECT_EQ(live.node(), "strange");
}

TEST(Session, AVariableKeepsItsValueFromStepToStep) {
  auto session = MakeSession(R"(
    v = VarHandleOp() dtype=int32 shared_name=v
    one = Const() dtype=int32 value=1
    init = AssignVariableOp(v, one) dtype=int32
    add = AssignAddVariableOp(v, one) dtype=int32
    read = ReadVariableOp(v) dtype=int32
  )");
  EXPECT_EQ(session->Run({}, {"read"}).status().code(), Code::kFailedPrecondition);
  const Result<std::vector<Tensor>> initialized = session->Run({}, {}, {"init"});
  ASSERT_TRUE(initialized.ok()) << initialized.status().ToString();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(session->Run({}, {}, {"add"}).ok());
  EXPECT_EQ((*session->Run({}, {"read"}))[0].scalar<int32_t>(), 4);
}

}  // namespace
}  // namespace tagflow::reference
