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

#include "optimized/devices/gpu/fake/fake_devices.h"
#include "optimized/devices/gpu/fake/fake_order.h"

struct CUgraph_st;

namespace {

std::atomic<bool> is_lost = false;
std::atomic<int> mallocs_to_fail = 0;
std::atomic<int> peer_copies_straight = 0, peer_copies_staged = 0;
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
  const int device = tagflow::optimized::fake_cuda::SelectedDevice();
  const int number = tagflow::optimized::fake_cuda::NewStreamNumber();
  std::thread thread{[this] { Run(); }};
};
struct CUevent_st {
  std::shared_ptr<Moment> moment;  // of the last record
  tagflow::optimized::fake_cuda::Clock order;
  const int device = tagflow::optimized::fake_cuda::SelectedDevice();
};

namespace tagflow::optimized::fake_cuda {
namespace {

// All that there are. They are made and ended under the lock.
std::mutex streams_mutex;
std::set<cudaStream_t> streams;

void WaitFor(CUstream_st& stream) {
  const Clock order = RecordOrder(stream.number);
  stream.Await();
  HostHasWaited(order);
}

cudaError_t GetDeviceCount(int* count) {
  *count = NumDevices();
  return Return(*count == 0 ? cudaErrorNoDevice : cudaSuccess);
}

cudaError_t SetDevice(int device) { return Return(SelectDevice(device)); }
cudaError_t GetLastError() { return std::exchange(last_error, cudaSuccess); }
const char* GetErrorString(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorInvalidResourceHandle:
      return "a stream or an event is used of another GPU than it is of";
    case cudaErrorInvalidValue:
      return "memory is used of a GPU that is out of reach";
    case cudaErrorNotReady:
      return "memory is used before what was enqueued for it is done";
    default:
      return "an error of the fake";
  }
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
  if (*pointer != nullptr) AddBlock(*pointer, bytes);
  return Return(*pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}
// Behind all work, as CUDA's waits for it.
cudaError_t Free(void* pointer) {
  {
    std::lock_guard lock(streams_mutex);
    for (const cudaStream_t stream : streams) WaitFor(*stream);
  }
  ForgetBlock(pointer);
  RemoveBlock(pointer);
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
// Whether what is enqueued next may use the memory. What is recorded is not enqueued yet.
bool MayUse(cudaStream_t stream, const void* address, Use use) {
  return stream->recorded != nullptr || IsInOrder(stream->number, BlockOf(address), use);
}
bool MayCopy(void* to, const void* from, cudaStream_t stream) {
  const bool may_read = MayUse(stream, from, Use::kCopyReads);
  return MayUse(stream, to, Use::kCopyWrites) && may_read;
}
cudaError_t MemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                        cudaStream_t stream) {
  const bool is_reached = Reaches(stream->device, to) && Reaches(stream->device, from);
  if (!is_reached) return Return(cudaErrorInvalidValue);
  if (!MayCopy(to, from, stream)) return Return(cudaErrorNotReady);
  stream->Add([=] { std::memcpy(to, from, bytes); });
  return Return(cudaSuccess);
}

// Which is for any stream, and needs no access.
cudaError_t MemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                            size_t bytes, cudaStream_t stream) {
  const bool is_right = DeviceOf(to) == to_device && DeviceOf(from) == from_device;
  if (!is_right) return Return(cudaErrorInvalidValue);
  if (!MayCopy(to, from, stream)) return Return(cudaErrorNotReady);
  ++(ReachesPeer(stream->device, to_device == stream->device ? from_device : to_device)
         ? peer_copies_straight
         : peer_copies_staged);
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
  ForgetStream(stream->number);
  delete stream;
  return Return(cudaSuccess);
}
cudaError_t StreamSynchronize(cudaStream_t stream) {
  WaitFor(*stream);
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
  if (event->device != stream->device) return Return(cudaErrorInvalidResourceHandle);
  event->moment = std::make_shared<Moment>();
  event->order = RecordOrder(stream->number);
  stream->Add([moment = event->moment] { moment->Come(); });
  return Return(cudaSuccess);
}
cudaError_t EventQuery(cudaEvent_t event) {
  if (!event->moment->HasCome()) return Return(cudaErrorNotReady);
  HostHasWaited(event->order);
  return Return(cudaSuccess);
}
cudaError_t EventSynchronize(cudaEvent_t event) {
  event->moment->Await();
  HostHasWaited(event->order);
  return Return(cudaSuccess);
}
cudaError_t StreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  stream->Add([moment = event->moment] { moment->Await(); });
  WaitInOrder(stream->number, event->order);
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
  if (stream->device != SelectedDevice()) return Return(cudaErrorInvalidResourceHandle);
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

cudaError_t Launch(cudaStream_t stream, const std::vector<uint64_t>& words,
                   std::function<void()> work) {
  if (stream->device != SelectedDevice()) return Return(cudaErrorInvalidResourceHandle);
  for (const uint64_t word : words) {
    const auto* const address = reinterpret_cast<const void*>(word);
    if (BlockOf(address) == nullptr) continue;
    if (!Reaches(stream->device, address)) return Return(cudaErrorInvalidValue);
    if (!MayUse(stream, address, Use::kKernel)) return Return(cudaErrorNotReady);
  }
  stream->Add(std::move(work));
  return Return(cudaSuccess);
}
PeerCopies CountPeerCopies() { return {peer_copies_straight, peer_copies_staged}; }
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
      .memcpy_peer_async = MemcpyPeerAsync,
      .can_access_peer = [](int* can, int device,
                            int peer) { return Return(CanAccessPeer(can, device, peer)); },
      .enable_peer_access = [](int peer, unsigned) { return Return(EnablePeerAccess(peer)); },
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
