#include "optimized/devices/gpu/fake/fake_cuda.h"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace {

std::atomic<bool> is_lost = false;
std::atomic<int> mallocs_to_fail = 0;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t Return(cudaError_t error) {
  if (error == cudaSuccess && is_lost) error = cudaErrorIllegalAddress;
  if (error != cudaSuccess) last_error = error;
  return error;
}

// A moment that comes.
struct Moment {
  void Come() {
    std::lock_guard lock(mutex);
    is_there = true;
    came.notify_all();
  }
  void Await() {
    std::unique_lock lock(mutex);
    came.wait(lock, [this] { return is_there; });
  }
  std::mutex mutex;
  std::condition_variable came;
  bool is_there = false;  // guarded by mutex
};

}  // namespace

// CUDA leaves these two to whoever implements it.
struct CUstream_st {
  void Add(std::function<void()> work) {
    std::lock_guard lock(mutex);
    all.push_back(std::move(work));
    changed.notify_one();
  }
  void Run() {
    for (bool ends = false; !ends;) {
      std::function<void()> work;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [this] { return !all.empty(); });
        work = std::move(all.front());
        all.pop_front();
      }
      ends = work == nullptr;
      if (!ends) work();
    }
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> all;  // null: the end; guarded by mutex
  std::thread thread{[this] { Run(); }};
};
struct CUevent_st {
  std::shared_ptr<Moment> moment;  // of the last record
};

namespace tagflow::optimized::fake_cuda {
namespace {

cudaError_t GetDeviceCount(int* count) {
  *count = 2;
  return Return(cudaSuccess);
}
cudaError_t SetDevice(int) { return Return(cudaSuccess); }
cudaError_t GetLastError() { return std::exchange(last_error, cudaSuccess); }
const char* GetErrorString(cudaError_t error) {
  return error == cudaErrorIllegalAddress ? "an illegal memory access was encountered"
                                          : "an error of the fake";
}

cudaError_t Malloc(void** pointer, size_t bytes) {
  if (mallocs_to_fail > 0) {
    --mallocs_to_fail;
    return Return(cudaErrorMemoryAllocation);
  }
  *pointer = std::aligned_alloc(256, bytes);
  return Return(*pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}
cudaError_t Free(void* pointer) {
  std::free(pointer);
  return Return(cudaSuccess);
}
cudaError_t HostAlloc(void** pointer, size_t bytes, unsigned) {
  *pointer = std::aligned_alloc(256, bytes);
  return Return(cudaSuccess);
}
cudaError_t FreeHost(void* pointer) {
  std::free(pointer);
  return Return(cudaSuccess);
}
cudaError_t MemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                        cudaStream_t stream) {
  stream->Add([=] { std::memcpy(to, from, bytes); });
  return Return(cudaSuccess);
}

cudaError_t StreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new CUstream_st;
  return Return(cudaSuccess);
}
cudaError_t StreamDestroy(cudaStream_t stream) {
  stream->Add(nullptr);
  stream->thread.join();
  delete stream;
  return Return(cudaSuccess);
}
cudaError_t StreamSynchronize(cudaStream_t stream) {
  const auto moment = std::make_shared<Moment>();
  stream->Add([moment] { moment->Come(); });
  moment->Await();
  return Return(cudaSuccess);
}
cudaError_t StreamQuery(cudaStream_t) { return Return(cudaSuccess); }

cudaError_t EventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  return Return(cudaSuccess);
}
cudaError_t EventDestroy(cudaEvent_t event) {
  delete event;
  return Return(cudaSuccess);
}
cudaError_t EventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->moment = std::make_shared<Moment>();
  stream->Add([moment = event->moment] { moment->Come(); });
  return Return(cudaSuccess);
}
cudaError_t EventSynchronize(cudaEvent_t event) {
  event->moment->Await();
  return Return(cudaSuccess);
}
cudaError_t StreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  stream->Add([moment = event->moment] { moment->Await(); });
  return Return(cudaSuccess);
}

}  // namespace

cudaError_t Enqueue(cudaStream_t stream, std::function<void()> work) {
  stream->Add(std::move(work));
  return Return(cudaSuccess);
}
void LetMallocsFail(int count) { mallocs_to_fail = count; }
void LoseGpu() { is_lost = true; }
void FindGpuAgain() { is_lost = false; }

const CudaApi& Api() {
  static constexpr CudaApi kApi = {
      .get_device_count = GetDeviceCount,
      .set_device = SetDevice,
      .get_last_error = GetLastError,
      .get_error_string = GetErrorString,
      .malloc = Malloc,
      .free = Free,
      .host_alloc = HostAlloc,
      .free_host = FreeHost,
      .memcpy_async = MemcpyAsync,
      .stream_create = StreamCreateWithFlags,
      .stream_destroy = StreamDestroy,
      .stream_synchronize = StreamSynchronize,
      .stream_query = StreamQuery,
      .stream_wait_event = StreamWaitEvent,
      .event_create = EventCreateWithFlags,
      .event_destroy = EventDestroy,
      .event_record = EventRecord,
      .event_synchronize = EventSynchronize,
      .pair_launches = FakePairLaunches,
      .same_pair_launches = FakeSamePairLaunches,
      .map_launches = FakeMapLaunches,
      .cast_launches = FakeCastLaunches,
      .sum_launches = FakeSumLaunches,
      .launch_box = FakeLaunchBox,
      .launch_select = FakeLaunchSelect,
  };
  return kApi;
}

}  // namespace tagflow::optimized::fake_cuda
