#include "optimized/tokens/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "optimized/tokens/step.h"
#include "optimized/tokens/test_run.h"

namespace tagflow::optimized::tokens {
namespace {

using ::testing::HasSubstr;

// A step that can be made to forget an instance, as only a bug could.
class ForgetfulStep {
 public:
  ForgetfulStep(const std::string& text, const Feeds& feeds, const std::string& fetch)
      : graph_(text, OpRegistry::Standard()) {
    std::vector<std::string> names;
    for (const auto& [name, value] : feeds) {
      names.push_back(name);
      values_.push_back(value);
    }
    call_ = graph_.Call(names, {fetch});
    valid_ = *ValidateCall(graph_.graph(), call_);
    plan_ = *MakeTokenPlan({graph_.graph(), call_, valid_, KernelRegistry::Standard(), 1});
  }

  // Loses the next instance after `firings` of them, and runs what is left. CANCELLED when there
  // were no more.
  Status RunWithout(int firings) {
    SessionState session;
    StepState state;
    StepControl control;
    control.services = {&session, &state, nullptr, nullptr};
    Step<Concurrent> step(plan_, 1);
    Worker<Concurrent>& worker = step.worker(0);
    step.Start(values_, control);
    for (int i = 0; i < firings && !worker.ready.empty(); ++i) step.FireOne(worker);
    if (worker.ready.empty()) return Status(Code::kCancelled, "nothing to lose");
    worker.ready.Pop();
    while (!worker.ready.empty()) step.FireOne(worker);
    return step.Finish().status();
  }

  // Whichever instance is lost, the step says that it is our bug, and never that the graph starves
  // it; unless nobody needed the instance. Returns how often it said so.
  int BugsFound() {
    int found = 0;
    for (int firings = 0;; ++firings) {
      const Status status = RunWithout(firings);
      if (status.code() == Code::kCancelled) return found;
      if (status.ok()) continue;
      EXPECT_EQ(status.code(), Code::kInternal) << firings << ": " << status.ToString();
      ++found;
    }
  }

 private:
  TestGraph graph_;
  CallSpec call_;
  ValidatedCall valid_;
  TokenPlan plan_;
  std::vector<Tensor> values_;
};

TEST(WatchdogTest, FindsALostInstanceOfALoop) {
  ForgetfulStep step(CountingLoop(), {{"n", Int(3)}}, "i_exit");
  EXPECT_GT(step.BugsFound(), 20);
}

TEST(WatchdogTest, FindsALostInstanceOfTheRoot) {
  const Feeds feeds = {{"x", Int(1)}, {"p", Bool(true)}};
  ForgetfulStep step(R"(
    x = Placeholder() dtype=int32
    p = Placeholder() dtype=bool
    s = Switch(x, p) T=int32
    yes = Neg(s:1) T=int32
    no = Identity(s:0) T=int32
    m = Merge(no, yes) T=int32
    again = Neg(m) T=int32
    sum = AddV2(again, x) T=int32
    last = Neg(sum) T=int32
  )",
                     feeds, "last");
  // All but the dead branch is needed.
  EXPECT_GE(step.BugsFound(), 6);
}

TEST(WatchdogTest, FindsALostInstanceAroundALoop) {
  const std::string text = CountingLoop() + R"(
    half = Neg(i_exit) T=int32
    quarter = Neg(half) T=int32
    total = AddV2(quarter, n) T=int32
  )";
  ForgetfulStep step(text, {{"n", Int(2)}}, "total");
  EXPECT_GT(step.BugsFound(), 20);
}

TEST(WatchdogTest, SaysWhatWasLostAndWhatWaits) {
  ForgetfulStep step(R"(
    x = Placeholder() dtype=int32
    a = Neg(x) T=int32
    b = Neg(a) T=int32
    sum = AddV2(b, x) T=int32
  )",
                     {{"x", Int(1)}}, "sum");
  const Status status = step.RunWithout(1);
  EXPECT_THAT(status.message(), HasSubstr("fetch 'sum' is still owed. This is a bug"));
  EXPECT_THAT(status.message(), HasSubstr("'sum' did not fire, and nothing held it up"));
  EXPECT_THAT(status.message(), HasSubstr("'sum' waits for 1 of 'b', 'x'"));
}

TEST(WatchdogTest, AGraphThatStarvesIsNoBug) {
  for (const Mode& mode : AllModes()) {
    TestRun run(R"(
      r = _Recv() tensor_type=int32 tensor_name=t send_device=a recv_device=b client_terminated=false send_device_incarnation=1
      y = Neg(r) T=int32
    )",
                mode);
    EXPECT_THAT(run.Text({}, {"y"}), HasSubstr("FAILED_PRECONDITION: starved"));
  }
}

// Nothing counts what comes by one edge: it fired and left no mark.
TEST(WatchdogTest, WhatTakesOneTensorTwiceIsNotMissed) {
  for (const Mode& mode : AllModes()) {
    TestRun run(CountingLoop() + R"(
      r = _Recv() tensor_type=int32 tensor_name=t send_device=a recv_device=b client_terminated=false send_device_incarnation=1
      of_feed = AddV2(n, n) T=int32
      of_node = AddV2(of_feed, of_feed) T=int32
      of_exit = AddV2(i_exit, i_exit) T=int32
      both = AddV2(of_node, of_exit) T=int32
      y = AddV2(r, both) T=int32
    )",
                mode);
    EXPECT_THAT(run.Text({{"n", Int(2)}}, {"y"}), HasSubstr("FAILED_PRECONDITION: starved"));
  }
}

}  // namespace
}  // namespace tagflow::optimized::tokens
