// Tests: pooled_schedule.cc simulated_schedule.cc token_executable.cc

#include "optimized/tokens/schedule.h"

#include <gtest/gtest.h>

#include <set>

#include "optimized/async_kernel.h"
#include "optimized/tokens/test_run.h"

namespace tagflow::optimized::tokens {
namespace {

TEST(SimulatedSchedule, IsTheSameForTheSameSeed) {
  std::set<uint64_t> hashes;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    TestRun first(CountingLoop(), {3, seed});
    TestRun again(CountingLoop(), {3, seed});
    EXPECT_EQ(first.Text({{"n", Int(5)}}, {"i_exit"}), "int32[] 5");
    EXPECT_EQ(again.Text({{"n", Int(5)}}, {"i_exit"}), "int32[] 5");
    EXPECT_EQ(first.schedule_hash, again.schedule_hash);
    hashes.insert(first.schedule_hash);
  }
  EXPECT_EQ(hashes.size(), 10u);
}

// A kernel that hands its input on, and writes down the first letter of its node.
Binder Noting(std::string& order) {
  return [&order](const Binding& binding) -> Result<BoundKernel> {
    const char letter = binding.node.name[0];
    return BoundKernel([&order, letter](KernelContext& context) {
      order += letter;
      context.output(0) = context.Take(0);
      return Status();
    });
  };
}

// Two loops side by side, a and b, of 30 iterations each: which of them each iteration was of.
std::string OrderOfTwoLoops(uint64_t seed) {
  std::string order;
  KernelRegistry kernels;
  const KernelRegistry& standard = KernelRegistry::Standard();
  for (const char* op : {"Const", "Less", "Identity", "AddV2"}) {
    EXPECT_TRUE(kernels.Register(op, standard.Find(op)->bind).ok());
  }
  EXPECT_TRUE(kernels.Register("Neg", Noting(order)).ok());
  std::string text = "n = Placeholder() dtype=int32\nzero = Const() dtype=int32 value=0\n";
  for (const std::string k : {"a", "b"}) {
    const std::string frame = " T=int32 frame_name=" + k + " parallel_iterations=32\n";
    text += k + "_in = Enter(zero)" + frame + k + "_n = Enter(n) is_constant=true" + frame;
    text += k + "_i = Merge(" + k + "_in, " + k + "_next) T=int32\n";
    text += k + "_less = Less(" + k + "_i, " + k + "_n) T=int32\n";
    text += k + "_way = Switch(" + k + "_i, " + k + "_less) T=int32\n";
    text += k + "_one = Const(^" + k + "_way) dtype=int32 value=1\n";
    text += k + "_noted = Neg(" + k + "_way:1) T=int32\n";
    text += k + "_sum = AddV2(" + k + "_noted, " + k + "_one) T=int32\n";
    text += k + "_next = NextIteration(" + k + "_sum) T=int32\n";
    text += k + "_exit = Exit(" + k + "_way) T=int32\n";
  }
  TestRun run(text, {2, seed}, kernels);
  EXPECT_EQ(run.Text({{"n", Int(30)}}, {"a_exit", "b_exit"}), "int32[] 30; int32[] 30");
  return order;
}

// How often the order goes from one loop to the other.
int Changes(const std::string& order) {
  int changes = 0;
  for (size_t i = 1; i < order.size(); ++i) changes += order[i] != order[i - 1] ? 1 : 0;
  return changes;
}

TEST(SimulatedSchedule, PrioritiesAndDelaysLetOthersRunFarAhead) {
  int evenly = 0, least_evenly = 1000, least_by_priority = 1000, with_delays = 0;
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const int changes = Changes(OrderOfTwoLoops(seed));
    if (seed % 3 == 0) {
      evenly += changes;
      least_evenly = std::min(least_evenly, changes);
    } else if (seed % 3 == 1) {
      least_by_priority = std::min(least_by_priority, changes);
    } else {
      with_delays += changes;
    }
  }
  EXPECT_LT(least_by_priority, least_evenly);
  EXPECT_LT(with_delays, evenly);
}

// A chain of ten sums, and two async ops beside it that are done as soon as they begin: the order
// in which the sums ('s') fire and what waits for the async ops ('x', 'y').
std::string OrderWithCalls(uint64_t seed) {
  std::string order;
  KernelRegistry kernels;
  EXPECT_TRUE(kernels.Register("Neg", Noting(order)).ok());
  const AsyncBinder at_once = [](const Binding&) -> Result<AsyncFunction> {
    return AsyncFunction([](KernelContext& context, std::shared_ptr<AsyncCall> call) {
      call->Done(std::vector<Tensor>{context.Take(0)});
    });
  };
  EXPECT_TRUE(kernels.Register("Square", AsyncKernel(at_once)).ok());
  std::string text = "n = Placeholder() dtype=int32\n";
  for (const std::string k : {"x", "y"}) {
    text += k + "_call = Square(n) T=int32\n" + k + " = Neg(" + k + "_call) T=int32\n";
  }
  std::string last = "n";
  for (int i = 0; i < 10; ++i) {
    const std::string next = "s" + std::to_string(i);
    text += next + " = Neg(" + last + ") T=int32\n";
    last = next;
  }
  TestRun run(text, {2, seed}, kernels);
  EXPECT_EQ(run.Text({{"n", Int(3)}}, {"x", "y", "s9"}), "int32[] 3; int32[] 3; int32[] 3");
  return order;
}

TEST(SimulatedSchedule, CallsEndAtAnyTimeAndInAnyOrder) {
  for (const uint64_t manner : {0u, 1u, 2u}) {
    std::set<std::string> orders;
    int first_x = 0, early = 0, last = 0;
    for (uint64_t i = 1; i <= 60; ++i) {
      const std::string order = OrderWithCalls(3 * i + manner);
      EXPECT_EQ(order, OrderWithCalls(3 * i + manner));
      orders.insert(order);
      first_x += order.find('x') < order.find('y') ? 1 : 0;
      early += order.find('x') < 8 ? 1 : 0;
      last += order.back() != 's' ? 1 : 0;
    }
    EXPECT_GT(orders.size(), 20u) << manner;
    EXPECT_GT(first_x, 5) << manner;
    EXPECT_LT(first_x, 55) << manner;
    EXPECT_GT(early, 5) << manner;
    EXPECT_GT(last, 5) << manner;
  }
}

// Neg as a heavy op that notes on which threads it ran, and waits until two have come.
struct Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::thread::id> threads;  // guarded by mutex
};

KernelRegistry HeavyKernels(Meeting& meeting) {
  KernelRegistry kernels;
  const KernelRegistry& standard = KernelRegistry::Standard();
  for (const char* op : {"Const", "Less", "Identity", "AddV2", "AddN", "NoOp"}) {
    if (const KernelEntry* entry = standard.Find(op)) {
      EXPECT_TRUE(kernels.Register(op, entry->bind).ok());
    }
  }
  const Binder heavy = [&meeting](const Binding&) -> Result<BoundKernel> {
    return BoundKernel([&meeting](KernelContext& context) {
      std::unique_lock lock(meeting.mutex);
      meeting.threads.insert(std::this_thread::get_id());
      meeting.changed.notify_all();
      meeting.changed.wait(lock, [&] { return meeting.threads.size() > 1; });
      context.output(0) = context.Take(0);
      return Status();
    });
  };
  EXPECT_TRUE(kernels.Register("Neg", heavy, Cost::kHeavy).ok());
  return kernels;
}

TEST(PooledSchedule, HeavyNodesAreSharedBetweenThreads) {
  Meeting meeting;
  const KernelRegistry kernels = HeavyKernels(meeting);
  TestRun run(R"(
    x = Placeholder() dtype=int32
    a = Neg(x) T=int32
    b = Neg(x) T=int32
    sum = AddV2(a, b) T=int32
  )",
              {2, 0}, kernels);
  EXPECT_EQ(run.Text({{"x", Int(2)}}, {"sum"}), "int32[] 4");
  EXPECT_EQ(meeting.threads.size(), 2u);
}

// Each iteration's heavy node, while the counter runs ahead.
TEST(PooledSchedule, HeavyNodesOfSeveralIterationsRunAtOnce) {
  Meeting meeting;
  const KernelRegistry kernels = HeavyKernels(meeting);
  TestRun run(CountingLoop() + "    heavy = Neg(body) T=int32\n", {2, 0}, kernels);
  EXPECT_EQ(run.Text({{"n", Int(50)}}, {"i_exit"}, {"heavy"}), "int32[] 50");
  EXPECT_EQ(meeting.threads.size(), 2u);
}

TEST(PooledSchedule, AfterAnErrorNothingStartsAndTheNextStepIsRight) {
  KernelRegistry kernels;
  std::atomic<int> calls{0};
  const Binder sometimes = [&calls](const Binding& binding) -> Result<BoundKernel> {
    const std::string name = binding.node.name;
    return BoundKernel([&calls, name](KernelContext& context) -> Status {
      ++calls;
      if (context.input(0).scalar<int32_t>() < 0) return Internal("negative");
      context.output(0) = context.Take(0);
      return Status();
    });
  };
  ASSERT_TRUE(kernels.Register("Neg", sometimes, Cost::kHeavy).ok());
  std::string graph = "x = Placeholder() dtype=int32\n";
  std::vector<std::string> targets;
  for (int i = 0; i < 50; ++i) {
    targets.push_back("n" + std::to_string(100 + i));
    graph += targets.back() + " = Neg(x) T=int32\n";
  }
  TestRun run(graph, {4, 0}, kernels);
  const auto made = run.Make({{"x", Int(1)}}, {}, targets);
  ASSERT_TRUE(made.ok());
  for (int round = 0; round < 100; ++round) {
    calls = 0;
    const Status failed = run.Run(**made, {{"x", Int(-1)}}).status();
    EXPECT_EQ(failed.code(), Code::kInternal);
    EXPECT_LE(calls.load(), 4) << "one for each thread";
    calls = 0;
    EXPECT_TRUE(run.Run(**made, {{"x", Int(1)}}).ok());
    EXPECT_EQ(calls.load(), 50);
  }
}

TEST(PooledSchedule, StepsOfSeveralCallersShareAPool) {
  TestRun run(CountingLoop() + "    big = Square(body) T=int32\n", {3, 0});
  const auto made = run.Make({{"n", Int(0)}}, {"i_exit"}, {"big"});
  ASSERT_TRUE(made.ok());
  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int32_t n = 0; n < 50; ++n) {
        SessionState session;
        StepState step;
        StepControl control;
        control.services = {&session, &step, nullptr, nullptr};
        const auto values = (*made)->Run({Int(n + caller)}, control);
        if (values.ok() && (*values)[0].scalar<int32_t>() == n + caller) ++right;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right.load(), 200);
}

}  // namespace
}  // namespace tagflow::optimized::tokens
