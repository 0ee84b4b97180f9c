#include "optimized/devices/gpu/cuda_code.h"

#include <string>

#include "optimized/devices/gpu/cuda_status.h"
#include "optimized/native/element_text.h"
#include "optimized/native/native_library.h"

namespace tagflow::optimized {
namespace {

#if CUDART_VERSION >= 13000
// Returns the error that a call of CUDA gave, and makes CUDA forget it: each launch of our kernels
// asks for the last error (each_index.h), and would tell it as its own.
cudaError_t Told(cudaError_t error) {
  if (error != cudaSuccess) (void)cudaGetLastError();
  return error;
}

Result<std::shared_ptr<const void>> Make(const ElementText& text) {
  const NativeLibrary* const library = NativeLibrary::Get();
  if (library == nullptr) return FailedPrecondition(NativeLibrary::WhyNot());
  TAGFLOW_ASSIGN_OR_RETURN(const std::string ptx, library->Ptx(text.ForGpu()));
  cudaLibrary_t loaded = nullptr;
  TAGFLOW_RETURN_IF_ERROR(CudaStatus(
      Told(cudaLibraryLoadData(&loaded, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0)),
      "loading a kernel of several nodes"));
  cudaKernel_t kernel = nullptr;
  const Status found = CudaStatus(Told(cudaLibraryGetKernel(&kernel, loaded, kElementKernel)),
                                  "loading a kernel of several nodes");
  if (!found.ok()) {
    (void)cudaLibraryUnload(loaded);
    return found;
  }
  return std::shared_ptr<const void>(kernel,
                                     [loaded](const void*) { (void)cudaLibraryUnload(loaded); });
}

cudaError_t Launch(const void* kernel, const std::vector<uint64_t>& params, int64_t count,
                   cudaStream_t stream) {
  constexpr int64_t kThreads = 256;
  std::vector<void*> places;
  for (const uint64_t& param : params) places.push_back(const_cast<uint64_t*>(&param));
  const auto blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
  return Told(cudaLaunchKernel(kernel, dim3(blocks), dim3(kThreads), places.data(), 0, stream));
}

constexpr CudaCodeApi kCode = {.make = Make, .launch = Launch};
constexpr const CudaCodeApi* kCodeOfCuda = &kCode;
#else
constexpr const CudaCodeApi* kCodeOfCuda = nullptr;
#endif

}  // namespace

const CudaCodeApi* CodeOfCuda() { return kCodeOfCuda; }

}  // namespace tagflow::optimized
