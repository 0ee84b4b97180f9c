// Kernels that are made while a program runs, as loops of the host's machine code.

#include <utility>

#include "optimized/devices/gpu/fake/fake_cuda.h"
#include "optimized/native/element_text.h"
#include "optimized/native/native_library.h"

namespace tagflow::optimized::fake_cuda {
namespace {

// Each is a GPU's, too.
Result<std::shared_ptr<const void>> Make(const ElementText& text) {
  const NativeLibrary* const library = NativeLibrary::Get();
  if (library == nullptr) return FailedPrecondition(NativeLibrary::WhyNot());
  TAGFLOW_RETURN_IF_ERROR(library->Ptx(text.ForGpu()).status());
  TAGFLOW_ASSIGN_OR_RETURN(NativeCode code, library->Compile(text.ForHost(), kElementKernel));
  const void* const address = code.address;
  return std::shared_ptr<const void>(address, [owner = std::move(code.owner)](const void*) {});
}

cudaError_t LaunchCode(const void* kernel, const std::vector<uint64_t>& params, int64_t,
                       cudaStream_t stream) {
  return Launch(stream, params, [kernel, params] {
    std::vector<const void*> places;
    for (const uint64_t& param : params) places.push_back(&param);
    reinterpret_cast<ElementFunction>(const_cast<void*>(kernel))(places.data());
  });
}

}  // namespace

const CudaCodeApi* Code() {
  static constexpr CudaCodeApi kCode = {.make = Make, .launch = LaunchCode};
  return &kCode;
}

}  // namespace tagflow::optimized::fake_cuda
