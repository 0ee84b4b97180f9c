// Comparisons of two numbers, with broadcasting. NaN is unequal to all and neither less nor
// greater.

#include "reference/kernels/array_util.h"
#include "reference/kernels/elementwise.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

struct Equal {
  template <typename C>
  bool operator()(const C& x, const C& y) const {
    return x == y;
  }
};
struct NotEqual {
  template <typename C>
  bool operator()(const C& x, const C& y) const {
    return !(x == y);
  }
};
struct Less {
  template <RealElement C>
  bool operator()(C x, C y) const {
    return x < y;
  }
};
struct LessEqual {
  template <RealElement C>
  bool operator()(C x, C y) const {
    return x <= y;
  }
};

// y < x as x > y: the formula with its arguments exchanged.
template <typename F>
struct Exchanged {
  template <RealElement C>
  bool operator()(C x, C y) const {
    return F()(y, x);
  }
};

// Equal and NotEqual. Shapes that do not broadcast are an error, or, with the attr
// incompatible_shape_error false, unequal as a whole: one bool.
template <typename F>
Kernel EqualityKernel(F formula) {
  constexpr DTypeSet kAny = kNumbers | DTypeSet{DType::kBool, DType::kString};
  return [broadcast = BroadcastKernel(kAny, formula)](KernelContext& context) -> Status {
    const Tensor& x = context.inputs[0];
    const Tensor& y = context.inputs[1];
    TAGFLOW_ASSIGN_OR_RETURN(const bool is_error,
                             BoolAttr(context.node, "incompatible_shape_error"));
    if (is_error || BroadcastShape(x.dims(), y.dims()).ok()) return broadcast(context);
    TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, x.dtype(), y.dtype()));
    context.outputs[0] = Tensor::Scalar(std::same_as<F, NotEqual>);
    return Status();
  };
}

// |x - y| <= tolerance, for inputs of one shape.
Status ApproximateEqual(KernelContext& context) {
  TAGFLOW_ASSIGN_OR_RETURN(const float tolerance, FloatAttr(context.node, "tolerance"));
  auto is_near = [tolerance]<std::floating_point C>(C x, C y) -> bool {
    return std::abs(x - y) <= static_cast<C>(tolerance);
  };
  return SameShapeKernel({DType::kFloat, DType::kDouble}, is_near)(context);
}

}  // namespace

Status RegisterCompareKernels(KernelRegistry& registry) {
  return RegisterAll(registry,
                     {
                         {"Equal", EqualityKernel(Equal())},
                         {"NotEqual", EqualityKernel(NotEqual())},
                         {"Less", BroadcastKernel(kReals, Less())},
                         {"LessEqual", BroadcastKernel(kReals, LessEqual())},
                         {"Greater", BroadcastKernel(kReals, Exchanged<Less>())},
                         {"GreaterEqual", BroadcastKernel(kReals, Exchanged<LessEqual>())},
                         {"ApproximateEqual", ApproximateEqual},
                     });
}

}  // namespace tagflow::reference
