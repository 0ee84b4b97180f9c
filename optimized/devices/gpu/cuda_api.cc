#include "optimized/devices/gpu/cuda_api.h"

#include <algorithm>
#include <atomic>

#include "optimized/devices/gpu/cuda_code.h"

namespace tagflow::optimized {
namespace {

// ---- Graphs: of loops and branches, as CUDA has them from version 13 on ----

#if CUDART_VERSION >= 13000
// Where the recording of a stream is.
struct Place {
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* last = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  size_t count = 0;
};

cudaError_t Find(cudaStream_t recording, Place& place) {
  cudaStreamCaptureStatus status;
  const cudaError_t error = cudaStreamGetCaptureInfo(recording, &status, nullptr, &place.graph,
                                                     &place.last, &place.edges, &place.count);
  if (error != cudaSuccess) return error;
  return status == cudaStreamCaptureStatusActive ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
}

cudaError_t NewCondition(cudaStream_t recording, cudaGraphConditionalHandle* condition) {
  Place place;
  const cudaError_t error = Find(recording, place);
  if (error != cudaSuccess) return error;
  return cudaGraphConditionalHandleCreate(condition, place.graph, 0, 0);
}

cudaError_t Add(cudaStream_t recording, cudaGraphConditionalHandle condition,
                cudaGraphConditionalNodeType type, unsigned count, cudaGraph_t* bodies) {
  Place place;
  cudaError_t error = Find(recording, place);
  if (error != cudaSuccess) return error;
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = condition;
  params.conditional.type = type;
  params.conditional.size = count;
  cudaGraphNode_t node = nullptr;
  error = cudaGraphAddNode(&node, place.graph, place.last, place.edges, place.count, &params);
  if (error != cudaSuccess) return error;
  std::copy_n(params.conditional.phGraph_out, count, bodies);
  return cudaStreamUpdateCaptureDependencies(recording, &node, nullptr, 1,
                                             cudaStreamSetCaptureDependencies);
}

cudaError_t AddWhile(cudaStream_t recording, cudaGraphConditionalHandle condition,
                     cudaGraph_t* body) {
  return Add(recording, condition, cudaGraphCondTypeWhile, 1, body);
}
cudaError_t AddIf(cudaStream_t recording, cudaGraphConditionalHandle condition,
                  cudaGraph_t bodies[2]) {
  return Add(recording, condition, cudaGraphCondTypeIf, 2, bodies);
}

constexpr CudaGraphApi kGraphs = {
    .create = [](cudaGraph_t* graph) { return cudaGraphCreate(graph, 0); },
    .destroy = cudaGraphDestroy,
    // Other threads go on allocating meanwhile, and this one may.
    .begin_recording =
        [](cudaStream_t stream, cudaGraph_t graph) {
          return cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                               cudaStreamCaptureModeRelaxed);
        },
    .end_recording =
        [](cudaStream_t stream) {
          cudaGraph_t graph = nullptr;
          return cudaStreamEndCapture(stream, &graph);
        },
    .new_condition = NewCondition,
    .add_while = AddWhile,
    .add_if = AddIf,
    .instantiate = [](cudaGraphExec_t* made,
                      cudaGraph_t graph) { return cudaGraphInstantiate(made, graph, 0); },
    .destroy_instance = cudaGraphExecDestroy,
    .launch = cudaGraphLaunch,
};

constexpr const CudaGraphApi* kGraphsOfCuda = &kGraphs;
#else
constexpr const CudaGraphApi* kGraphsOfCuda = nullptr;
#endif

const CudaApi kCuda = {
    .get_device_count = cudaGetDeviceCount,
    .set_device = cudaSetDevice,
    .get_last_error = cudaGetLastError,
    .get_error_string = cudaGetErrorString,
    .mem_get_info = cudaMemGetInfo,
    .malloc = [](void** pointer, size_t bytes) { return cudaMalloc(pointer, bytes); },
    .free = cudaFree,
    .host_alloc = [](void** pointer, size_t bytes,
                     unsigned flags) { return cudaHostAlloc(pointer, bytes, flags); },
    .free_host = cudaFreeHost,
    .memcpy_async = cudaMemcpyAsync,
    .memcpy_peer_async = cudaMemcpyPeerAsync,
    .can_access_peer = cudaDeviceCanAccessPeer,
    .enable_peer_access = cudaDeviceEnablePeerAccess,
    .stream_create = cudaStreamCreateWithFlags,
    .stream_destroy = cudaStreamDestroy,
    .stream_synchronize = cudaStreamSynchronize,
    .stream_query = cudaStreamQuery,
    .stream_wait_event = cudaStreamWaitEvent,
    .event_create = [](cudaEvent_t* event,
                       unsigned flags) { return cudaEventCreateWithFlags(event, flags); },
    .event_destroy = cudaEventDestroy,
    .event_record = [](cudaEvent_t event,
                       cudaStream_t stream) { return cudaEventRecord(event, stream); },
    .event_query = cudaEventQuery,
    .event_synchronize = cudaEventSynchronize,
    .graphs = kGraphsOfCuda,
    .code = CodeOfCuda,
    .pair_launches = PairLaunches,
    .same_pair_launches = SamePairLaunches,
    .map_launches = MapLaunches,
    .reduction_launches = ReductionLaunches,
    .arg_best_launches = ArgBestLaunches,
    .product_launches = ProductLaunches,
    .scan_launches = ScanLaunches,
    .row_update_launches = RowUpdateLaunches,
    .scatter_launches = ScatterLaunches,
    .segment_launches = SegmentLaunches,
    .softmax_launches = SoftmaxLaunches,
    .cublas = OpenCublas,
    .cast_launches = CastLaunches,
    .sum_launches = SumLaunches,
    .random_launches = RandomLaunches,
    .training_launches = TrainingLaunches,
    .row_training_launches = RowTrainingLaunches,
    .indexed_kernels = IndexedKernels,
    .launch_commit = LaunchCommit,
    .launch_box = LaunchBox,
    .launch_select = LaunchSelect,
    .launch_gather = LaunchGather,
};

std::atomic<const CudaApi*> used = &kCuda;

}  // namespace

const CudaApi& Cuda() { return *used; }
void SetCuda(const CudaApi& api) { used = &api; }

}  // namespace tagflow::optimized
