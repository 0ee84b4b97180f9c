#include "optimized/devices/gpu/cuda_status.h"

#include <string>

#include "optimized/devices/gpu/cuda_api.h"

namespace tagflow::optimized {

bool LosesGpu(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorContained:
    case cudaErrorMpsConnectionFailed:
    case cudaErrorDevicesUnavailable:
      return true;
    default:
      return false;
  }
}

Status CudaStatus(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return Status();
  const std::string said = std::string(what) + ": " + Cuda().get_error_string(error);
  switch (error) {
    case cudaErrorMemoryAllocation:
      return ResourceExhausted(said);
    case cudaErrorNoDevice:
      return FailedPrecondition(said + ": this machine has no NVIDIA GPU that CUDA can use");
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
      return FailedPrecondition(said + ": there is no NVIDIA driver, or one older than the CUDA " +
                                std::to_string(CUDART_VERSION / 1000) + "." +
                                std::to_string(CUDART_VERSION % 1000 / 10) +
                                " that this was built with");
    default:
      if (!LosesGpu(error)) return Internal(said);
      return Status(Code::kUnavailable, said + ": this process has lost its GPU: start it anew");
  }
}

}  // namespace tagflow::optimized
