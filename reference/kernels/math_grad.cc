// The gradients of elementwise functions, as ops of their own: from the function's output y and the
// gradient dy of what follows. For complex y, those of square roots and
// reciprocals take its conjugate; those of Tanh and Sigmoid leave that to the graph.

#include <algorithm>

#include "reference/kernels/array_util.h"
#include "reference/kernels/elementwise.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

template <ContinuousElement C>
C Conjugate(C x) {
  if constexpr (ComplexElement<C>) {
    return std::conj(x);
  } else {
    return x;
  }
}

struct TanhGrad {
  template <ContinuousElement C>
  C operator()(C y, C dy) const {
    return dy * (C(1) - y * y);
  }
};
struct SigmoidGrad {
  template <ContinuousElement C>
  C operator()(C y, C dy) const {
    return dy * (y * (C(1) - y));
  }
};
// These are 0 for a gradient of 0, also where y is 0 or infinite.
struct SqrtGrad {
  template <ContinuousElement C>
  C operator()(C y, C dy) const {
    return dy == C(0) ? C(0) : C(0.5) * dy / Conjugate(y);
  }
};
struct RsqrtGrad {
  template <ContinuousElement C>
  C operator()(C y, C dy) const {
    const C square = Conjugate(y) * Conjugate(y);
    return dy == C(0) ? C(0) : C(-0.5) * dy * Conjugate(y) * square;
  }
};
struct ReciprocalGrad {
  template <ContinuousElement C>
  C operator()(C y, C dy) const {
    const C square = Conjugate(y) * Conjugate(y);
    return dy == C(0) ? C(0) : -square * dy;
  }
};

// Which dimensions of two shapes broadcasting repeats: what the gradient of a broadcasting op sums.
//   inputs: int32 or int64 vectors, shapes that broadcast
//   outputs: vectors of dimensions of the broadcast shape, ascending: those of inputs[0] that are
//   missing or 1 while the broadcast one is not, and likewise for inputs[1]. A dimension that is 1
//   in both is in both, unless the shapes are equal.
//   Errors: INVALID_ARGUMENT for shapes that do not broadcast, and for inputs that are no vectors
Status BroadcastGradientArgs(KernelContext& context) {
  std::vector<Dims> shapes;
  for (const Tensor& input : context.inputs) {
    TAGFLOW_RETURN_IF_ERROR(
        RequireDType(context.node.op, input.dtype(), {DType::kInt32, DType::kInt64}));
    if (input.rank() != 1) {
      return InvalidArgument("In[" + std::to_string(shapes.size()) + "] must be a vector, not of " +
                             "shape " + DimsString(input.dims()));
    }
    shapes.push_back(Load<int64_t>(input));
  }
  TAGFLOW_ASSIGN_OR_RETURN(const Dims out, BroadcastShape(shapes[0], shapes[1]));
  for (size_t which = 0; which < 2; ++which) {
    const Dims& shape = shapes[which];
    std::vector<int64_t> reduced;
    for (size_t i = 0; i < out.size() && shapes[0] != shapes[1]; ++i) {
      const size_t missing = out.size() - shape.size();
      if (i < missing || shape[i - missing] == 1) reduced.push_back(static_cast<int64_t>(i));
    }
    TAGFLOW_ASSIGN_OR_RETURN(
        context.outputs[which],
        Store(context.inputs[0].dtype(), Dims{static_cast<int64_t>(reduced.size())}, reduced));
  }
  return Status();
}

}  // namespace

Status RegisterMathGradKernels(KernelRegistry& registry) {
  constexpr DTypeSet kContinuous = kFloating | kComplexes;
  return RegisterAll(registry,
                     {
                         {"TanhGrad", SameShapeKernel(kContinuous, TanhGrad())},
                         {"SigmoidGrad", SameShapeKernel(kContinuous, SigmoidGrad())},
                         {"SqrtGrad", SameShapeKernel(kContinuous, SqrtGrad())},
                         {"RsqrtGrad", SameShapeKernel(kContinuous, RsqrtGrad())},
                         {"ReciprocalGrad", SameShapeKernel(kContinuous, ReciprocalGrad())},
                         {"InvGrad", SameShapeKernel(kContinuous, ReciprocalGrad())},
                         {"BroadcastGradientArgs", BroadcastGradientArgs},
                     });
}

}  // namespace tagflow::reference
