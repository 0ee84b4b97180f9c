#include "optimized/devices/gpu/kernels/gpu_kernels.h"

#include <cstring>
#include <string>
#include <utility>

#include "optimized/devices/gpu/cuda_api.h"
#include "optimized/devices/gpu/cuda_memory.h"
#include "optimized/devices/gpu/cuda_status.h"
#include "optimized/devices/gpu/cuda_stream.h"
#include "optimized/devices/gpu/kernels/gpu_families.h"
#include "optimized/kernels/broadcast.h"

namespace tagflow::optimized {
namespace {

constexpr const char* kKind = "GPU";

CudaStream& StreamOf(const KernelContext& context) {
  return static_cast<CudaStream&>(*context.stream());
}

// Output 0, in the stream's memory; a scalar too, which a tensor would have in itself.
Result<Tensor*> NewOutput(KernelContext& context, DType dtype, DimsView dims) {
  const Dims one = {1};
  TAGFLOW_ASSIGN_OR_RETURN(Tensor made,
                           Tensor::AllocateUninitialized(dtype, dims.empty() ? DimsView(one) : dims,
                                                         context.stream()->memory()));
  context.output(0) = dims.empty() ? made.Reshaped({}) : std::move(made);
  return &context.output(0);
}

// Where the kernel finds an input: in the GPU's memory, or, of a scalar, in `scalar`.
const void* Place(const Tensor& input, char* scalar) {
  if (!input.is_inline()) return CudaMemory::Address(input);
  std::memcpy(scalar, input.raw_data(), DTypeSize(input.dtype()));
  return nullptr;
}

Status RunPair(cudaError_t (*launch)(const PairArgs&, cudaStream_t), DType dtype,
               KernelContext& context) {
  const Tensor& x = context.input(0);
  const Tensor& y = context.input(1);
  TAGFLOW_ASSIGN_OR_RETURN(const Dims dims, BroadcastShape(x.dims(), y.dims()));
  PairArgs args = {};
  TAGFLOW_ASSIGN_OR_RETURN(args.places, PlacesOf(x.dims(), y.dims(), dims));
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, dtype, dims));
  args.count = out->num_elements();
  if (args.count == 0) return Status();
  args.x = Place(x, args.x_scalar);
  args.y = Place(y, args.y_scalar);
  args.out = CudaMemory::Address(*out);
  CudaStream& stream = StreamOf(context);
  stream.Select();
  return CudaStatus(launch(args, stream.handle()), "launching a kernel");
}

Status RunMap(cudaError_t (*launch)(const MapArgs&, cudaStream_t), DType dtype,
              KernelContext& context) {
  const Tensor& x = context.input(0);
  TAGFLOW_ASSIGN_OR_RETURN(Tensor* const out, NewOutput(context, dtype, x.dims()));
  if (out->num_elements() == 0) return Status();
  CudaStream& stream = StreamOf(context);
  stream.Select();
  const MapArgs args = {CudaMemory::Address(x), CudaMemory::Address(*out), out->num_elements()};
  return CudaStatus(launch(args, stream.handle()), "launching a kernel");
}

bool AllAreScalars(const KernelContext& context) {
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (!context.input(i).is_inline()) return false;
  }
  return true;
}

// Scalars are on the host, and stay there: so a loop counts without its GPU.
template <typename Launch, typename Run>
Binder BinderOf(Launch launch, Run run, const Binder& bind_on_host) {
  return [=](const Binding& binding) -> Result<BoundKernel> {
    TAGFLOW_ASSIGN_OR_RETURN(BoundKernel on_host, bind_on_host(binding));
    const DType dtype = binding.output_dtype(0);
    return BoundKernel([=](KernelContext& context) -> Status {
      return AllAreScalars(context) ? on_host(context) : run(launch, dtype, context);
    });
  };
}

// The host's kernel, which computes what is of scalars alone.
const KernelEntry& OnHost(const std::string& op) {
  const KernelEntry* const entry = KernelRegistry::Standard().Find(op);
  TAGFLOW_CHECK(entry != nullptr);
  return *entry;
}

void Register(const std::string& op, DType dtype, KernelEntry entry, KernelRegistry& registry) {
  TAGFLOW_CHECK(registry.RegisterFor({op, kKind, dtype}, std::move(entry)).ok());
}

template <typename Launches, typename Run>
void RegisterEach(const Launches& launches, Run run, KernelRegistry& registry) {
  for (const auto& [op, dtype, launch] : launches) {
    Register(op, dtype, {.bind = BinderOf(launch, run, OnHost(op).bind)}, registry);
  }
}

// The host's kernels that look at no element but those of their host inputs: they hand the memory
// on, or tell of a shape.
void RegisterHandedOn(KernelRegistry& registry) {
  Register("Reshape", DType::kInvalid, {.bind = OnHost("Reshape").bind, .host_inputs = {"shape"}},
           registry);
  Register("ExpandDims", DType::kInvalid,
           {.bind = OnHost("ExpandDims").bind, .host_inputs = {"dim"}}, registry);
  for (const char* op : {"Squeeze", "Shape", "Size", "Rank"}) {
    Register(op, DType::kInvalid, {.bind = OnHost(op).bind}, registry);
  }
}

}  // namespace

const KernelRegistry& GpuKernels() {
  static const KernelRegistry& kernels = *[] {
    auto* const made = new KernelRegistry;
    RegisterEach(Cuda().pair_launches(), RunPair, *made);
    RegisterEach(Cuda().map_launches(), RunMap, *made);
    RegisterHandedOn(*made);
    RegisterGpuReductions(*made);
    RegisterGpuProducts(*made);
    RegisterGpuSoftmax(*made);
    return made;
  }();
  return kernels;
}

}  // namespace tagflow::optimized
