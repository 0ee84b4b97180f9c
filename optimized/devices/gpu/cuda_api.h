#ifndef TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_API_H_
#define TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_API_H_

// The part of CUDA's runtime that the GPU device uses, as a table: CUDA's own, or that of a fake
// (fake/fake_cuda.h), by which all of the device but CUDA itself is tested where there is no GPU.
//
// Tested by gpu_device_test.cc.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "graph/status.h"
#include "optimized/devices/gpu/cublas.h"
#include "optimized/devices/gpu/kernels/casts.h"
#include "optimized/devices/gpu/kernels/commit.h"
#include "optimized/devices/gpu/kernels/elementwise.h"
#include "optimized/devices/gpu/kernels/indexed.h"
#include "optimized/devices/gpu/kernels/moves.h"
#include "optimized/devices/gpu/kernels/product.h"
#include "optimized/devices/gpu/kernels/random.h"
#include "optimized/devices/gpu/kernels/reduction.h"
#include "optimized/devices/gpu/kernels/row_training.h"
#include "optimized/devices/gpu/kernels/scans.h"
#include "optimized/devices/gpu/kernels/scatter.h"
#include "optimized/devices/gpu/kernels/softmax.h"
#include "optimized/devices/gpu/kernels/sums.h"
#include "optimized/devices/gpu/kernels/training.h"

namespace tagflow::optimized {

class ElementText;

// Kernels that are made while a program runs.
struct CudaCodeApi {
  //   Errors: INTERNAL for what is no kernel, RESOURCE_EXHAUSTED, FAILED_PRECONDITION (there is no
  //   libtagflow_native.so)
  Result<std::shared_ptr<const void>> (*make)(const ElementText& text);
  // params: as ElementText has them; count: its num_elements()
  cudaError_t (*launch)(const void* kernel, const std::vector<uint64_t>& params, int64_t count,
                        cudaStream_t stream);
};

// CUDA's graphs.
struct CudaGraphApi {
  cudaError_t (*create)(cudaGraph_t* graph);
  cudaError_t (*destroy)(cudaGraph_t graph);
  // What is enqueued on the stream from now on goes to the end of the graph instead.
  cudaError_t (*begin_recording)(cudaStream_t stream, cudaGraph_t graph);
  cudaError_t (*end_recording)(cudaStream_t stream);
  // The condition of a loop in the graph that the stream records, and the loop itself with an empty
  // body: WHILE as long as the condition is set.
  cudaError_t (*new_condition)(cudaStream_t recording, cudaGraphConditionalHandle* condition);
  cudaError_t (*add_while)(cudaStream_t recording, cudaGraphConditionalHandle condition,
                           cudaGraph_t* body);
  // The same of a branch: where the condition is set, and where not.
  cudaError_t (*add_if)(cudaStream_t recording, cudaGraphConditionalHandle condition,
                        cudaGraph_t bodies[2]);
  cudaError_t (*instantiate)(cudaGraphExec_t* made, cudaGraph_t graph);
  cudaError_t (*destroy_instance)(cudaGraphExec_t made);
  cudaError_t (*launch)(cudaGraphExec_t made, cudaStream_t stream);
};

struct CudaApi {
  cudaError_t (*get_device_count)(int* count);
  cudaError_t (*set_device)(int ordinal);
  cudaError_t (*get_last_error)();
  const char* (*get_error_string)(cudaError_t error);
  cudaError_t (*mem_get_info)(size_t* bytes_free, size_t* bytes_all);
  cudaError_t (*malloc)(void** pointer, size_t bytes);
  cudaError_t (*free)(void* pointer);
  cudaError_t (*host_alloc)(void** pointer, size_t bytes, unsigned flags);
  cudaError_t (*free_host)(void* pointer);
  cudaError_t (*memcpy_async)(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                              cudaStream_t stream);
  cudaError_t (*memcpy_peer_async)(void* to, int to_ordinal, const void* from, int from_ordinal,
                                   size_t bytes, cudaStream_t stream);
  cudaError_t (*can_access_peer)(int* can, int ordinal, int peer);
  cudaError_t (*enable_peer_access)(int peer, unsigned flags);
  cudaError_t (*stream_create)(cudaStream_t* stream, unsigned flags);
  cudaError_t (*stream_destroy)(cudaStream_t stream);
  cudaError_t (*stream_synchronize)(cudaStream_t stream);
  cudaError_t (*stream_query)(cudaStream_t stream);
  cudaError_t (*stream_wait_event)(cudaStream_t stream, cudaEvent_t event, unsigned flags);
  cudaError_t (*event_create)(cudaEvent_t* event, unsigned flags);
  cudaError_t (*event_destroy)(cudaEvent_t event);
  cudaError_t (*event_record)(cudaEvent_t event, cudaStream_t stream);
  cudaError_t (*event_query)(cudaEvent_t event);
  cudaError_t (*event_synchronize)(cudaEvent_t event);
  // Graphs: null where CUDA has none with loops.
  const CudaGraphApi* graphs;
  // Null where CUDA takes none.
  const CudaCodeApi* (*code)();
  // The kernels, as they are launched.
  const std::vector<GpuLaunch<PairArgs>>& (*pair_launches)();
  const std::vector<GpuLaunch<PairArgs>>& (*same_pair_launches)();
  const std::vector<GpuLaunch<MapArgs>>& (*map_launches)();
  const std::vector<GpuLaunch<ReductionArgs>>& (*reduction_launches)();
  const std::vector<ArgBestLaunch>& (*arg_best_launches)();
  const std::vector<GpuLaunch<ProductArgs>>& (*product_launches)();
  const std::vector<GpuLaunch<ScanArgs>>& (*scan_launches)();
  const std::vector<GpuLaunch<RowUpdateArgs>>& (*row_update_launches)();
  const std::vector<GpuLaunch<ScatterArgs>>& (*scatter_launches)();
  const std::vector<GpuLaunch<SegmentArgs>>& (*segment_launches)();
  const std::vector<GpuLaunch<SoftmaxArgs>>& (*softmax_launches)();
  // Null where there is none.
  const CublasApi* (*cublas)();
  const std::vector<CastLaunch>& (*cast_launches)();
  const std::vector<SumLaunch>& (*sum_launches)();
  const std::vector<RandomLaunch>& (*random_launches)();
  const std::vector<TrainingLaunch>& (*training_launches)();
  const std::vector<RowTrainingLaunch>& (*row_training_launches)();
  const IndexedLaunches& (*indexed_kernels)();
  cudaError_t (*launch_commit)(const CommitArgs& args, cudaStream_t stream);
  cudaError_t (*launch_box)(size_t element_bytes, const BoxArgs& args, cudaStream_t stream);
  cudaError_t (*launch_select)(size_t element_bytes, const SelectArgs& args, cudaStream_t stream);
  cudaError_t (*launch_gather)(size_t element_bytes, size_t index_bytes, const GatherArgs& args,
                               cudaStream_t stream);
};

// CUDA's own, unless a test has set another.
const CudaApi& Cuda();
// For tests, before the first GPU is opened. It outlives the process's last.
void SetCuda(const CudaApi& api);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_DEVICES_GPU_CUDA_API_H_
