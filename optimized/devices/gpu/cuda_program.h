#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_PROGRAM_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_PROGRAM_H_

// A program of a GPU: a CUDA graph whose loops are conditional nodes (WHILE). Kernels are recorded
// on a stream of their own for each depth, which captures them into the graph of that depth.
//
// Tested by gpu_device_test.cc and conformance/gpu/gpu_programs_test.cc, over a fake of CUDA.

#include <cuda_runtime.h>

#include <memory>
#include <utility>
#include <vector>

#include "optimized/devices/device_program.h"
#include "optimized/devices/gpu/block_cache.h"
#include "optimized/devices/gpu/cuda_api.h"
#include "optimized/devices/gpu/cuda_memory.h"
#include "optimized/devices/gpu/cuda_stream.h"

namespace tagflow::optimized {

// The memory of a program: blocks of the GPU's, which are the program's until it ends. What is
// elsewhere on the GPU is held, too.
class ProgramMemory : public DeviceMemory, private BlockSource {
 public:
  explicit ProgramMemory(CudaMemory& memory) : memory_(memory), blocks_(*this, 0) {}
  void* Allocate(size_t bytes) override { return blocks_.Take(bytes); }
  void Deallocate(void* pointer, size_t) override { blocks_.GiveBack(pointer); }
  int device() const override { return memory_.device(); }
  bool Holds(const Tensor& tensor) const override { return memory_.Holds(tensor); }
  char* HostAddress(const Tensor&) const override { return nullptr; }
  Status Read(const Tensor& tensor, void* to) const override { return memory_.Read(tensor, to); }
  Status Write(const void* from, const Tensor& tensor) override {
    return memory_.Write(from, tensor);
  }

 private:
  void* New(size_t bytes) override { return memory_.AllocateForProgram(bytes); }
  void Delete(void* block) override { memory_.Deallocate(block, 0); }

  CudaMemory& memory_;
  BlockCache blocks_;
};

// The kernels of a program note all in one word, which is set anew for each run.
class ProgramFaults : public DeviceFaults {
 public:
  Result<std::shared_ptr<const FaultPlace>> Add(Tell tell) override {
    is_guarded = false;
    tells.push_back(std::move(tell));
    return std::make_shared<const FaultPlace>(FaultPlace{word, tells.size() - 1});
  }
  bool is_used() const { return !tells.empty(); }

  uint64_t* word = nullptr;
  std::vector<Tell> tells;  // by number
  bool is_guarded = true;   // what is enqueued now is behind a guard that knows of all of them
};

class CudaProgram : public DeviceProgram {
 public:
  // launches: the stream that it is enqueued on; both outlive this.
  // REQUIRES: Cuda().graphs
  CudaProgram(CudaMemory& memory, cudaStream_t launches);
  ~CudaProgram() override;

  DeviceStream& stream() override { return recorder_; }
  DeviceFaults& faults() override { return faults_; }
  Status Start() override;
  Status Begin(const Tensor& predicate) override;
  Status End(const std::vector<Carried>& carried, const Tensor& predicate) override;
  Status BeginIf(const Tensor& predicate, Way way) override;
  Status Else() override;
  Status EndIf() override;
  Status Guard() override;
  Status Finish() override;
  Status Set(const Tensor& to, const Tensor& from) override;
  Result<int> NewColumn() override;
  Status Take(const std::vector<Row>& rows) override { return CopyRows(rows, /*takes=*/true); }
  Status Put(const std::vector<Row>& rows) override { return CopyRows(rows, /*takes=*/false); }
  void SetColumns(std::vector<Tensor> addresses) override { addresses_ = std::move(addresses); }
  Result<Ended> Run(int64_t iterations_max) override;
  Status Launch() override;
  Status Failure() override;

 private:
  // What is recorded at one depth: the graph itself, or the body of a loop.
  struct Level {
    cudaStream_t stream = nullptr;
    cudaGraphConditionalHandle condition = 0;  // of a body
    cudaGraph_t otherwise = nullptr;           // of a branch: the other body
    bool is_guard = false;
  };
  // Where the GPU counts iterations, and says whether the outermost loop goes on, and what failed.
  enum Place { kBegun, kMost, kGoesOn, kFault, kNumPlaces };

  Status Note(cudaError_t error, const char* what);
  Status Record(cudaGraph_t graph, Level level);
  // A conditional node, whose bodies are given; the first is recorded from now on.
  using AddNode = cudaError_t (*)(cudaStream_t, cudaGraphConditionalHandle, cudaGraph_t*);
  // A condition holds where this does and no kernel has failed.
  struct Asked {
    Tensor predicate;  // without a value: nothing
    Way way;
  };
  Status BeginNode(AddNode add, const Asked& asked, bool is_outermost);
  cudaError_t EndLevel();
  Status EndGuards();
  CommitArgs Decision(const Level& level, const Asked& asked, bool is_outermost) const;
  Status Apart(std::vector<Carried>& carried);
  Status Commit(const std::vector<Carried>& carried, CommitArgs decision);
  Status CopyRows(const std::vector<Row>& rows, bool takes);
  int64_t* AddressOf(Place place) const;
  Carried Setting(Place place, int64_t value) const;

  const CudaGraphApi& graphs_;
  CudaMemory& memory_;
  const cudaStream_t launches_;
  ProgramMemory own_memory_;
  Tensor state_;  // of kNumPlaces int64
  ProgramFaults faults_;
  std::vector<Tensor> columns_;    // where kernels find the address of each one's addresses
  std::vector<Tensor> addresses_;  // of each
  bool is_first_ = true;           // the next launch
  CudaStream recorder_;
  std::vector<Level> levels_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t made_ = nullptr;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_PROGRAM_H_
