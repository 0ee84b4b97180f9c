// Arrays, stacks and the rows of lists. What they hold stays where it is; the GPU computes where
// rows are joined, and where a gradient array adds up.
//
// Tested by conformance/ops/tensor_array.ops and list.ops, over a fake of CUDA.

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "optimized/devices/gpu/kernels/casting.h"
#include "optimized/devices/gpu/kernels/families.h"
#include "optimized/devices/gpu/kernels/launching.h"
#include "optimized/devices/gpu/kernels/move_plans.h"
#include "optimized/devices/gpu/kernels/moved_dtypes.h"
#include "optimized/devices/gpu/kernels/short_floats.h"
#include "optimized/kernels/row_joins.h"
#include "optimized/kernels/tensor_array_access.h"

namespace tagflow::optimized {
namespace {

// An element where the GPU reads it: what the host has is brought, and what another GPU has, which
// an array does not tell beforehand, by way of the host, which waits.
//   Errors: FAILED_PRECONDITION while a program is recorded; RESOURCE_EXHAUSTED; of the other GPU
Result<Tensor> BroughtHere(const Tensor& value, DeviceStream& stream) {
  if (value.is_inline() || stream.memory().Holds(value)) return value;
  if (stream.records()) return FailedPrecondition("a tensor is made of what is not on the GPU");
  TAGFLOW_ASSIGN_OR_RETURN(Tensor on_host, value.OnHost());
  if (on_host.is_inline()) return on_host;
  TAGFLOW_ASSIGN_OR_RETURN(
      Tensor there, Tensor::AllocateUninitialized(value.dtype(), value.dims(), stream.memory()));
  stream.CopyIn(std::move(on_host), there);
  return there;
}

// ---- Rows to one tensor ----

Status Clear(const Tensor& tensor, KernelContext& context) {
  BoxMove zeros;
  zeros.input = BoxMove::kConstant;
  zeros.dims.push_back(tensor.num_elements());
  zeros.from_steps.push_back(0);
  zeros.to_steps.push_back(1);
  BoxArgs args = {};
  TAGFLOW_ASSIGN_OR_RETURN(args.walk, zeros.walk());
  args.to = CudaMemory::Address(tensor);
  return LaunchOn(context, Cuda().launch_box, DTypeSize(tensor.dtype()), args);
}

// The copy of a piece. What the host has comes before it.
Result<CommitArgs::Copy> CopyOf(const JoinedPiece& piece, const Tensor& whole,
                                KernelContext& context) {
  const size_t element_bytes = DTypeSize(whole.dtype());
  CommitArgs::Copy copy = {};
  copy.to = static_cast<char*>(CudaMemory::Address(whole)) +
            static_cast<size_t>(piece.first) * element_bytes;
  copy.bytes = static_cast<int64_t>(piece.value.byte_size());
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor there, BroughtHere(piece.value, *context.stream()));
  if (there.is_inline()) {
    std::memcpy(copy.scalar, there.raw_data(), element_bytes);
  } else {
    copy.from = CudaMemory::Address(there);
  }
  return copy;
}

Status JoinOnGpu(KernelContext& context, DType dtype, DimsView dims,
                 const std::vector<JoinedPiece>& pieces) {
  const bool is_on_host = std::ranges::none_of(pieces, [](const JoinedPiece& piece) {
    return piece.value.memory_kind() == MemoryKind::kDevice;
  });
  if (is_on_host) return JoinOnHost(context, dtype, dims, pieces);
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor* const whole, NewOutput(context, 0, dtype, dims));
  if (LeaveGaps(dims, pieces)) TAGFLOW_RETURN_IF_ERROR(Clear(*whole, context));
  CommitArgs args;
  for (size_t i = 0; i < pieces.size(); ++i) {
    TAGFLOW_ASSIGN_OR_RETURN(args.copies[args.count++], CopyOf(pieces[i], *whole, context));
    const bool is_last = i + 1 == pieces.size();
    if (!is_last && args.count < CommitArgs::kCopiesMax) continue;
    TAGFLOW_RETURN_IF_ERROR(LaunchOn(context, Cuda().launch_commit, args));
    args.count = 0;
  }
  return Status();
}

// ---- Gradient arrays ----

Result<Tensor> Sum(const Tensor& sum, const Tensor& term, KernelContext& context);

// In float, rounded.
Result<Tensor> ShortSum(const Tensor& sum, const Tensor& term, KernelContext& context) {
  std::vector<Tensor> in_float;
  for (const Tensor* input : {&sum, &term}) {
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor there, BroughtHere(*input, *context.stream()));
    TAGFLOW_ASSIGN_OR_RETURN(Tensor widened, CastWhereItIs(context, there, DType::kFloat));
    in_float.push_back(std::move(widened));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Tensor total, Sum(in_float[0], in_float[1], context));
  return CastWhereItIs(context, total, sum.dtype());
}

Result<Tensor> Sum(const Tensor& sum, const Tensor& term, KernelContext& context) {
  if (IsShortFloat(sum.dtype())) return ShortSum(sum, term, context);
  const auto& launches = Cuda().sum_launches();
  const auto add = std::ranges::find(launches, sum.dtype(), &SumLaunch::dtype);
  if (add == launches.end()) {
    return Unimplemented("a GPU does not add elements of dtype " + DTypeName(sum.dtype()));
  }
  DeviceStream& stream = *context.stream();
  TAGFLOW_ASSIGN_OR_RETURN(Tensor out,
                           Tensor::AllocateUninitialized(sum.dtype(), sum.dims(), stream.memory()));
  if (out.num_elements() == 0) return out;
  SumArgs args = {};
  for (const Tensor* input : {&sum, &term}) {
    const int i = args.num_inputs++;
    TAGFLOW_ASSIGN_OR_RETURN(const Tensor there, BroughtHere(*input, stream));
    args.inputs[i] = PlaceOf(there, args.scalars[i]);
  }
  args.out = CudaMemory::Address(out);
  args.count = out.num_elements();
  TAGFLOW_RETURN_IF_ERROR(LaunchOn(context, add->launch, args));
  return out;
}

// As the host's (kernels/tensor_array_ops.cc).   handle, index, value, flow_in
Status Write(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(TensorArray * array, ArrayOf(context));
  TAGFLOW_ASSIGN_OR_RETURN(const int64_t index, ScalarInt(context.input(1), "index"));
  const auto add = [&context](const Tensor& sum, const Tensor& term) {
    return Sum(sum, term, context);
  };
  TAGFLOW_RETURN_IF_ERROR(array->Write(index, context.Take(2), add));
  context.output(0) = context.Take(3);
  return Status();
}
Result<BoundKernel> BindWrite(const Binding&) {
  return BoundKernel([](KernelContext& context) { return Write(context); });
}

// ---- Registering ----

// A gradient array may have to add, and all ops of an array are on one device.
constexpr DType kArrayDTypes[] = {DType::kBool,     DType::kInt32, DType::kInt64, DType::kHalf,
                                  DType::kBFloat16, DType::kFloat, DType::kDouble};

struct HandingOp {
  std::string op;
  std::vector<std::string> host_inputs;
};

// The host's kernel, which looks at no element, and hands on the flow of an array wherever it is.
//   dtypes: of what is handed on; none where the op does not say
void RegisterHanding(const std::vector<HandingOp>& ops, std::span<const DType> dtypes,
                     KernelRegistry& registry) {
  for (const auto& [op, host_inputs] : ops) {
    const KernelEntry entry = {.bind = HostKernel(op).bind, .host_inputs = host_inputs};
    if (dtypes.empty()) RegisterForGpu(op, DType::kInvalid, entry, registry);
    for (const DType dtype : dtypes) RegisterForGpu(op, dtype, entry, registry);
  }
}

}  // namespace

void RegisterGpuArrayKernels(KernelRegistry& registry) {
  RegisterHanding({{"StackCloseV2", {}},
                   {"TensorArrayCloseV3", {}},
                   {"TensorArrayGradV3", {}},
                   {"TensorArrayGradWithShape", {"shape_to_prepend"}},
                   {"TensorArraySizeV3", {}}},
                  {}, registry);
  RegisterHanding({{"StackPopV2", {}},
                   {"StackPushV2", {}},
                   {"StackV2", {"max_size"}},
                   {"TensorArrayReadV3", {"index"}},
                   {"TensorArrayScatterV3", {"indices"}},
                   {"TensorArraySplitV3", {"lengths"}},
                   {"TensorArrayV3", {"size"}}},
                  kArrayDTypes, registry);
  RegisterHanding({{"TensorListFromTensor", {"element_shape"}},
                   {"TensorListScatter", {"indices", "element_shape"}},
                   {"TensorListScatterIntoExistingList", {"indices"}},
                   {"TensorListScatterV2", {"indices", "element_shape", "num_elements"}},
                   {"TensorListSplit", {"element_shape", "lengths"}}},
                  kMovedDTypes, registry);
  for (const DType dtype : kArrayDTypes) {
    const KernelEntry write = {.bind = BindWrite, .host_inputs = {"index"}};
    RegisterForGpu("TensorArrayWriteV3", dtype, write, registry);
  }
  const Binder bind = [](const Binding& binding) { return BindRowJoin(binding, JoinOnGpu); };
  const KernelEntry join = {.bind = bind,
                            .host_inputs = {"element_shape", "indices", "leading_dims"}};
  for (const std::string& op : RowJoinOps()) {
    const bool is_of_list = op.starts_with("TensorList");
    if (!is_of_list && !op.ends_with("V3")) continue;  // of handles that are strings
    const std::span<const DType> dtypes =
        is_of_list ? std::span<const DType>(kMovedDTypes) : std::span<const DType>(kArrayDTypes);
    for (const DType dtype : dtypes) RegisterForGpu(op, dtype, join, registry);
  }
}

}  // namespace tagflow::optimized
