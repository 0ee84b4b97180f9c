#include "optimized/devices/gpu/fake/fake_cuda.h"

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

struct CUgraph_st;

namespace {

std::atomic<bool> is_lost = false;
std::atomic<int> mallocs_to_fail = 0;
constexpr size_t kMemory = size_t{1} << 34;
std::atomic<size_t> bytes_shown = kMemory;  // as free
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
  bool HasCome() {
    std::lock_guard lock(mutex);
    return is_there;
  }
  std::mutex mutex;
  std::condition_variable came;
  bool is_there = false;  // guarded by mutex
};

// Work in order, some of it loops, each with its condition.
struct Content {
  void Run() const {
    for (const auto& work : works) work();
  }
  std::vector<std::function<void()>> works;
  std::deque<bool> conditions;
  std::vector<std::shared_ptr<CUgraph_st>> bodies;
};

}  // namespace

// CUDA leaves these to whoever implements it.
struct CUgraph_st {
  std::shared_ptr<Content> content = std::make_shared<Content>();
};
struct CUgraphExec_st {
  std::shared_ptr<const Content> content;
};
struct CUstream_st {
  void Add(std::function<void()> work) {
    if (recorded != nullptr) return recorded->works.push_back(std::move(work));
    Enqueue(std::move(work));
  }
  void Enqueue(std::function<void()> work) {
    std::lock_guard lock(mutex);
    all.push_back(std::move(work));
    changed.notify_one();
  }
  void Await() {
    Moment moment;
    Enqueue([&moment] { moment.Come(); });
    moment.Await();
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
  Content* recorded = nullptr;            // where work goes instead
  std::thread thread{[this] { Run(); }};
};
struct CUevent_st {
  std::shared_ptr<Moment> moment;  // of the last record
};

namespace tagflow::optimized::fake_cuda {
namespace {

// All that there are. They are made and ended under the lock.
std::mutex streams_mutex;
std::set<cudaStream_t> streams;

cudaError_t GetDeviceCount(int* count) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const bool is_hidden = visible != nullptr && *visible == '\0';
  *count = is_hidden ? 0 : 2;
  return Return(is_hidden ? cudaErrorNoDevice : cudaSuccess);
}
cudaError_t SetDevice(int) { return Return(cudaSuccess); }
cudaError_t GetLastError() { return std::exchange(last_error, cudaSuccess); }
const char* GetErrorString(cudaError_t error) {
  return error == cudaErrorIllegalAddress ? "an illegal memory access was encountered"
                                          : "an error of the fake";
}

cudaError_t MemGetInfo(size_t* bytes_free, size_t* bytes_all) {
  *bytes_free = bytes_shown;
  *bytes_all = kMemory;
  return Return(cudaSuccess);
}
cudaError_t Malloc(void** pointer, size_t bytes) {
  if (mallocs_to_fail > 0) --mallocs_to_fail, bytes = kMemory + 1;
  if (bytes > kMemory) return Return(cudaErrorMemoryAllocation);
  *pointer = std::aligned_alloc(256, bytes);
  return Return(*pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}
// Behind all work, as CUDA's waits for it.
cudaError_t Free(void* pointer) {
  {
    std::lock_guard lock(streams_mutex);
    for (const cudaStream_t stream : streams) stream->Await();
  }
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
  std::lock_guard lock(streams_mutex);
  streams.insert(*stream);
  return Return(cudaSuccess);
}
cudaError_t StreamDestroy(cudaStream_t stream) {
  std::lock_guard lock(streams_mutex);
  streams.erase(stream);
  stream->Enqueue(nullptr);
  stream->thread.join();
  delete stream;
  return Return(cudaSuccess);
}
cudaError_t StreamSynchronize(cudaStream_t stream) {
  stream->Await();
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
cudaError_t EventQuery(cudaEvent_t event) {
  return Return(event->moment->HasCome() ? cudaSuccess : cudaErrorNotReady);
}
cudaError_t EventSynchronize(cudaEvent_t event) {
  event->moment->Await();
  return Return(cudaSuccess);
}
cudaError_t StreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  stream->Add([moment = event->moment] { moment->Await(); });
  return Return(cudaSuccess);
}

// ---- Graphs ----

cudaError_t GraphCreate(cudaGraph_t* graph) {
  *graph = new CUgraph_st;
  return Return(cudaSuccess);
}
cudaError_t GraphDestroy(cudaGraph_t graph) {
  delete graph;
  return Return(cudaSuccess);
}
cudaError_t BeginRecording(cudaStream_t stream, cudaGraph_t graph) {
  stream->recorded = graph->content.get();
  return Return(cudaSuccess);
}
cudaError_t EndRecording(cudaStream_t stream) {
  stream->recorded = nullptr;
  return Return(cudaSuccess);
}
cudaError_t NewCondition(cudaStream_t recording, cudaGraphConditionalHandle* condition) {
  bool& made = recording->recorded->conditions.emplace_back(false);
  *condition = reinterpret_cast<cudaGraphConditionalHandle>(&made);
  return Return(cudaSuccess);
}
cudaError_t AddWhile(cudaStream_t recording, cudaGraphConditionalHandle condition,
                     cudaGraph_t* body) {
  const auto made = std::make_shared<CUgraph_st>();
  recording->recorded->bodies.push_back(made);
  *body = made.get();
  recording->recorded->works.push_back([condition, content = made->content.get()] {
    while (*reinterpret_cast<const bool*>(condition)) content->Run();
  });
  return Return(cudaSuccess);
}
cudaError_t AddIf(cudaStream_t recording, cudaGraphConditionalHandle condition,
                  cudaGraph_t bodies[2]) {
  for (int i = 0; i < 2; ++i) {
    recording->recorded->bodies.push_back(std::make_shared<CUgraph_st>());
    bodies[i] = recording->recorded->bodies.back().get();
  }
  recording->recorded->works.push_back(
      [condition, then = bodies[0]->content.get(), otherwise = bodies[1]->content.get()] {
        (*reinterpret_cast<const bool*>(condition) ? then : otherwise)->Run();
      });
  return Return(cudaSuccess);
}
cudaError_t GraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph) {
  *made = new CUgraphExec_st{graph->content};
  return Return(cudaSuccess);
}
cudaError_t GraphExecDestroy(cudaGraphExec_t made) {
  delete made;
  return Return(cudaSuccess);
}
cudaError_t GraphLaunch(cudaGraphExec_t made, cudaStream_t stream) {
  stream->Add([content = made->content] { content->Run(); });
  return Return(cudaSuccess);
}

constexpr CudaGraphApi kGraphs = {
    .create = GraphCreate,
    .destroy = GraphDestroy,
    .begin_recording = BeginRecording,
    .end_recording = EndRecording,
    .new_condition = NewCondition,
    .add_while = AddWhile,
    .add_if = AddIf,
    .instantiate = GraphInstantiate,
    .destroy_instance = GraphExecDestroy,
    .launch = GraphLaunch,
};

}  // namespace

cudaError_t Enqueue(cudaStream_t stream, std::function<void()> work) {
  stream->Add(std::move(work));
  return Return(cudaSuccess);
}
void LetMallocsFail(int count) { mallocs_to_fail = count; }
void ShowFreeMemory(size_t bytes) { bytes_shown = bytes; }
void LoseGpu() { is_lost = true; }
void FindGpuAgain() { is_lost = false; }

const CudaApi& Api() {
  static constexpr CudaApi kApi = {
      .get_device_count = GetDeviceCount,
      .set_device = SetDevice,
      .get_last_error = GetLastError,
      .get_error_string = GetErrorString,
      .mem_get_info = MemGetInfo,
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
      .event_query = EventQuery,
      .event_synchronize = EventSynchronize,
      .graphs = &kGraphs,
      .code = Code,
      .pair_launches = FakePairLaunches,
      .same_pair_launches = FakeSamePairLaunches,
      .map_launches = FakeMapLaunches,
      .reduction_launches = FakeReductionLaunches,
      .arg_best_launches = FakeArgBestLaunches,
      .product_launches = FakeProductLaunches,
      .scan_launches = FakeScanLaunches,
      .row_update_launches = FakeRowUpdateLaunches,
      .scatter_launches = FakeScatterLaunches,
      .segment_launches = FakeSegmentLaunches,
      .softmax_launches = FakeSoftmaxLaunches,
      .cublas = FoundCublas,
      .cast_launches = FakeCastLaunches,
      .sum_launches = FakeSumLaunches,
      .random_launches = FakeRandomLaunches,
      .training_launches = FakeTrainingLaunches,
      .row_training_launches = FakeRowTrainingLaunches,
      .indexed_kernels = FakeIndexedKernels,
      .launch_commit = FakeLaunchCommit,
      .launch_box = FakeLaunchBox,
      .launch_select = FakeLaunchSelect,
      .launch_gather = FakeLaunchGather,
  };
  return kApi;
}

}  // namespace tagflow::optimized::fake_cuda
