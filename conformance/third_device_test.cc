// A device of which the engine knows nothing, in one file: memory that only it may touch, and work
// that is enqueued for its threads, as on a GPU. All cases run on it, and on the simulated one.

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "conformance/case_file.h"
#include "conformance/optimized_servant.h"
#include "conformance/runner.h"
#include "optimized/devices/stream_step.h"

namespace tagflow::optimized {
namespace {

struct QueueEvent : DeviceEvent {
  Status Await() override { return is_done.wait(), Status(); }
  std::promise<void> done;
  std::shared_future<void> is_done = done.get_future().share();
};

struct Queue : DeviceStream {
  using Work = std::function<void()>;
  explicit Queue(DeviceMemory& memory) : of(memory) {}
  ~Queue() override { Add(nullptr), thread.join(); }
  void Add(Work work) {
    std::lock_guard lock(mutex);
    all.push_back(std::move(work));
    changed.notify_one();
  }
  DeviceMemory& memory() override { return of; }
  void CopyIn(Tensor host, Tensor there) override {
    Add([=, this] { (void)of.Write(host.raw_data(), there); });
  }
  void CopyOut(Tensor there, Tensor host) override {
    Add([=, this] { (void)of.Read(there, const_cast<void*>(host.raw_data())); });
  }
  void Then(std::function<void(Status error)> what) override {
    Add([what = std::move(what)] { what(Status()); });
  }
  std::shared_ptr<DeviceEvent> Record() override {
    auto event = std::make_shared<QueueEvent>();
    Add([event] { event->done.set_value(); });
    return event;
  }
  void Wait(std::shared_ptr<DeviceEvent> event) override {
    Add([event = std::move(event)] { (void)event->Await(); });
  }
  void Run() {
    for (Work work = [] {}; work != nullptr;) {
      work();
      work = nullptr;  // with the tensors it holds
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return !all.empty(); });
      work = std::exchange(all.front(), nullptr);
      all.pop_front();
    }
  }

  DeviceMemory& of;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Work> all;  // guarded by mutex
  std::thread thread{[this] { Run(); }};
};

struct QueueMemory : DeviceMemory {
  void* Allocate(size_t bytes) override {
    std::lock_guard lock(mutex);
    char* const address = static_cast<char*>(HostAllocator().Allocate(bytes + 1));
    if (address != nullptr) blocks[address] = bytes;
    return address;
  }
  void Deallocate(void* address, size_t bytes) override {  // a kernel may use it until then
    kernels.Add([this, address, bytes] {
      std::lock_guard lock(mutex);
      blocks.erase(static_cast<char*>(address));
      HostAllocator().Deallocate(address, bytes + 1);
    });
  }
  bool Holds(const Tensor& tensor) const override {
    if (tensor.memory_kind() != MemoryKind::kDevice) return false;
    std::lock_guard lock(mutex);
    const auto after = blocks.upper_bound(AddressOf(tensor));
    return after != blocks.begin() &&
           AddressOf(tensor) <= std::prev(after)->first + std::prev(after)->second;
  }
  char* HostAddress(const Tensor& tensor) const override { return AddressOf(tensor); }

  mutable std::mutex mutex;
  std::map<char*, size_t> blocks;  // guarded by mutex
  Queue kernels{*this}, out{*this}, in{*this};
};

struct QueueGroup : DeviceGroup {
  DeviceMemory* memory(int device) const override { return &memories.at(device); }
  std::unique_ptr<DeviceStep> NewStep(uint64_t) const override {
    std::map<int, StreamSide> sides;
    for (auto& [i, at] : memories) sides[i] = {"/device:QUEUE:0", &at.kernels, &at.out, &at.in};
    return std::make_unique<StreamStep>(std::move(sides));
  }
  mutable std::map<int, QueueMemory> memories;
};

struct QueueKind : DeviceKind {
  std::string name() const override { return "QUEUE"; }
  bool runs_host_kernels() const override { return true; }
  Result<std::unique_ptr<DeviceGroup>> Open(const std::vector<DeviceSite>& sites) const override {
    auto group = std::make_unique<QueueGroup>();
    for (const DeviceSite& site : sites) group->memories[site.index];
    return std::unique_ptr<DeviceGroup>(std::move(group));
  }
};

class ThirdDeviceTest : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, ThirdDeviceTest, testing::Values("QUEUE", "SIM"));

TEST_P(ThirdDeviceTest, RunsTheCases) {
  KernelRegistry kernels;
  ASSERT_TRUE(RegisterStandardKernels(kernels).ok());
  // These look at no element but those of the shape.
  for (const char* op : {"Reshape", "Shape", "Size"}) {
    const Binder bind = kernels.Find(op)->bind;
    ASSERT_TRUE(kernels.RegisterFor({op, "QUEUE"}, {.bind = bind, .host_inputs = {"shape"}}).ok());
  }
  const auto kinds = WithKind(StandardDeviceKinds(), std::make_shared<QueueKind>());
  const auto files = conformance::FindCases({"conformance/cases"});
  ASSERT_TRUE(files.ok());
  const auto make_engine = [&]() -> Result<std::unique_ptr<conformance::Engine>> {
    auto servant = conformance::MakeOptimizedServant(
        {.kernels = &kernels, .device_kinds = &kinds},
        {.devices = {"/device:" + std::string(GetParam()) + ":0", "/device:CPU:0"}});
    return {std::make_unique<conformance::InProcessEngine>(std::move(servant))};
  };
  const auto known = conformance::ExpectedFailures::Read("conformance/third_device.txt");
  const auto results = conformance::RunCases(*files, make_engine,
                                             {.expected_failures = *known, .on_result = nullptr});
  ASSERT_TRUE(results.ok() && results->size() > 100);
  for (const auto& result : *results) EXPECT_FALSE(IsBad(result)) << result.name << result.why;
}

}  // namespace
}  // namespace tagflow::optimized
