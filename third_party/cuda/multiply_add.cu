#include "third_party/cuda/multiply_add.h"

#include <cuda_runtime.h>

namespace tagflow {
namespace {

__global__ void MultiplyAdd(float a, float b, float c, float* result) { *result = a * b + c; }

cudaError_t Run(float a, float b, float c, float* device_result, float* result) {
  MultiplyAdd<<<1, 1>>>(a, b, c, device_result);
  const cudaError_t launched = cudaGetLastError();
  if (launched != cudaSuccess) return launched;
  return cudaMemcpy(result, device_result, sizeof(float), cudaMemcpyDeviceToHost);
}

}  // namespace

CudaMachine DescribeCudaMachine() {
  CudaMachine machine;
  machine.has_toolkit = true;
  machine.header_version = CUDART_VERSION;
  cudaRuntimeGetVersion(&machine.runtime_version);
  if (cudaGetDeviceCount(&machine.device_count) != cudaSuccess) machine.device_count = 0;
  return machine;
}

DeviceFloat MultiplyAddOnDevice(float a, float b, float c) {
  DeviceFloat answer;
  float* device_result = nullptr;
  cudaError_t status = cudaMalloc(&device_result, sizeof(float));
  if (status == cudaSuccess) {
    status = Run(a, b, c, device_result, &answer.value);
    cudaFree(device_result);
  }
  if (status != cudaSuccess) answer.error = cudaGetErrorString(status);
  return answer;
}

}  // namespace tagflow
