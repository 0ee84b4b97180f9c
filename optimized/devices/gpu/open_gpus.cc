// Tested by gpu_device_test.cc.

#include <cuda_runtime.h>

#include <map>
#include <string>
#include <utility>

#include "graph/device_name.h"
#include "optimized/devices/gpu/cuda_api.h"
#include "optimized/devices/gpu/cuda_memory.h"
#include "optimized/devices/gpu/cuda_status.h"
#include "optimized/devices/gpu/cuda_stream.h"
#include "optimized/devices/gpu/gpu_devices.h"
#include "optimized/devices/stream_step.h"

namespace tagflow::optimized {
namespace {

// Streams that are independent of each other and of the default one.
struct StreamHandles {
  StreamHandles() = default;
  StreamHandles(const StreamHandles&) = delete;
  ~StreamHandles() {
    for (const cudaStream_t handle : {kernels, out, in, across}) {
      if (handle != nullptr) (void)Cuda().stream_destroy(handle);
    }
  }
  Status Create(int ordinal) {
    cudaError_t error = Cuda().set_device(ordinal);
    for (cudaStream_t* const handle : {&kernels, &out, &in, &across}) {
      if (error == cudaSuccess) error = Cuda().stream_create(handle, cudaStreamNonBlocking);
    }
    return CudaStatus(error, "opening GPU " + std::to_string(ordinal));
  }

  cudaStream_t kernels = nullptr, out = nullptr, in = nullptr, across = nullptr;
};

// Lets copies go straight from one GPU's memory to another's, if the machine can; CUDA finds a way
// where it cannot. A process that has more sessions does so again, which is no error.
void LetReach(int ordinal, int other) {
  int can = 0;
  cudaError_t error = Cuda().can_access_peer(&can, ordinal, other);
  if (error == cudaSuccess) error = Cuda().set_device(ordinal);
  if (error == cudaSuccess && can != 0) error = Cuda().enable_peer_access(other, 0);
  if (error != cudaSuccess) (void)Cuda().get_last_error();  // else the next call would tell it
}

// What histories are a share of: what may be taken, or, without a limit, what is free now.
//   returns: 0 where CUDA cannot tell
int64_t MemoryOf(int ordinal, const GpuOptions& options) {
  if (options.memory_bytes != 0) return options.memory_bytes;
  size_t bytes_free = 0, bytes_all = 0;
  cudaError_t error = Cuda().set_device(ordinal);
  if (error == cudaSuccess) error = Cuda().mem_get_info(&bytes_free, &bytes_all);
  if (error == cudaSuccess) return static_cast<int64_t>(bytes_free);
  (void)Cuda().get_last_error();
  return 0;
}

// One GPU in a session. Its streams end before their memory.
struct GpuPlace {
  GpuPlace(std::string device_name, int ordinal, int index, const GpuOptions& options,
           std::unique_ptr<StreamHandles> streams)
      : name(std::move(device_name)),
        handles(std::move(streams)),
        memory(ordinal, index, options.memory_bytes, handles->kernels),
        kernels(memory, handles->kernels),
        out(memory, handles->out),
        in(memory, handles->in),
        across(memory, handles->across) {
    const int64_t bytes = MemoryOf(ordinal, options);
    if (!options.swaps || bytes == 0) return;
    swaps = std::make_unique<HistorySwaps>(HistorySwaps::Parts{memory, pinned, kernels, out, in},
                                           bytes, options.swap_above);
    memory.set_swaps(swaps.get());
  }

  const std::string name;
  const std::unique_ptr<StreamHandles> handles;
  CudaMemory memory;
  PinnedMemory pinned;
  CudaStream kernels, out, in, across;
  std::unique_ptr<HistorySwaps> swaps;  // null: histories stay
};

class GpuGroup : public DeviceGroup {
 public:
  Status Add(const DeviceSite& site, int ordinal, const GpuOptions& options) {
    auto handles = std::make_unique<StreamHandles>();
    TAGFLOW_RETURN_IF_ERROR(handles->Create(ordinal));
    places_.emplace(site.index, std::make_unique<GpuPlace>(site.name, ordinal, site.index, options,
                                                           std::move(handles)));
    return Status();
  }
  // REQUIRES: all of them are added
  void LetReachEachOther() const {
    for (const auto& [index, place] : places_) {
      for (const auto& [other_index, other] : places_) {
        if (index == other_index) continue;
        LetReach(place->memory.ordinal(), other->memory.ordinal());
        place->memory.add_reader(other->across);
      }
    }
  }
  DeviceMemory* memory(int device) const override { return &places_.at(device)->memory; }
  std::unique_ptr<DeviceStep> NewStep(uint64_t) const override {
    std::map<int, StreamSide> sides;
    for (const auto& [index, place] : places_) {
      CudaStream* const across = places_.size() > 1 ? &place->across : nullptr;
      sides[index] = {place->name, &place->kernels,    &place->out,
                      &place->in,  place->swaps.get(), across};
    }
    return std::make_unique<StreamStep>(std::move(sides));
  }
  bool has_streams() const override { return true; }
  Status CheckAlive() const override {
    for (const auto& [index, place] : places_) {
      const cudaError_t error = Cuda().stream_query(place->handles->kernels);
      if (LosesGpu(error)) return CudaStatus(error, "asking '" + place->name + "'");
    }
    return Status();
  }

 private:
  std::map<int, std::unique_ptr<GpuPlace>> places_;
};

}  // namespace

int CountGpus() {
  int count = 0;
  const bool is_known = Cuda().get_device_count(&count) == cudaSuccess;
  (void)Cuda().get_last_error();
  return is_known ? count : 0;
}

Result<std::unique_ptr<DeviceGroup>> OpenGpus(const std::vector<DeviceSite>& sites,
                                              const GpuOptions& options) {
  int count = 0;
  TAGFLOW_RETURN_IF_ERROR(
      CudaStatus(Cuda().get_device_count(&count), "looking for '" + sites.front().name + "'"));
  auto group = std::make_unique<GpuGroup>();
  for (const DeviceSite& site : sites) {
    const auto name = ParseDeviceName(site.name);
    const int ordinal = name.ok() ? name->index.value_or(0) : 0;
    if (ordinal >= count) {
      return Status(Code::kFailedPrecondition, "there is no '" + site.name + "': CUDA shows " +
                                                   std::to_string(count) + " GPUs");
    }
    TAGFLOW_RETURN_IF_ERROR(group->Add(site, ordinal, options));
  }
  group->LetReachEachOther();
  return std::unique_ptr<DeviceGroup>(std::move(group));
}

}  // namespace tagflow::optimized
