// Kernels that complete by themselves, in steps of one thread, of several, and under simulated
// schedules. What ends such steps early is tested with sessions (//optimized:async_kernel_test).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "optimized/async_kernel.h"
#include "optimized/tokens/test_run.h"

namespace tagflow::optimized::tokens {
namespace {

using testing::HasSubstr;

// Square is a kernel that another thread completes, one for each call.
class Helpers {
 public:
  Helpers() {
    const KernelRegistry& standard = KernelRegistry::Standard();
    for (const char* op : {"Const", "Less", "AddV2", "NoOp"}) {
      EXPECT_TRUE(kernels.Register(op, standard.Find(op)->bind).ok());
    }
    const AsyncBinder bind = [this](const Binding&) -> Result<AsyncFunction> {
      return AsyncFunction([this](KernelContext& context, std::shared_ptr<AsyncCall> call) {
        Start(context.Take(0), std::move(call));
      });
    };
    EXPECT_TRUE(kernels.Register("Square", AsyncKernel(bind)).ok());
    const AsyncBinder never = [](const Binding&) -> Result<AsyncFunction> {
      return Unimplemented("there is no such device");
    };
    EXPECT_TRUE(kernels.Register("Neg", AsyncKernel(never)).ok());
  }
  ~Helpers() {
    for (std::thread& thread : threads_) thread.join();
  }

  KernelRegistry kernels;

 private:
  void Start(Tensor value, std::shared_ptr<AsyncCall> call) {
    std::lock_guard lock(mutex_);
    threads_.emplace_back([value = std::move(value), call = std::move(call)] {
      Tensor squared = *Tensor::Allocate(DType::kInt32, value.dims());
      for (int64_t i = 0; i < value.num_elements(); ++i) {
        const int32_t x = value.data<int32_t>()[i];
        squared.mutable_data<int32_t>()[i] = x * x;
      }
      call->Done(std::vector<Tensor>{std::move(squared)});
    });
  }

  std::mutex mutex_;
  std::vector<std::thread> threads_;  // guarded by mutex_
};

class AsyncSteps : public testing::TestWithParam<Mode> {
 protected:
  std::string Text(std::string_view graph, const Feeds& feeds,
                   const std::vector<std::string>& fetches) {
    return TestRun(graph, GetParam(), helpers.kernels).Text(feeds, fetches);
  }
  Helpers helpers;
};
INSTANTIATE_TEST_SUITE_P(Modes, AsyncSteps, testing::ValuesIn(AllModes()), [](const auto& info) {
  return "threads" + std::to_string(info.param.threads) + "_seed" + std::to_string(info.param.seed);
});

TEST_P(AsyncSteps, TakeAndGiveValuesThatHoldMemory) {
  EXPECT_EQ(Text(R"(
    x = Placeholder() dtype=int32
    a = Square(x) T=int32
    b = Square(x) T=int32
    sum = AddV2(a, b) T=int32
    more = Square(sum) T=int32
  )",
                 {{"x", Tensor::Vector<int32_t>({1, 2, 3})}}, {"more", "x"}),
            "int32[3] [4, 64, 324]; int32[3] [1, 2, 3]");
}

TEST_P(AsyncSteps, KeepTheirIterationAlive) {
  EXPECT_EQ(Text(CountingLoop() + R"(
    turn = Square(body) T=int32
    total_in = Enter(zero) T=int32 frame_name=loop
    total = Merge(total_in, total_next) T=int32
    total_way = Switch(total, again) T=int32
    total_sum = AddV2(total_way:1, turn) T=int32
    total_next = NextIteration(total_sum) T=int32
    total_exit = Exit(total_way:0) T=int32
  )",
                 {{"n", Int(6)}}, {"total_exit", "i_exit"}),
            "int32[] 55; int32[] 6");
}

TEST_P(AsyncSteps, ADeadOneIsNotStarted) {
  EXPECT_EQ(Text(R"(
    x = Placeholder() dtype=int32
    p = Placeholder() dtype=bool
    way = Switch(x, p) T=int32
    no = Neg(way:0) T=int32
    yes = Square(way:1) T=int32
    joined = Merge(no, yes) T=int32
  )",
                 {{"x", Int(3)}, {"p", Bool(true)}}, {"joined", "joined:1"}),
            "int32[] 9; int32[] 1");
}

TEST_P(AsyncSteps, OneThatCannotBeBoundFailsWhenItFires) {
  EXPECT_THAT(Text("x = Placeholder() dtype=int32\n a = Neg(x) T=int32\n", {{"x", Int(3)}}, {"a"}),
              HasSubstr("no such device [node a"));
}

}  // namespace
}  // namespace tagflow::optimized::tokens
