// The gradients of elementwise functions, and which dimensions the gradient of a broadcast sums.

#include <algorithm>
#include <array>

#include "optimized/formulas/gradients.h"
#include "optimized/kernels/broadcast.h"
#include "optimized/kernels/elementwise.h"
#include "optimized/kernels/families.h"
#include "optimized/kernels/registration.h"

namespace tagflow::optimized {

using namespace formulas;  // NOLINT: the table below is of nothing else
namespace {

// ---- BroadcastGradientArgs ----

// The elements of an int32 or int64 vector.
Result<Dims> ShapeIn(const Tensor& input) {
  if (input.rank() != 1) {
    return InvalidArgument("a shape must be a vector, not of shape " + DimsString(input.dims()));
  }
  if (input.dtype() == DType::kInt64) {
    return Dims(input.flat<int64_t>().begin(), input.flat<int64_t>().end());
  }
  return Dims(input.flat<int32_t>().begin(), input.flat<int32_t>().end());
}

Status WriteVector(KernelContext& context, int output, DType dtype, const Dims& values) {
  const Dims dims = {static_cast<int64_t>(values.size())};
  TAGFLOW_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(output, dtype, dims));
  if (dtype == DType::kInt64) {
    std::ranges::copy(values, out->mutable_data<int64_t>());
  } else {
    std::ranges::transform(values, out->mutable_data<int32_t>(),
                           [](int64_t value) { return static_cast<int32_t>(value); });
  }
  return Status();
}

// The dimensions of a shape of `rank` dimensions along which `shape` repeats.
Dims Repeated(const Dims& shape, size_t rank) {
  Dims repeated;
  for (size_t i = 0; i < rank; ++i) {
    const size_t missing = rank - shape.size();
    if (i < missing || shape[i - missing] == 1) repeated.push_back(static_cast<int64_t>(i));
  }
  return repeated;
}

// Which dimensions of two shapes broadcasting repeats: what the gradient of a broadcasting op sums.
//   inputs: int32 or int64 vectors, shapes that broadcast
//   outputs: vectors of dimensions of the broadcast shape, ascending: those of inputs[0] that are
//   missing or 1, and likewise for inputs[1]; none when the shapes are equal.
//   Errors: INVALID_ARGUMENT for shapes that do not broadcast, and for inputs that are no vectors
Result<BoundKernel> BindBroadcastGradientArgs(const Binding& binding) {
  const DType dtype = binding.output_dtype(0);
  TAGFLOW_RETURN_IF_ERROR(RequireDType(binding, dtype, SetOf(DType::kInt32, DType::kInt64)));
  return BoundKernel([dtype](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(const Dims x, ShapeIn(context.input(0)));
    TAGFLOW_ASSIGN_OR_RETURN(const Dims y, ShapeIn(context.input(1)));
    TAGFLOW_ASSIGN_OR_RETURN(const Dims broadcast, BroadcastShape(x, y));
    const size_t rank = x == y ? 0 : broadcast.size();
    TAGFLOW_RETURN_IF_ERROR(WriteVector(context, 0, dtype, rank == 0 ? Dims() : Repeated(x, rank)));
    return WriteVector(context, 1, dtype, rank == 0 ? Dims() : Repeated(y, rank));
  });
}

}  // namespace

Status RegisterMathGradKernels(KernelRegistry& registry) {
  constexpr PairShapes kSame = PairShapes::kSame;
  return RegisterAll(registry, {
                                   {"BroadcastGradientArgs", BindBroadcastGradientArgs},
                                   {"InvGrad", Pairs<ReciprocalGrad>(kContinuous, kSame)},
                                   {"ReciprocalGrad", Pairs<ReciprocalGrad>(kContinuous, kSame)},
                                   {"RsqrtGrad", Pairs<RsqrtGrad>(kContinuous, kSame)},
                                   {"SigmoidGrad", Pairs<SigmoidGrad>(kContinuous, kSame)},
                                   {"SqrtGrad", Pairs<SqrtGrad>(kContinuous, kSame)},
                                   {"TanhGrad", Pairs<TanhGrad>(kContinuous, kSame)},
                               });
}

}  // namespace tagflow::optimized
