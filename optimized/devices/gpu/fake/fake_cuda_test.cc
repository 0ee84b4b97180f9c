// Tests: code_on_fake.cc, fake_cublas.cc, kernels_on_fake.cc, product_on_fake.cc
// Tests: random_on_fake.cc, reduction_on_fake.cc, row_training_on_fake.cc, scatter_on_fake.cc
// Tests: softmax_on_fake.cc, training_on_fake.cc
#include "optimized/devices/gpu/fake/fake_cuda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace tagflow::optimized::fake_cuda {
namespace {

TEST(FakeCuda, DoesWhatIsEnqueuedInOrderAndWaitsForEvents) {
  cudaStream_t first, second;
  cudaEvent_t event;
  ASSERT_EQ(Api().stream_create(&first, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(Api().stream_create(&second, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(Api().event_create(&event, cudaEventDisableTiming), cudaSuccess);
  std::string done;  // by the first stream, and then by the second
  std::atomic<bool> may_begin = false;
  Enqueue(first, [&] { may_begin.wait(false); });
  Enqueue(first, [&] { done += "a"; });
  EXPECT_EQ(Api().event_record(event, first), cudaSuccess);
  EXPECT_EQ(Api().stream_wait_event(second, event, 0), cudaSuccess);
  Enqueue(second, [&] { done += "b"; });
  may_begin = true;
  may_begin.notify_all();
  EXPECT_EQ(Api().stream_synchronize(second), cudaSuccess);
  EXPECT_EQ(done, "ab");
  EXPECT_EQ(Api().event_destroy(event), cudaSuccess);
  EXPECT_EQ(Api().stream_destroy(first), cudaSuccess);
  EXPECT_EQ(Api().stream_destroy(second), cudaSuccess);
}

TEST(FakeCuda, FreesMemoryBehindAllThatIsEnqueued) {
  cudaStream_t stream;
  void* block = nullptr;
  ASSERT_EQ(Api().stream_create(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(Api().malloc(&block, 256), cudaSuccess);
  std::atomic<bool> is_done = false;
  Enqueue(stream, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_done = true;
  });
  EXPECT_EQ(Api().free(block), cudaSuccess);
  EXPECT_TRUE(is_done);
  EXPECT_EQ(Api().stream_destroy(stream), cudaSuccess);
}

TEST(FakeCuda, FailsAsItIsTold) {
  void* block = nullptr;
  LetMallocsFail(1);
  EXPECT_EQ(Api().malloc(&block, 256), cudaErrorMemoryAllocation);
  EXPECT_EQ(Api().get_last_error(), cudaErrorMemoryAllocation);
  EXPECT_EQ(Api().get_last_error(), cudaSuccess) << "told once";
  EXPECT_EQ(Api().malloc(&block, 256), cudaSuccess);
  EXPECT_EQ(Api().free(block), cudaSuccess);
  LoseGpu();
  EXPECT_EQ(Api().set_device(0), cudaErrorIllegalAddress);
  FindGpuAgain();
  EXPECT_EQ(Api().set_device(0), cudaSuccess);
}

TEST(FakeCuda, HasKernelsByOpAndDtype) {
  const auto has = [](const auto& launches, const std::string& op) {
    return std::ranges::count(launches, op, [](const auto& launch) { return launch.op; });
  };
  EXPECT_EQ(has(FakePairLaunches(), "AddV2"), 4);
  EXPECT_EQ(has(FakeReductionLaunches(), "Sum"), 4);
  EXPECT_EQ(has(FakeProductLaunches(), "MatMul"), 4);
  EXPECT_EQ(has(FakeScatterLaunches(), "TensorScatterAdd"), 4);
  EXPECT_EQ(has(FakeSegmentLaunches(), "UnsortedSegmentSum"), 4);
  EXPECT_EQ(has(FakeSoftmaxLaunches(), "Softmax"), 2);
  EXPECT_EQ(std::ranges::count(FakeTrainingLaunches(), "Adam", &TrainingLaunch::name), 2);
}

TEST(FakeCuda, FindsCublasWhenItIsTold) {
  EXPECT_EQ(Api().cublas(), nullptr);
  LetCublasBeFound(true);
  ASSERT_NE(Api().cublas(), nullptr);
  CublasApi::Handle handle = nullptr;
  EXPECT_EQ(Api().cublas()->create(&handle), cublas::kSuccess);
  EXPECT_NE(Api().cublas()->set_math_mode(handle, cublas::kDefaultMath + 1), cublas::kSuccess);
  LetCublasBeFound(false);
}

}  // namespace
}  // namespace tagflow::optimized::fake_cuda
