#include "optimized/devices/gpu/cuda_api.h"

#include <atomic>

#include "optimized/devices/gpu/cuda_graphs.h"

namespace tagflow::optimized {
namespace {

const CudaApi kCuda = {
    .get_device_count = cudaGetDeviceCount,
    .set_device = cudaSetDevice,
    .get_last_error = cudaGetLastError,
    .get_error_string = cudaGetErrorString,
    .malloc = [](void** pointer, size_t bytes) { return cudaMalloc(pointer, bytes); },
    .free = cudaFree,
    .host_alloc = [](void** pointer, size_t bytes,
                     unsigned flags) { return cudaHostAlloc(pointer, bytes, flags); },
    .free_host = cudaFreeHost,
    .memcpy_async = cudaMemcpyAsync,
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
    .event_synchronize = cudaEventSynchronize,
    .graphs = CudaGraphs(),
    .pair_launches = PairLaunches,
    .same_pair_launches = SamePairLaunches,
    .map_launches = MapLaunches,
    .reduction_launches = ReductionLaunches,
    .arg_best_launches = ArgBestLaunches,
    .product_launches = ProductLaunches,
    .softmax_launches = SoftmaxLaunches,
    .cublas = OpenCublas,
    .cast_launches = CastLaunches,
    .sum_launches = SumLaunches,
    .launch_box = LaunchBox,
    .launch_select = LaunchSelect,
};

std::atomic<const CudaApi*> used = &kCuda;

}  // namespace

const CudaApi& Cuda() { return *used; }
void SetCuda(const CudaApi& api) { used = &api; }

}  // namespace tagflow::optimized
