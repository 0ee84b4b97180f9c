#include "optimized/tokens/in_flight.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace tagflow::optimized::tokens {
namespace {

using Calls = InFlight<std::string>;

std::vector<Tensor> One(int32_t value) { return {Tensor::Scalar(value)}; }

TEST(InFlight, ACallThatIsDoneIsTakenOnce) {
  const auto calls = std::make_shared<Calls>();
  const auto call = calls->Begin("a");
  EXPECT_TRUE(calls->HasCalls());
  EXPECT_FALSE(calls->TakeDone().has_value());
  call->Done(One(7));
  call->Done(One(8));
  EXPECT_TRUE(calls->HasDone());
  const auto done = calls->TakeDone();
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->instance, "a");
  EXPECT_EQ((*done->outputs)[0].scalar<int32_t>(), 7);
  EXPECT_FALSE(calls->HasCalls());
  EXPECT_TRUE(calls->End().empty());
}

TEST(InFlight, ACallThatIsLetGoIsAnError) {
  const auto calls = std::make_shared<Calls>();
  calls->Begin("a");
  const auto done = calls->TakeDone();
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(done->outputs.status().code(), Code::kInternal);
}

TEST(InFlight, TheEndIsToldOnceAndDropsWhatComesLater) {
  const auto calls = std::make_shared<Calls>();
  const auto early = calls->Begin("early");
  const auto late = calls->Begin("late");
  const auto done = calls->Begin("done");
  int told = 0;
  early->OnEnd([&told] { ++told; });
  done->OnEnd([&told] { told += 100; });
  done->Done(One(1));
  EXPECT_EQ(calls->End().size(), 3u);
  EXPECT_EQ(told, 1);
  late->OnEnd([&told] { ++told; });
  EXPECT_EQ(told, 2) << "the step has ended already";
  late->Done(One(1));
  EXPECT_FALSE(calls->HasDone());
}

TEST(InFlight, WhoWaitsIsWokenByACallOrByTheEnd) {
  const auto calls = std::make_shared<Calls>();
  std::atomic<bool> ended = false;
  int wakes = 0;
  calls->SetWake([&wakes] { ++wakes; });
  std::thread other([call = calls->Begin("a")] { call->Done(One(1)); });
  calls->Await([&] { return ended.load(); });
  EXPECT_TRUE(calls->TakeDone().has_value());
  other.join();
  std::thread ender([&] {
    ended = true;
    calls->Wake();
  });
  calls->Await([&] { return ended.load(); });
  ender.join();
  EXPECT_EQ(wakes, 2);
}

// A call may hold what holds it, as long as it is in flight.
TEST(InFlight, NothingHoldsACallThatIsDone) {
  const auto calls = std::make_shared<Calls>();
  std::weak_ptr<AsyncCall> weak;
  {
    const auto call = calls->Begin("a");
    call->OnEnd([call] { call->Done(One(0)); });
    weak = call;
    call->Done(One(1));
  }
  EXPECT_TRUE(weak.expired());
}

}  // namespace
}  // namespace tagflow::optimized::tokens
