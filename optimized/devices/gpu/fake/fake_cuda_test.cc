// Tests: code_on_fake.cc, fake_cublas.cc, kernels_on_fake.cc, product_on_fake.cc
// Tests: fake_devices.cc, fake_order.cc, random_on_fake.cc, reduction_on_fake.cc
// Tests: row_training_on_fake.cc, scatter_on_fake.cc, softmax_on_fake.cc, training_on_fake.cc
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

// A stream, an event and a block of one GPU.
struct OnOne {
  explicit OnOne(int ordinal) {
    EXPECT_EQ(Api().set_device(ordinal), cudaSuccess);
    EXPECT_EQ(Api().stream_create(&stream, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(Api().event_create(&event, cudaEventDisableTiming), cudaSuccess);
    EXPECT_EQ(Api().malloc(&block, kBytes), cudaSuccess);
  }
  ~OnOne() {
    (void)Api().stream_synchronize(stream);
    (void)Api().free(block);
    (void)Api().event_destroy(event);
    (void)Api().stream_destroy(stream);
  }
  // A kernel that is given the block of another.
  cudaError_t LaunchWith(const OnOne& other) const {
    return Enqueue(stream, [block = static_cast<char*>(other.block)] { ++*block; });
  }

  static constexpr size_t kBytes = 256;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  void* block = nullptr;
};

TEST(FakeCuda, TellsGpusApart) {
  const OnOne first(0), second(1);
  EXPECT_EQ(second.LaunchWith(second), cudaSuccess);
  EXPECT_EQ(first.LaunchWith(first), cudaErrorInvalidResourceHandle) << "the second is selected";
  EXPECT_EQ(Api().event_record(first.event, second.stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(Api().set_device(2), cudaErrorInvalidDevice);
  ShowGpus(3);
  EXPECT_EQ(Api().set_device(2), cudaSuccess);
  ShowGpus(2);
}

TEST(FakeCuda, RefusesMemoryThatIsOutOfReach) {
  LetGpusReach(0, 1, true);
  const OnOne first(0), second(1);
  EXPECT_EQ(second.LaunchWith(first), cudaErrorInvalidValue) << "access is not enabled";
  const auto copy = [&] {
    return Api().memcpy_async(second.block, first.block, OnOne::kBytes, cudaMemcpyDeviceToDevice,
                              second.stream);
  };
  EXPECT_EQ(copy(), cudaErrorInvalidValue);
  int can = 0;
  EXPECT_EQ(Api().can_access_peer(&can, 1, 0), cudaSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(Api().enable_peer_access(0, 0), cudaSuccess);
  EXPECT_EQ(Api().enable_peer_access(0, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(second.LaunchWith(first), cudaSuccess);
  EXPECT_EQ(copy(), cudaSuccess);
  LetGpusReach(0, 1, false);
  EXPECT_EQ(Api().can_access_peer(&can, 1, 0), cudaSuccess);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(Api().enable_peer_access(0, 0), cudaErrorPeerAccessUnsupported);
  EXPECT_EQ(second.LaunchWith(first), cudaErrorInvalidValue);
  LetGpusReach(0, 1, true);
}

TEST(FakeCuda, CopiesFromGpuToGpu) {
  const OnOne first(0), second(1);
  const auto copy = [&](int from) {
    return Api().memcpy_peer_async(second.block, 1, first.block, from, OnOne::kBytes,
                                   second.stream);
  };
  LetGpusReach(0, 1, true);
  const PeerCopies before = CountPeerCopies();
  EXPECT_EQ(copy(0), cudaSuccess);
  EXPECT_EQ(Api().enable_peer_access(0, 0), cudaSuccess);
  EXPECT_EQ(copy(0), cudaSuccess);
  EXPECT_EQ(CountPeerCopies().staged, before.staged + 1);
  EXPECT_EQ(CountPeerCopies().straight, before.straight + 1);
  EXPECT_EQ(copy(1), cudaErrorInvalidValue) << "the block is the first's";
  LetGpusReach(0, 1, true);
}

// Each way of two uses that no event orders, and the same with an event.
TEST(FakeCuda, RefusesMemoryBeforeWhatOrdersIt) {
  const OnOne first(0), second(1);
  const auto copy = [&] {
    return Api().memcpy_peer_async(second.block, 1, first.block, 0, OnOne::kBytes, first.stream);
  };
  const auto let_wait = [](const OnOne& one, const OnOne& other) {
    EXPECT_EQ(Api().event_record(other.event, other.stream), cudaSuccess);
    EXPECT_EQ(Api().stream_wait_event(one.stream, other.event, 0), cudaSuccess);
  };
  EXPECT_EQ(second.LaunchWith(second), cudaSuccess);
  EXPECT_EQ(copy(), cudaErrorNotReady) << "the block is in use";
  let_wait(first, second);
  EXPECT_EQ(copy(), cudaSuccess);
  EXPECT_EQ(second.LaunchWith(second), cudaErrorNotReady) << "the copy may come later";
  let_wait(second, first);
  EXPECT_EQ(second.LaunchWith(second), cudaSuccess);
  EXPECT_EQ(copy(), cudaErrorNotReady) << "a kernel has used it since";
  EXPECT_EQ(Api().stream_synchronize(second.stream), cudaSuccess);
  EXPECT_EQ(copy(), cudaSuccess) << "the host has waited";
}

TEST(FakeCuda, FindsCublasWhenItIsTold) {
  EXPECT_EQ(Api().cublas(), nullptr);
  LetCublasBeFound(true);
  ASSERT_NE(Api().cublas(), nullptr);
  CublasApi::Handle handle = nullptr;
  EXPECT_EQ(Api().cublas()->create(&handle), cublas::kSuccess);
  EXPECT_NE(Api().cublas()->set_math_mode(handle, cublas::kNoShortSums + 1), cublas::kSuccess);
  LetCublasBeFound(false);
}

}  // namespace
}  // namespace tagflow::optimized::fake_cuda
