// Tests: async_kernel.cc
//
// Sessions with kernels that complete from another thread.

#include "optimized/async_kernel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "graph/test_graph.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

// A thread to which calls are handed, which it completes in turn.
class Device {
 public:
  Device() : thread_([this] { Run(); }) {}
  ~Device() {
    Hand(nullptr);
    thread_.join();
  }
  void Hand(std::function<void()> work) {
    std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
    changed_.notify_one();
  }

 private:
  void Run() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !work_.empty(); });
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      if (!work) return;
      work();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;  // guarded by mutex_; null ends the thread
  std::thread thread_;
};

// What the op Neg does: by default, its negative comes from the device.
struct World {
  Device device;
  std::function<void(int32_t, std::shared_ptr<AsyncCall>)> neg =
      [this](int32_t value, std::shared_ptr<AsyncCall> call) {
        device.Hand([=] { call->Done({{Tensor::Scalar<int32_t>(-value)}}); });
      };
  std::atomic<int> started{0};
  KernelRegistry kernels;

  World() {
    const KernelRegistry& standard = KernelRegistry::Standard();
    for (const char* op : {"Const", "Less", "AddV2", "AddN", "NoOp"}) {
      EXPECT_TRUE(kernels.Register(op, standard.Find(op)->bind).ok());
    }
    const AsyncBinder neg_binder = [this](const Binding&) -> Result<AsyncFunction> {
      return AsyncFunction([this](KernelContext& context, std::shared_ptr<AsyncCall> call) {
        ++started;
        neg(context.input(0).scalar<int32_t>(), std::move(call));
      });
    };
    EXPECT_TRUE(kernels.Register("Neg", AsyncKernel(neg_binder)).ok());
  }
};

struct Way {
  const char* name;
  ExecutorChoice executor;
  int threads;
  uint64_t seed;
};

class Async : public testing::TestWithParam<Way> {
 protected:
  void Open(std::string_view graph) {
    SessionOptions options;
    options.kernels = &world.kernels;
    options.executor = GetParam().executor;
    options.threads = GetParam().threads;
    session = *Session::Create(TestGraph(graph, OpRegistry::Standard()).Take(), options);
  }
  std::string Run(int32_t x, const std::string& fetch, RunOptions options = {}) {
    options.seed = GetParam().seed;
    const auto values = session->Run({{"x", Tensor::Scalar(x)}}, {fetch}, {}, options);
    return values.ok() ? (*values)[0].DebugString() : values.status().ToString();
  }

  World world;
  std::unique_ptr<Session> session;
};
INSTANTIATE_TEST_SUITE_P(Ways, Async,
                         testing::Values(Way{"one_thread", ExecutorChoice::kAuto, 1, 0},
                                         Way{"threads", ExecutorChoice::kSharedTokens, 4, 0},
                                         Way{"simulated", ExecutorChoice::kTokens, 3, 5},
                                         Way{"straight", ExecutorChoice::kStraight, 1, 0}),
                         [](const auto& info) { return info.param.name; });

constexpr char kSum[] = R"(
  x = Placeholder() dtype=int32
  a = Neg(x) T=int32
  b = Neg(a) T=int32
  c = Neg(x) T=int32
  sum = AddV2(b, c) T=int32
)";
// i = 0; while i < x: i = i - (-1), the last by the device
constexpr char kLoop[] = R"(
  x = Placeholder() dtype=int32
  zero = Const() dtype=int32 value=0
  enter = Enter(zero) T=int32 frame_name=loop
  limit = Enter(x) T=int32 frame_name=loop is_constant=true
  i = Merge(enter, next) T=int32
  less = Less(i, limit) T=int32
  again = LoopCond(less)
  turn = Switch(i, again) T=int32
  less_one = Const(^turn) dtype=int32 value=-1
  one = Neg(less_one) T=int32
  sum = AddV2(turn:1, one) T=int32
  next = NextIteration(sum) T=int32
  exit = Exit(turn:0) T=int32
)";

TEST_P(Async, CompletesFromAnotherThread) {
  Open(kSum);
  EXPECT_EQ(Run(3, "sum"), "int32[] 0");
  EXPECT_EQ(Run(5, "a"), "int32[] -5");
}

TEST_P(Async, IsWaitedForInEachIteration) {
  Open(kLoop);
  EXPECT_EQ(Run(20, "exit"), "int32[] 20");
  EXPECT_EQ(world.started, 21) << "a Switch's control edge is live in the last iteration too";
}

TEST_P(Async, MayBeDoneAtOnce) {
  world.neg = [](int32_t value, std::shared_ptr<AsyncCall> call) {
    call->Done({{Tensor::Scalar<int32_t>(-value)}});
  };
  Open(kLoop);
  EXPECT_EQ(Run(20, "exit"), "int32[] 20");
}

TEST_P(Async, FailsItsNodeAndTag) {
  world.neg = [this](int32_t, std::shared_ptr<AsyncCall> call) {
    world.device.Hand([call] { call->Done(Internal("the device is gone")); });
  };
  Open(kLoop);
  EXPECT_EQ(Run(20, "exit"), "INTERNAL: the device is gone [node one, tag loop[0]]");
  world.neg = [](int32_t, std::shared_ptr<AsyncCall>) {};
  EXPECT_EQ(Run(20, "exit").substr(0, 8), "INTERNAL") << "let go of";
  world.neg = [](int32_t, std::shared_ptr<AsyncCall> call) { call->Done(std::vector<Tensor>()); };
  EXPECT_EQ(Run(20, "exit").substr(0, 8), "INTERNAL") << "too few outputs";
}

// By tokens, where no thread waits for a call.
class AsyncByTokens : public Async {};
INSTANTIATE_TEST_SUITE_P(Ways, AsyncByTokens,
                         testing::Values(Way{"one_thread", ExecutorChoice::kAuto, 1, 0},
                                         Way{"threads", ExecutorChoice::kSharedTokens, 4, 0},
                                         Way{"simulated", ExecutorChoice::kTokens, 3, 5}),
                         [](const auto& info) { return info.param.name; });

// It is told, the step ends at once, and what it brings later goes nowhere.
TEST_P(AsyncByTokens, AStepThatEndsDoesNotWait) {
  std::vector<std::shared_ptr<AsyncCall>> kept;
  std::atomic<int> told{0};
  world.neg = [&](int32_t, std::shared_ptr<AsyncCall> call) {
    call->OnEnd([&told] { ++told; });
    kept.push_back(std::move(call));
  };
  Open(R"(
    x = Placeholder() dtype=int32
    a = Neg(x) T=int32
  )");
  RunOptions cancelled;
  cancelled.cancelled = [&] { return world.started > 0; };
  EXPECT_EQ(Run(1, "a", cancelled).substr(0, 9), "CANCELLED");
  EXPECT_EQ(told, 1);
  RunOptions late;
  late.deadline_s = 0.02;
  EXPECT_EQ(Run(1, "a", late).substr(0, 17), "DEADLINE_EXCEEDED");
  EXPECT_EQ(told, 2);
  for (const auto& call : kept) call->Done({{Tensor::Scalar<int32_t>(1)}});
  world.neg = [](int32_t value, std::shared_ptr<AsyncCall> call) {
    call->Done({{Tensor::Scalar<int32_t>(-value)}});
  };
  EXPECT_EQ(Run(1, "a"), "int32[] -1");
  session = nullptr;  // and the calls are still there
}

// Ten that complete only when all are in flight.
TEST_P(AsyncByTokens, NoThreadWaitsForOne) {
  std::mutex mutex;
  std::vector<std::shared_ptr<AsyncCall>> waiting;
  world.neg = [&](int32_t value, std::shared_ptr<AsyncCall> call) {
    std::lock_guard lock(mutex);
    waiting.push_back(std::move(call));
    if (waiting.size() < 10) return;
    for (const auto& each : waiting) each->Done({{Tensor::Scalar<int32_t>(-value)}});
    waiting.clear();
  };
  std::string graph = "x = Placeholder() dtype=int32\n";
  std::string sum = "sum = AddN(n0";
  for (int i = 0; i < 10; ++i) {
    graph += "n" + std::to_string(i) + " = Neg(x) T=int32\n";
    if (i > 0) sum += ", n" + std::to_string(i);
  }
  Open(graph + sum + ") T=int32 N=10\n");
  EXPECT_EQ(Run(2, "sum"), "int32[] -20");
}

// A device has no executor of its own to go on with.
TEST(AsyncOnDevices, ADeviceWaitsForWhatCompletesByItself) {
  World world;
  SessionOptions options;
  options.kernels = &world.kernels;
  options.devices = {"/device:CPU:0", "/device:SIM:0"};
  TestGraph graph(kSum, OpRegistry::Standard());
  for (const char* node : {"a", "b"}) {
    graph.mutable_graph().mutable_node(graph.id(node)).device = options.devices[1];
  }
  const auto session = *Session::Create(graph.Take(), options);
  for (const uint64_t seed : {0, 5}) {
    RunOptions run;
    run.seed = seed;
    const auto values = session->Run({{"x", Tensor::Scalar<int32_t>(3)}}, {"a", "sum"}, {}, run);
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    EXPECT_EQ((*values)[0].DebugString() + (*values)[1].DebugString(), "int32[] -3int32[] 0");
  }
  world.neg = [](int32_t, std::shared_ptr<AsyncCall> call) { call->Done(Internal("it is gone")); };
  // Not 'sum': 'c' on the host may be the first to fail.
  const auto values = session->Run({{"x", Tensor::Scalar<int32_t>(3)}}, {"b"});
  EXPECT_EQ(values.status().ToString(), "INTERNAL: it is gone [node a]");
}

TEST(AsyncKernel, ACallThatOutlivesTheStepHoldsNothingThatWasLent) {
  Tensor kept;
  std::shared_ptr<AsyncCall> kept_call;
  KernelRegistry kernels;
  const AsyncBinder keep = [&](const Binding&) -> Result<AsyncFunction> {
    return AsyncFunction([&](KernelContext& context, std::shared_ptr<AsyncCall> call) {
      kept = context.input(0);
      kept_call = std::move(call);
    });
  };
  ASSERT_TRUE(kernels.Register("Neg", AsyncKernel(keep)).ok());
  SessionOptions options;
  options.kernels = &kernels;
  const auto session = *Session::Create(
      TestGraph("x = Placeholder() dtype=int32\ny = Neg(x) T=int32", OpRegistry::Standard()).Take(),
      options);
  const auto lent = std::make_shared<std::vector<int32_t>>(std::vector<int32_t>{1, 2, 3});
  const auto feed = [&] { return *Tensor::Borrow(DType::kInt32, Dims{3}, lent->data(), lent); };
  RunOptions run;
  run.deadline_s = 0.02;
  const auto values = session->Run({{"x", feed()}}, {"y"}, {}, run);
  EXPECT_EQ(values.status().code(), Code::kDeadlineExceeded);
  EXPECT_EQ(lent.use_count(), 1);
  EXPECT_TRUE(BitwiseEqual(kept, Tensor::Vector<int32_t>({1, 2, 3})));
}

}  // namespace
}  // namespace tagflow::optimized
