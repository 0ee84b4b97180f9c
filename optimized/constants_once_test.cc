#include "optimized/constants_once.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "graph/test_graph.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunOptions AtMost(int64_t firings) {
  RunOptions options;
  options.max_firings = firings;
  return options;
}

RunOptions Under(Canceller& canceller) {
  RunOptions options;
  options.canceller = &canceller;
  return options;
}

// y = x + a sum that hangs on constants alone.
constexpr char kTable[] = R"(
  x = Placeholder() dtype=float
  dims = Const() dtype=int32 value=20000
  one = Const() dtype=int32 value=1
  zero = Const() dtype=int32 value=0
  rows = Range(zero, dims, one) Tidx=int32
  table = Cast(rows) SrcT=int32 DstT=float
  scaled = Tanh(table) T=float
  total = Sum(scaled, zero) T=float Tidx=int32
  y = Add(x, total) T=float
)";

std::unique_ptr<Session> Open(const std::string& text, const SessionOptions& options = {}) {
  return *Session::Create(TestGraph(text, OpRegistry::Standard()).Take(), options);
}

const Callable& CallOf(Session& session, const std::string& fetch = "y") {
  return **session.MakeCallable({"x"}, {fetch});
}

float ResultOf(const Callable& call, float x, const RunOptions& options = {}) {
  const Result<std::vector<Tensor>> values = call.Run({Tensor::Scalar<float>(x)}, options);
  EXPECT_TRUE(values.ok()) << values.status().ToString();
  return values.ok() ? (*values)[0].scalar<float>() : 0;
}

TEST(ConstantsOnceTest, WhatHangsOnConstantsIsComputedOnceFromTheSecondRunOn) {
  for (const ExecutorChoice executor : {ExecutorChoice::kStraight, ExecutorChoice::kTokens}) {
    SessionOptions options;
    options.executor = executor;
    const auto session = Open(kTable, options);
    const Callable& call = CallOf(*session);
    const float first = ResultOf(call, 1);
    EXPECT_THAT(call.Notes(), IsEmpty());
    EXPECT_EQ(ResultOf(call, 1), first);
    EXPECT_THAT(call.Notes(), ElementsAre(HasSubstr("computed once, of constants: 4 nodes")));
    EXPECT_EQ(ResultOf(call, 3), first + 2);
  }
}

TEST(ConstantsOnceTest, ALimitOfFiringsCountsThemAll) {
  const auto session = Open(kTable);
  const Callable& call = CallOf(*session);
  const float first = ResultOf(call, 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ResultOf(call, 1, AtMost(9)), first);
    EXPECT_EQ(call.Run({Tensor::Scalar<float>(1)}, AtMost(4)).status().code(),
              Code::kResourceExhausted);
    EXPECT_EQ(ResultOf(call, 1), first);
  }
}

TEST(ConstantsOnceTest, AnErrorStaysWhereItWas) {
  const auto session = Open(R"(
    x = Placeholder() dtype=float
    one = Const() dtype=int32 value=1
    zero = Const() dtype=int32 value=0
    half = FloorDiv(one, zero) T=int32
    whole = Cast(half) SrcT=int32 DstT=float
    y = Add(x, whole) T=float
  )");
  const Callable& call = CallOf(*session);
  for (int i = 0; i < 3; ++i) {
    const Status status = call.Run({Tensor::Scalar<float>(1)}).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    EXPECT_EQ(status.node(), "half");
  }
}

TEST(ConstantsOnceTest, TooLittleIsLeft) {
  std::string text =
      "x = Placeholder() dtype=float\n c = Const() dtype=float value=1\n"
      "d = Neg(c) T=float\n y0 = Add(x, d) T=float\n";
  for (int i = 1; i <= 200; ++i) {
    text += "y" + std::to_string(i) + " = Neg(y" + std::to_string(i - 1) + ") T=float\n";
  }
  const auto session = Open(text);
  const Callable& call = CallOf(*session, "y200");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ResultOf(call, 3), 2);
  EXPECT_THAT(call.Notes(), IsEmpty());
}

TEST(ConstantsOnceTest, AStepThatEndsMeanwhileLeavesItToALaterOne) {
  const auto session = Open(kTable);
  const Callable& call = CallOf(*session);
  const float first = ResultOf(call, 1);
  Canceller canceller;
  canceller.Cancel();
  EXPECT_EQ(call.Run({Tensor::Scalar<float>(1)}, Under(canceller)).status().code(),
            Code::kCancelled);
  EXPECT_THAT(call.Notes(), IsEmpty());
  EXPECT_EQ(ResultOf(call, 1), first);
  EXPECT_EQ(call.Notes().size(), 1u);
}

TEST(ConstantsOnceTest, SeveralThreadsRunMeanwhile) {
  const auto session = Open(kTable);
  const Callable& call = CallOf(*session);
  const float first = ResultOf(call, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int run = 0; run < 50; ++run) EXPECT_EQ(ResultOf(call, 0), first);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(call.Notes().size(), 1u);
}

TEST(ConstantsOnceTest, InALoopToo) {
  const auto session = Open(R"(
    x = Placeholder() dtype=float
    enter = Enter(x) T=float frame_name=f
    i = Merge(enter, next) T=float
    most = Const(^i) dtype=float value=100
    more = Const(^i) dtype=float value=3
    sum = Add(most, more) T=float
    less = Less(i, sum) T=float
    again = LoopCond(less)
    turn = Switch(i, again) T=float
    next = NextIteration(plus) T=float
    one = Const(^turn) dtype=float value=1
    two = Neg(one) T=float
    plus = Sub(turn:1, two) T=float
    y = Exit(turn:0) T=float
  )");
  const Callable& call = CallOf(*session);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ResultOf(call, 100), 103);
  EXPECT_THAT(call.Notes(), ElementsAre(HasSubstr("2 nodes")));
}

}  // namespace
}  // namespace tagflow::optimized
