#include "optimized/devices/gpu/gpu_element_kernel.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "optimized/devices/gpu/cuda_api.h"
#include "optimized/devices/gpu/cuda_memory.h"
#include "optimized/devices/gpu/cuda_status.h"
#include "optimized/devices/gpu/cuda_stream.h"
#include "optimized/native/element_text.h"

namespace tagflow::optimized {
namespace {

constexpr size_t kParamsMax = 512;  // 4 KiB, which kernels of all GPUs take

class GpuElementKernel : public ElementKernel {
 public:
  GpuElementKernel(std::shared_ptr<const void> code, int64_t count)
      : code_(std::move(code)), count_(count) {}

  Status Enqueue(DeviceStream& stream, std::span<const Tensor> inputs,
                 std::span<const Tensor> outputs) const override {
    std::vector<uint64_t> params;
    for (const Tensor& input : inputs) params.push_back(ParamOf(input));
    for (const Tensor& output : outputs) params.push_back(AddressOf(output));
    auto& cuda = static_cast<CudaStream&>(stream);
    cuda.Select();
    return CudaStatus(Cuda().code()->launch(code_.get(), params, count_, cuda.handle()),
                      "launching a kernel of several nodes");
  }

 private:
  static uint64_t AddressOf(const Tensor& tensor) {
    return reinterpret_cast<uint64_t>(CudaMemory::Address(tensor));
  }
  static uint64_t ParamOf(const Tensor& input) {
    if (!input.is_inline()) return AddressOf(input);
    uint64_t value = 0;
    std::memcpy(&value, input.raw_data(), DTypeSize(input.dtype()));
    return value;
  }

  const std::shared_ptr<const void> code_;
  const int64_t count_;
};

}  // namespace

Result<std::shared_ptr<const ElementKernel>> NewGpuElementKernel(const ElementProgram& program,
                                                                 const std::vector<int>& outputs) {
  if (program.inputs.size() + outputs.size() > kParamsMax) {
    return Unimplemented("a kernel takes no more than " + std::to_string(kParamsMax) + " tensors");
  }
  if (Cuda().code() == nullptr) return Unimplemented("this CUDA takes no kernels at run time");
  const std::optional<std::vector<TensorType>> types = TypesOfValues(program);
  if (!types) return InvalidArgument("the shapes do not fit");
  const ElementText text(program, *types, outputs);
  TAGFLOW_ASSIGN_OR_RETURN(std::shared_ptr<const void> code, Cuda().code()->make(text));
  return std::shared_ptr<const ElementKernel>(
      std::make_shared<GpuElementKernel>(std::move(code), text.num_elements()));
}

}  // namespace tagflow::optimized
