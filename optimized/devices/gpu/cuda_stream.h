#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_STREAM_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_STREAM_H_

// A stream of a GPU. What the host is to do in its turn (Then, and the last part of a copy out) is
// done by a thread of the stream, which waits for an event before each: CUDA lets no function that
// it calls by itself enqueue anything.
//
// Copies go through page-locked memory: in by a copy of the host and one of the GPU, out the other
// way round; so neither keeps the host waiting. Between two GPUs they go straight where one reaches
// the other's memory, and else as CUDA has it: through memory of the host's, beside the host.
//
// Thread safety: any thread. Tested by gpu_device_test.cc.

#include <cuda_runtime.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "optimized/devices/device.h"
#include "optimized/devices/gpu/cuda_memory.h"

namespace tagflow::optimized {

class CudaEvent : public DeviceEvent {
 public:
  explicit CudaEvent(int ordinal);
  ~CudaEvent() override;
  Status Await() override;
  bool HasCome() override;
  void RecordOn(cudaStream_t stream);
  // Lets the stream wait for the event.    returns: the first error of either
  cudaError_t HoldUp(cudaStream_t stream);
  // What went wrong before it: Await tells the first.
  void Note(cudaError_t error);

 private:
  const int ordinal_;
  cudaEvent_t event_ = nullptr;
  cudaError_t failed_ = cudaSuccess;  // the first error noted
};

class CudaStream : public DeviceStream {
 public:
  // stream: of the memory's GPU; both outlive this, as does `allocator`, which takes the place of
  // the memory where kernels allocate
  CudaStream(CudaMemory& memory, cudaStream_t stream, DeviceMemory* allocator = nullptr);
  ~CudaStream() override;

  DeviceMemory& memory() override { return *allocator_; }
  void CopyIn(Tensor host, Tensor there) override;
  void CopyOut(Tensor there, Tensor host) override;
  void CopyAcross(Tensor from, const DeviceMemory& of, Tensor there) override;
  void SwapIn(const void* home, const Tensor& there) override;
  void SwapOut(const Tensor& there, void* home) override;
  void Then(std::function<void(Status error)> what) override;
  std::shared_ptr<DeviceEvent> Record() override;
  void Wait(std::shared_ptr<DeviceEvent> event) override;
  void Settle() override;
  std::unique_ptr<DeviceProgram> NewProgram() override;
  bool records() const override { return allocator_ != &memory_; }
  Result<std::shared_ptr<const ElementKernel>> NewElementKernel(
      const ElementProgram& program, const std::vector<int>& outputs) override;

  cudaStream_t handle() const { return stream_; }
  // What is enqueued goes to another stream, which it is recorded on.
  void set_handle(cudaStream_t stream) { stream_ = stream; }
  int ordinal() const { return memory_.ordinal(); }
  // Makes the stream's GPU the one that this thread's next calls of CUDA are for.
  void Select();

 private:
  struct Turn {
    std::shared_ptr<CudaEvent> after;
    std::function<void(Status error)> what;
  };
  // One event tells what went wrong, and none does whose error nobody asks for.
  enum class Errors : uint8_t { kTold, kLeft };
  std::shared_ptr<CudaEvent> RecordEvent(Errors errors = Errors::kTold);
  void AddTurn(std::function<void(Status error)> what, Errors errors = Errors::kTold);
  // Until what was enqueued is done.
  void Keep(std::vector<Tensor> tensors, void* staged = nullptr);
  void Work();
  // Notes what a call gave: the next event tells it, and all events where the GPU is lost.
  void Note(cudaError_t error);

  CudaMemory& memory_;
  DeviceMemory* const allocator_;
  cudaStream_t stream_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable turn_ended_;
  std::deque<Turn> turns_;            // guarded by mutex_
  int64_t turns_added_ = 0;           // guarded by mutex_
  int64_t turns_ended_ = 0;           // guarded by mutex_
  bool ends_ = false;                 // guarded by mutex_
  cudaError_t failed_ = cudaSuccess;  // of a call, and not told yet; guarded by mutex_
  std::thread thread_;                // begins with the first turn; guarded by mutex_
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_STREAM_H_
