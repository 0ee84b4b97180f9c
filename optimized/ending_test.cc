// Steps that are cancelled, or run out of time, at a random moment: how soon they end, what starts
// although they are to end, what is left behind, and whether the next step is right.
//
//   ending_test [ROUNDS [SEED]]
//
// A round is a random loop (random_loops.h) on a session of 1, 2, 4 or 8 threads, by the executor
// that the session chooses or by tokens. It is run without end and stopped; then to its end, which
// must be what a session of one thread gets. In every tenth round other steps run on the session
// meanwhile, and must be right as well.
//
// Kernels are wrapped: one that starts when its step is to end already is counted on its thread.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "graph/test_graph.h"
#include "optimized/live_memory.h"
#include "optimized/random_loops.h"
#include "optimized/session.h"

namespace tagflow::optimized {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

std::atomic<int> failures{0};
std::atomic<int> most_late_starts{0};  // of a thread in a step, when the step was to end
std::atomic<int64_t> longest_kernel_ns{0};

void Fail(const std::string& what) {
  ++failures;
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
}

void Raise(auto& most, auto value) {
  auto before = most.load();
  while (value > before && !most.compare_exchange_weak(before, value)) {
  }
}

// Counts the kernels that this thread starts in a step that is to end.
void CountStart(const StepServices& services) {
  thread_local const StepState* step = nullptr;
  thread_local int late = 0;
  if (!services.stopped || !services.stopped()) {
    late = 0;
    return;
  }
  if (std::exchange(step, services.step) != services.step) late = 0;
  Raise(most_late_starts, ++late);
}

Binder Watched(const Binder& bind) {
  return [bind](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(const BoundKernel kernel, bind(binding));
    return BoundKernel([kernel](KernelContext& context) {
      CountStart(context.services());
      const Clock::time_point start = Clock::now();
      Status status = kernel(context);
      Raise(longest_kernel_ns, static_cast<int64_t>((Clock::now() - start).count()));
      return status;
    });
  };
}

const KernelRegistry& WatchedKernels() {
  static const KernelRegistry& watched = *[] {
    auto* registry = new KernelRegistry;
    const KernelRegistry& standard = KernelRegistry::Standard();
    for (const std::string& op : standard.Ops()) {
      const KernelEntry& entry = *standard.Find(op);
      const Cost cost = op == "Tanh" ? Cost::kHeavy : entry.cost;  // so that threads have to do
      TAGFLOW_CHECK(registry->Register(op, Watched(entry.bind), cost).ok());
    }
    return registry;
  }();
  return watched;
}

std::unique_ptr<Session> Open(const RandomLoop& loop, int threads, ExecutorChoice executor) {
  SessionOptions options;
  options.threads = threads;
  options.executor = executor;
  options.kernels = &WatchedKernels();
  return *Session::Create(TestGraph(loop.text, OpRegistry::Standard()).Take(), options);
}

Result<std::vector<Tensor>> Run(Session& session, const RandomLoop& loop, int32_t n,
                                const RunOptions& options = {}) {
  NamedTensors feeds = loop.feeds;
  feeds.emplace_back("n", Tensor::Scalar(n));
  return session.Run(feeds, loop.fetches, {}, options);
}

bool Same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), BitwiseEqual);
}

class Rounds {
 public:
  explicit Rounds(uint32_t seed) : random_(seed) {}

  void Run(int rounds) {
    for (int round = 0; round < rounds; ++round) {
      if (round % kRoundsPerLoop == 0) NextLoop(round);
      if (round % 10 == 9) {
        StopAmongOthers();
      } else {
        Stop();
      }
      CheckNextStep();
    }
  }

  // Prints what was measured, and checks it.
  void Report() {
    std::sort(late_ms_.begin(), late_ms_.end());
    const auto quantile = [&](double q) {
      return late_ms_[static_cast<size_t>(q * static_cast<double>(late_ms_.size() - 1))];
    };
    const double kernel_ms = static_cast<double>(longest_kernel_ns.load()) / 1e6;
    std::printf("%zu steps stopped; ended after %.2f ms (median), %.2f (p99), %.2f (p99.9), %.2f\n",
                late_ms_.size(), quantile(0.5), quantile(0.99), quantile(0.999), quantile(1));
    std::printf("kernels started by a thread when the step was to end: at most %d\n",
                most_late_starts.load());
    std::printf("longest kernel: %.2f ms\n", kernel_ms);
    if (quantile(0.999) > 50 + kernel_ms) Fail("steps end too late");
    if (most_late_starts > 1) Fail("more than one kernel started on a thread");
  }

 private:
  static constexpr int kRoundsPerLoop = 20;
  static constexpr int32_t kForEver = 2147483647;

  void NextLoop(int round) {
    session_ = nullptr;
    plain_ = nullptr;
    loop_ = RandomLoopMaker(static_cast<uint32_t>(random_())).Make();
    const int threads = 1 << random_() % 4;
    session_ = Open(loop_, threads,
                    random_() % 2 == 0 ? ExecutorChoice::kAuto : ExecutorChoice::kSharedTokens);
    plain_ = Open(loop_, 1, ExecutorChoice::kAuto);
    where_ = "round " + std::to_string(round) + ", " + std::to_string(threads) + " threads:\n" +
             loop_.text;
    if (!optimized::Run(*session_, loop_, 1).ok()) Fail("the graph cannot run: " + where_);
  }

  // Runs the loop for ever until a random moment.
  void Stop() {
    const int64_t before = memory_.bytes();
    const auto wait = std::chrono::microseconds(random_() % 3000);
    const Clock::time_point end = Clock::now() + wait;
    RunOptions options;
    const bool is_deadline = random_() % 2 == 0;
    if (is_deadline) {
      options.deadline_s = std::chrono::duration<double>(wait).count() + 1e-9;
    } else {
      options.cancelled = [end] { return Clock::now() >= end; };
    }
    const auto result = optimized::Run(*session_, loop_, kForEver, options);
    late_ms_.push_back(Milliseconds(Clock::now() - end).count());
    const Code expected = is_deadline ? Code::kDeadlineExceeded : Code::kCancelled;
    if (result.status().code() != expected) Fail(result.status().ToString() + ": " + where_);
    if (memory_.bytes() != before) {
      Fail(std::to_string(memory_.bytes() - before) + " bytes left behind: " + where_);
    }
  }

  void StopAmongOthers() {
    const std::vector<Tensor> expected = *optimized::Run(*plain_, loop_, 30);
    std::vector<std::thread> others;
    for (int i = 0; i < 3; ++i) {
      others.emplace_back([&] {
        for (int step = 0; step < 5; ++step) {
          const auto values = optimized::Run(*session_, loop_, 30);
          if (values.ok() && Same(*values, expected)) continue;
          Fail("a step beside one that was stopped: " + values.status().ToString() + ": " + where_);
        }
      });
    }
    RunOptions options;
    options.deadline_s = static_cast<double>(1 + random_() % 2000) * 1e-6;
    const Status status = optimized::Run(*session_, loop_, kForEver, options).status();
    for (std::thread& other : others) other.join();
    if (status.code() != Code::kDeadlineExceeded) Fail(status.ToString() + ": " + where_);
  }

  void CheckNextStep() {
    const auto n = static_cast<int32_t>(random_() % 20);
    const auto values = optimized::Run(*session_, loop_, n);
    const auto expected = optimized::Run(*plain_, loop_, n);
    if (!values.ok() || !Same(*values, *expected)) Fail("the next step is wrong: " + where_);
  }

  LiveMemory memory_;
  std::mt19937 random_;
  RandomLoop loop_;
  std::unique_ptr<Session> session_, plain_;
  std::string where_;
  std::vector<double> late_ms_;
};

int Main(int rounds, uint32_t seed) {
  Rounds all(seed);
  all.Run(rounds);
  all.Report();
  return failures > 0 ? 1 : 0;
}

}  // namespace
}  // namespace tagflow::optimized

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
  const int seed = argc > 2 ? std::atoi(argv[2]) : 1;
  return tagflow::optimized::Main(std::max(1, rounds), static_cast<uint32_t>(seed));
}
