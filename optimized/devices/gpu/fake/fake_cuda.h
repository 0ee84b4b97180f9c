#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_FAKE_FAKE_CUDA_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_FAKE_FAKE_CUDA_H_

// For tests: the part of CUDA's runtime that the GPU device uses, on the host. A stream is a thread
// that does what was enqueued, in order and late, so that what the host does too early is seen as
// on a GPU: by wrong values, or by ThreadSanitizer. Memory of the device is the host's. There are
// two devices, unless CUDA_VISIBLE_DEVICES is empty or a test shows others (ShowGpus).
//
// It refuses what CUDA would: a kernel or an event on a stream of another GPU than the selected
// one, and memory of another GPU that this one does not reach, be it a copy's or one of the words
// that a kernel is launched with: so all of these are set, or zero.
//
// A test calls SetCuda(fake_cuda::Api()) before all else.

#include <cuda_runtime.h>

#include <functional>
#include <vector>

#include "optimized/devices/gpu/cuda_api.h"
#include "optimized/devices/gpu/fake/enqueue.h"

namespace tagflow::optimized {

// The kernels, each launched by Enqueue.
const std::vector<GpuLaunch<PairArgs>>& FakePairLaunches();
const std::vector<GpuLaunch<PairArgs>>& FakeSamePairLaunches();
const std::vector<GpuLaunch<MapArgs>>& FakeMapLaunches();
const std::vector<GpuLaunch<ReductionArgs>>& FakeReductionLaunches();
const std::vector<ArgBestLaunch>& FakeArgBestLaunches();
const std::vector<GpuLaunch<ProductArgs>>& FakeProductLaunches();
const std::vector<GpuLaunch<ScanArgs>>& FakeScanLaunches();
const std::vector<GpuLaunch<RowUpdateArgs>>& FakeRowUpdateLaunches();
const std::vector<GpuLaunch<ScatterArgs>>& FakeScatterLaunches();
const std::vector<GpuLaunch<SegmentArgs>>& FakeSegmentLaunches();
const std::vector<GpuLaunch<SoftmaxArgs>>& FakeSoftmaxLaunches();
const std::vector<CastLaunch>& FakeCastLaunches();
const std::vector<SumLaunch>& FakeSumLaunches();
const std::vector<RandomLaunch>& FakeRandomLaunches();
const std::vector<TrainingLaunch>& FakeTrainingLaunches();
const std::vector<RowTrainingLaunch>& FakeRowTrainingLaunches();
const IndexedLaunches& FakeIndexedKernels();
cudaError_t FakeLaunchCommit(const CommitArgs& args, cudaStream_t stream);
cudaError_t FakeLaunchBox(size_t element_bytes, const BoxArgs& args, cudaStream_t stream);
cudaError_t FakeLaunchSelect(size_t element_bytes, const SelectArgs& args, cudaStream_t stream);
cudaError_t FakeLaunchGather(size_t element_bytes, size_t index_bytes, const GatherArgs& args,
                             cudaStream_t stream);

}  // namespace tagflow::optimized

namespace tagflow::optimized::fake_cuda {

const CudaApi& Api();
const CudaCodeApi* Code();

// A cuBLAS that refuses what the real one would, and what it is not to be told; found, as the fake
// CUDA looks for it, from LetCublasBeFound on.
const CublasApi& Cublas();
const CublasApi* FoundCublas();
void LetCublasBeFound(bool is_found);
int CublasProducts();  // so far

// The next calls of cudaMalloc find no memory.
void LetMallocsFail(int count);
// What cudaMemGetInfo says is free; at first, 16 GiB.
void ShowFreeMemory(size_t bytes);
// How many GPUs there are: at first two, which reach each other's memory. The second takes access
// away that was enabled before.
void ShowGpus(int count);
void LetGpusReach(int one, int other, bool can);
// From GPU to GPU, so far: straight, and through the host where they do not reach each other.
struct PeerCopies {
  int straight = 0;
  int staged = 0;
};
PeerCopies CountPeerCopies();
// From now on every call says that a kernel read where it must not, as CUDA does after that.
void LoseGpu();
void FindGpuAgain();  // as only a new process does

}  // namespace tagflow::optimized::fake_cuda

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_FAKE_FAKE_CUDA_H_
