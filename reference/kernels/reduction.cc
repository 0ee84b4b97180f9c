// Reductions over some dimensions of a tensor.
//
// Elements are taken in row-major order, one after the other: a fixed order, so that the result is
// a function of the inputs, bit for bit. Sums and products of half, bfloat16, float and complex64
// are accumulated in double and rounded once at the end; integers wrap at their own width. The mean
// of integers is their exact sum divided towards zero.

#include <algorithm>
#include <limits>

#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"
#include "reference/kernels/elementwise.h"
#include "reference/kernels/families.h"

namespace tagflow::reference {
namespace {

struct Shapes {
  Dims kept;          // the input's, with 1 for each reduced dimension
  Dims output;        // the output's
  int64_t count = 1;  // elements reduced into each of the output's
};

// Reads the dimensions to reduce.
//   axes: int32 or int64 of any shape; -rank <= axis < rank
//   Errors: INVALID_ARGUMENT for one out of range, and for one named twice
Result<std::vector<bool>> ReadAxes(const Tensor& axes, int rank) {
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (int64_t axis : Load<int64_t>(axes)) {
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension (" + std::to_string(axis) +
                             " for input with " + std::to_string(rank) + " dimension(s))");
    }
    if (axis < 0) axis += rank;
    if (reduced[axis]) {
      return InvalidArgument("Invalid reduction arguments: Axes contains duplicate dimension: " +
                             std::to_string(axis));
    }
    reduced[axis] = true;
  }
  return reduced;
}

Result<Shapes> ReducedShapes(const KernelContext& context) {
  const Tensor& input = context.inputs[0];
  const Tensor& axes = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(
      RequireDType(context.node.op, axes.dtype(), {DType::kInt32, DType::kInt64}));
  TAGFLOW_ASSIGN_OR_RETURN(const bool keep_dims, BoolAttr(context.node, "keep_dims"));
  TAGFLOW_ASSIGN_OR_RETURN(const std::vector<bool> reduced, ReadAxes(axes, input.rank()));
  Shapes shapes;
  for (int i = 0; i < input.rank(); ++i) {
    shapes.kept.push_back(reduced[i] ? 1 : input.dim(i));
    if (!reduced[i] || keep_dims) shapes.output.push_back(shapes.kept.back());
    if (reduced[i] && input.num_elements() > 0) shapes.count *= input.dim(i);
  }
  if (input.num_elements() == 0) shapes.count = 0;
  return shapes;
}

// A reduction is three formulas over the computing type C: the value of no elements, one more
// element, and the result for a count of elements.
struct Sum {
  template <NumberElement C>
  static Accumulator<C> Start(DType) {
    return 0;
  }
  template <NumberElement C>
  static Accumulator<C> Next(Accumulator<C> sum, C x) {
    return Plus(sum, static_cast<Accumulator<C>>(x));
  }
  template <NumberElement C>
  static C Finish(Accumulator<C> sum, int64_t) {
    return static_cast<C>(sum);
  }
};
struct Prod : Sum {
  template <NumberElement C>
  static Accumulator<C> Start(DType) {
    return 1;
  }
  template <NumberElement C>
  static Accumulator<C> Next(Accumulator<C> product, C x) {
    return Times(product, static_cast<Accumulator<C>>(x));
  }
};
// Of integers the sum of squares, whose root EuclideanNorm takes once it has wrapped.
struct Norm : Sum {
  template <NumberElement C>
  static Accumulator<C> Next(Accumulator<C> sum, C x) {
    if constexpr (ComplexElement<C>) {
      return sum + std::norm(static_cast<Accumulator<C>>(x));
    } else {
      return Plus(sum, Times(static_cast<Accumulator<C>>(x), static_cast<Accumulator<C>>(x)));
    }
  }
  template <NumberElement C>
  static C Finish(Accumulator<C> sum, int64_t) {
    if constexpr (IntegerElement<C>) {
      return sum;
    } else {
      return static_cast<C>(std::sqrt(sum));
    }
  }
};
struct Mean : Sum {
  template <NumberElement C>
  static C Finish(Accumulator<C> sum, int64_t count) {
    if constexpr (!FloatElement<C>) {
      if (count == 0) return 0;
    }
    if constexpr (IntegerElement<C>) {
      return sum / static_cast<C>(count);
    } else {
      return static_cast<C>(sum / static_cast<double>(count));
    }
  }
};

// The extreme of no elements is the farthest value the dtype has; of some, NaN if any is NaN.
struct Max {
  template <RealElement C>
  static C Start(DType dtype) {
    if constexpr (std::same_as<C, uint64_t>) {
      return 0;
    } else if constexpr (std::same_as<C, int64_t>) {
      return std::numeric_limits<int64_t>::min() >> (64 - 8 * DTypeSize(dtype));
    } else {
      return C(-std::numeric_limits<double>::infinity());
    }
  }
  template <RealElement C>
  static C Next(C max, C x) {
    return max != max || max > x ? max : x;
  }
  template <RealElement C>
  static C Finish(C max, int64_t) {
    return max;
  }
};
struct Min {
  template <RealElement C>
  static C Start(DType dtype) {
    if constexpr (IntegerElement<C>) {
      return std::numeric_limits<C>::max() >> (64 - 8 * DTypeSize(dtype));
    } else {
      return C(std::numeric_limits<double>::infinity());
    }
  }
  template <RealElement C>
  static C Next(C min, C x) {
    return min != min || min < x ? min : x;
  }
  template <RealElement C>
  static C Finish(C min, int64_t) {
    return min;
  }
};

// Booleans are computed as the integers 0 and 1.
struct All {
  template <std::same_as<int64_t> C>
  static C Start(DType) {
    return 1;
  }
  template <std::same_as<int64_t> C>
  static C Next(C all, C x) {
    return all & x;
  }
  template <std::same_as<int64_t> C>
  static C Finish(C all, int64_t) {
    return all;
  }
};
struct Any {
  template <std::same_as<int64_t> C>
  static C Start(DType) {
    return 0;
  }
  template <std::same_as<int64_t> C>
  static C Next(C any, C x) {
    return any | x;
  }
  template <std::same_as<int64_t> C>
  static C Finish(C any, int64_t) {
    return any;
  }
};

template <typename R, typename C>
Result<Tensor> Reduce(const Tensor& input, const Shapes& shapes) {
  const auto start = R::template Start<C>(input.dtype());
  std::vector accumulators(static_cast<size_t>(*NumElements(shapes.kept)), start);
  const std::vector<C> elements = Load<C>(input);
  const std::vector<int64_t> output_of = BroadcastIndices(shapes.kept, input.dims());
  for (size_t i = 0; i < elements.size(); ++i) {
    auto& accumulator = accumulators[output_of[i]];
    accumulator = R::template Next<C>(accumulator, elements[i]);
  }
  std::vector<C> values;
  for (const auto& sum : accumulators) values.push_back(R::template Finish<C>(sum, shapes.count));
  return Store(input.dtype(), shapes.output, values);
}

//   inputs[0]: one of `dtypes`;  inputs[1]: the dimensions, see ReadAxes
//   output: inputs[0] without them, or, with the attr keep_dims, with 1 in their place
//   Errors: UNIMPLEMENTED for another dtype, those of ReadAxes, and RESOURCE_EXHAUSTED
template <typename R>
Kernel ReductionKernel(DTypeSet dtypes) {
  return [dtypes](KernelContext& context) -> Status {
    const Tensor& input = context.inputs[0];
    TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, input.dtype(), dtypes));
    TAGFLOW_ASSIGN_OR_RETURN(const Shapes shapes, ReducedShapes(context));
    TAGFLOW_RETURN_IF_ERROR(RequireRoom(shapes.kept));
    return WithComputingType(input.dtype(), [&](auto computing) -> Status {
      using C = typename decltype(computing)::Type;
      if constexpr (requires { R::template Start<C>(DType::kInvalid); }) {
        TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (Reduce<R, C>(input, shapes)));
        return Status();
      } else {
        return RequireDType(context.node.op, input.dtype(), {});
      }
    });
  };
}

// The root of an integer, rounded down; 0 of what has wrapped below 0.
struct IntegerRoot {
  template <IntegerElement C>
  C operator()(C x) const {
    return x > 0 ? static_cast<C>(std::sqrt(static_cast<double>(x))) : C(0);
  }
};
Status EuclideanNorm(KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(ReductionKernel<Norm>(kNumbers)(context));
  if (!kIntegers.contains(context.outputs[0].dtype())) return Status();
  context.inputs[0] = std::move(context.outputs[0]);
  return UnaryKernel(kIntegers, IntegerRoot())(context);
}

}  // namespace

Status RegisterReductionKernels(KernelRegistry& registry) {
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Sum", ReductionKernel<Sum>(kNumbers)));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("EuclideanNorm", EuclideanNorm));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Prod", ReductionKernel<Prod>(kNumbers)));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Mean", ReductionKernel<Mean>(kNumbers)));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Max", ReductionKernel<Max>(kReals)));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("Min", ReductionKernel<Min>(kReals)));
  TAGFLOW_RETURN_IF_ERROR(registry.Register("All", ReductionKernel<All>({DType::kBool})));
  return registry.Register("Any", ReductionKernel<Any>({DType::kBool}));
}

}  // namespace tagflow::reference
