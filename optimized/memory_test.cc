// What steps hold: bounded by parallel_iterations while they run, nothing when they are over, also
// when an allocation fails in the middle of them.

#include <gtest/gtest.h>
#include <malloc.h>

#include <string>

#include "graph/test_graph.h"
#include "optimized/live_memory.h"
#include "optimized/random_loops.h"
#include "optimized/session.h"

// Steps of which none may leave anything; 100,000 in the soak test.
#ifndef TAGFLOW_MEMORY_STEPS
#define TAGFLOW_MEMORY_STEPS 500
#endif

namespace tagflow::optimized {
namespace {

// In use, of whatever kind: tensors, tables, names, queues.
int64_t HeapBytes() { return static_cast<int64_t>(mallinfo2().uordblks); }

struct Way {
  const char* name;
  ExecutorChoice executor;
  int threads;
  uint64_t seed = 0;  // of a simulated schedule
};

class Memory : public testing::TestWithParam<Way> {
 protected:
  std::unique_ptr<Session> Open(const std::string& text) {
    SessionOptions options;
    options.executor = GetParam().executor;
    options.threads = GetParam().threads;
    return *Session::Create(TestGraph(text, OpRegistry::Standard()).Take(), options);
  }
  static Result<std::vector<Tensor>> Run(Session& session, const RandomLoop& loop, int32_t n) {
    NamedTensors feeds = loop.feeds;
    feeds.emplace_back("n", Tensor::Scalar(n));
    RunOptions options;
    options.seed = GetParam().seed;
    return session.Run(feeds, loop.fetches, {}, options);
  }

  static void ExpectEqual(const std::vector<Tensor>& values, const std::vector<Tensor>& expected) {
    for (size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(BitwiseEqual(values[i], expected[i]));
  }

  LiveMemory memory;
};
INSTANTIATE_TEST_SUITE_P(Ways, Memory,
                         testing::Values(Way{"straight", ExecutorChoice::kAuto, 1},
                                         Way{"tokens", ExecutorChoice::kTokens, 1},
                                         Way{"threads", ExecutorChoice::kSharedTokens, 3},
                                         Way{"evenly", ExecutorChoice::kTokens, 3, 3},
                                         Way{"by_priority", ExecutorChoice::kTokens, 3, 4},
                                         Way{"with_delays", ExecutorChoice::kTokens, 3, 5}),
                         [](const auto& info) { return info.param.name; });

TEST_P(Memory, IsBoundedByParallelIterationsAndNotByTrips) {
  constexpr int64_t kBytes = 40'000;
  const auto session = Open(R"(
    n = Placeholder() dtype=int32
    x = Placeholder() dtype=float
    zero = Const() dtype=int32 value=0
    i_in = Enter(zero) T=int32 frame_name=f parallel_iterations=4
    x_in = Enter(x) T=float frame_name=f parallel_iterations=4
    n_in = Enter(n) T=int32 frame_name=f is_constant=true parallel_iterations=4
    i = Merge(i_in, i_next) T=int32
    v = Merge(x_in, x_next) T=float
    less = Less(i, n_in) T=int32
    i_way = Switch(i, less) T=int32
    v_way = Switch(v, less) T=float
    one = Const(^i_way) dtype=int32 value=1
    i_sum = AddV2(i_way:1, one) T=int32
    double = AddV2(v_way:1, v_way:1) T=float
    more = Tanh(double) T=float
    unused = Neg(more) T=float
    i_next = NextIteration(i_sum) T=int32
    x_next = NextIteration(more, ^unused) T=float
    i_exit = Exit(i_way:0) T=int32
    x_exit = Exit(v_way:0) T=float
  )");
  RandomLoop loop;
  loop.feeds = {{"x", *Tensor::Allocate(DType::kFloat, Dims{kBytes / 4})}};
  loop.fetches = {"x_exit"};
  const int64_t before = memory.bytes();
  memory.TakeMost();
  ASSERT_TRUE(Run(*session, loop, 2000).ok());
  // The value and two that are computed from it.
  EXPECT_LE(memory.TakeMost() - before, 4 * 3 * kBytes);
  EXPECT_EQ(memory.bytes(), before);
}

// What a Merge keeps to compare with is gone with the iteration, and what it was equal to as well.
TEST_P(Memory, EqualInputsOfAMergeStayNoLongerThanTheirIteration) {
  constexpr int64_t kBytes = 40'000;
  const auto session = Open(R"(
    n = Placeholder() dtype=int32
    x = Placeholder() dtype=float
    zero = Const() dtype=int32 value=0
    i_in = Enter(zero) T=int32 frame_name=f parallel_iterations=4
    x_in = Enter(x) T=float frame_name=f parallel_iterations=4
    n_in = Enter(n) T=int32 frame_name=f is_constant=true parallel_iterations=4
    i = Merge(i_in, i_next) T=int32
    v = Merge(x_in, x_next) T=float
    less = Less(i, n_in) T=int32
    i_way = Switch(i, less) T=int32
    v_way = Switch(v, less) T=float
    one = Const(^i_way) dtype=int32 value=1
    i_sum = AddV2(i_way:1, one) T=int32
    first = Neg(v_way:1) T=float
    second = Neg(v_way:1) T=float
    joined = Merge(first, second) T=float
    more = Tanh(joined) T=float
    i_next = NextIteration(i_sum) T=int32
    x_next = NextIteration(more) T=float
    i_exit = Exit(i_way:0) T=int32
    x_exit = Exit(v_way:0) T=float
  )");
  RandomLoop loop;
  loop.feeds = {{"x", *Tensor::Allocate(DType::kFloat, Dims{kBytes / 4})}};
  loop.fetches = {"x_exit"};
  const int64_t before = memory.bytes();
  memory.TakeMost();
  ASSERT_TRUE(Run(*session, loop, 2000).ok());
  EXPECT_LE(memory.TakeMost() - before, 4 * 4 * kBytes);
  EXPECT_EQ(memory.bytes(), before);
}

TEST_P(Memory, DoesNotGrowFromStepToStep) {
  const RandomLoop loop = RandomLoopMaker(3).Make();
  const auto session = Open(loop.text);
  // Threads keep blocks for the next step, and tables the size that they once had.
  for (int step = 0; step < 100; ++step) ASSERT_TRUE(Run(*session, loop, step % 5).ok());
  const int64_t before = memory.bytes(), heap_before = HeapBytes();
  for (int step = 0; step < TAGFLOW_MEMORY_STEPS; ++step) {
    ASSERT_TRUE(Run(*session, loop, step % 5).ok());
  }
  EXPECT_EQ(memory.bytes(), before);
  const int64_t grown = HeapBytes() - heap_before;
  EXPECT_LE(grown, 64 << 10);
  RecordProperty("heap_bytes_grown", std::to_string(grown));
}

// The k-th allocation of a step fails, for every k that a step has.
TEST_P(Memory, AnAllocationThatFailsEndsTheStepAndLeavesNothing) {
  int failed = 0;
  for (uint32_t seed = 1; seed <= 30; ++seed) {
    const RandomLoop loop = RandomLoopMaker(seed).Make();
    const auto session = Open(loop.text);
    const auto expected = Run(*session, loop, 7);
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    const int64_t before = memory.bytes();
    for (int64_t k = 1;; ++k) {
      memory.FailAt(k);
      Result<std::vector<Tensor>> values = Run(*session, loop, 7);
      const bool has_failed = memory.has_failed();
      memory.FailAt(0);
      if (!has_failed) break;
      ++failed;
      if (values.ok()) {
        // It was of calls that run as one, and then were run one by one.
        ExpectEqual(*values, *expected);
        values = std::vector<Tensor>();
      } else {
        ASSERT_EQ(values.status().code(), Code::kResourceExhausted) << values.status().ToString();
        EXPECT_NE(values.status().node(), "") << values.status().ToString();
        EXPECT_NE(values.status().tag(), "") << values.status().ToString();
      }
      ASSERT_EQ(memory.bytes(), before) << "allocation " << k << " of\n" << loop.text;
      const auto next = Run(*session, loop, 7);
      ASSERT_TRUE(next.ok());
      ExpectEqual(*next, *expected);
    }
  }
  EXPECT_GT(failed, 30);
}

}  // namespace
}  // namespace tagflow::optimized
