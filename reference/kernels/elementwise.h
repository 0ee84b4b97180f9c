#ifndef TAGFLOW_REFERENCE_KERNELS_ELEMENTWISE_H_
#define TAGFLOW_REFERENCE_KERNELS_ELEMENTWISE_H_

// Kernels made from a formula for one element. A formula is a struct with a generic operator() over
// the computing types of element.h, constrained to those it is meant for:
//
//   struct Add {
//     template <NumberElement C>
//     C operator()(C x, C y) const { return Plus(x, y); }
//   };
//
// It returns its own type, for an output of the inputs' dtype, or bool, for an output of dtype
// bool. A formula that refuses some elements (division by zero) has also
//
//     template <…> static const char* Refuses(C x, C y);   // null, or the message
//
// and the kernel then fails with INVALID_ARGUMENT before it computes.

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "reference/kernel.h"
#include "reference/kernels/broadcast.h"
#include "reference/kernels/dtype_set.h"
#include "reference/kernels/element.h"

namespace tagflow::reference {

// Stores what a formula gave for each element: as bool, or as the inputs' dtype.
template <typename Out>
Result<Tensor> StoreResult(DType input_dtype, DimsView dims, const std::vector<Out>& values) {
  return Store(input_dtype, dims, values);
}
template <>
inline Result<Tensor> StoreResult<bool>(DType, DimsView dims, const std::vector<bool>& values) {
  return Store(DType::kBool, dims, std::vector<int64_t>(values.begin(), values.end()));
}

template <typename F, typename C>
Result<Tensor> Map(const Tensor& x, F formula) {
  using Out = decltype(formula(std::declval<C>()));
  std::vector<Out> values;
  values.reserve(static_cast<size_t>(x.num_elements()));
  for (const C& element : Load<C>(x)) values.push_back(formula(element));
  return StoreResult(x.dtype(), x.dims(), values);
}

// x_of[i] and y_of[i] say which elements make element i of the output.
template <typename F, typename C>
Result<Tensor> Zip(const Tensor& x, const std::vector<int64_t>& x_of, const Tensor& y,
                   const std::vector<int64_t>& y_of, DimsView dims, F formula) {
  using Out = decltype(formula(std::declval<C>(), std::declval<C>()));
  const std::vector<C> xs = Load<C>(x);
  const std::vector<C> ys = Load<C>(y);
  if constexpr (requires(C c) { F::Refuses(c, c); }) {
    for (size_t i = 0; i < x_of.size(); ++i) {
      const char* why = F::Refuses(xs[x_of[i]], ys[y_of[i]]);
      if (why != nullptr) return InvalidArgument(why);
    }
  }
  std::vector<Out> values;
  values.reserve(x_of.size());
  for (size_t i = 0; i < x_of.size(); ++i) values.push_back(formula(xs[x_of[i]], ys[y_of[i]]));
  return StoreResult(x.dtype(), dims, values);
}

// The output's shape is the input's.
//   inputs[0]: any of `dtypes`, any shape
//   Errors: UNIMPLEMENTED for another dtype
template <typename F>
Kernel UnaryKernel(DTypeSet dtypes, F formula) {
  return [dtypes, formula](KernelContext& context) -> Status {
    const Tensor& x = context.inputs[0];
    TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, x.dtype(), dtypes));
    return WithComputingType(x.dtype(), [&](auto computing) -> Status {
      using C = typename decltype(computing)::Type;
      if constexpr (std::invocable<F, C>) {
        TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (Map<F, C>(x, formula)));
        return Status();
      } else {
        return RequireDType(context.node.op, x.dtype(), {});
      }
    });
  };
}

// Two inputs of one dtype, elements paired as the caller says.
template <typename F>
Status ComputePairs(KernelContext& context, DTypeSet dtypes, DimsView dims, F formula) {
  const Tensor& x = context.inputs[0];
  const Tensor& y = context.inputs[1];
  TAGFLOW_RETURN_IF_ERROR(RequireDType(context.node.op, x.dtype(), dtypes));
  TAGFLOW_RETURN_IF_ERROR(RequireSameDType(context.node.op, x.dtype(), y.dtype()));
  const std::vector<int64_t> x_of = BroadcastIndices(x.dims(), dims);
  const std::vector<int64_t> y_of = BroadcastIndices(y.dims(), dims);
  return WithComputingType(x.dtype(), [&](auto computing) -> Status {
    using C = typename decltype(computing)::Type;
    if constexpr (std::invocable<F, C, C>) {
      TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], (Zip<F, C>(x, x_of, y, y_of, dims, formula)));
      return Status();
    } else {
      return RequireDType(context.node.op, x.dtype(), {});
    }
  });
}

// The inputs broadcast against each other.
//   inputs[0], inputs[1]: one dtype of `dtypes`, shapes that broadcast
//   Errors: UNIMPLEMENTED for another dtype; INVALID_ARGUMENT for shapes that do not broadcast, and
//   for what the formula refuses
template <typename F>
Kernel BroadcastKernel(DTypeSet dtypes, F formula) {
  return [dtypes, formula](KernelContext& context) -> Status {
    TAGFLOW_ASSIGN_OR_RETURN(Dims dims,
                             BroadcastShape(context.inputs[0].dims(), context.inputs[1].dims()));
    TAGFLOW_RETURN_IF_ERROR(RequireRoom(dims));
    return ComputePairs(context, dtypes, dims, formula);
  };
}

// INVALID_ARGUMENT unless the first two inputs have one shape.
Status RequireSameShape(const KernelContext& context);

// As BroadcastKernel, for inputs of one shape. (Errors: INVALID_ARGUMENT when the shapes differ.)
template <typename F>
Kernel SameShapeKernel(DTypeSet dtypes, F formula) {
  return [dtypes, formula](KernelContext& context) -> Status {
    TAGFLOW_RETURN_IF_ERROR(RequireSameShape(context));
    return ComputePairs(context, dtypes, context.inputs[0].dims(), formula);
  };
}

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_ELEMENTWISE_H_
