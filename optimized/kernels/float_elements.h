#ifndef TAGFLOW_OPTIMIZED_KERNELS_FLOAT_ELEMENTS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_FLOAT_ELEMENTS_H_

// Elements for kernels that are compiled for float and double: floats and doubles where they lie,
// those of narrower dtypes as a copy in double, so that sums of them are rounded once.

#include <type_traits>

#include "optimized/kernels/computing.h"

namespace tagflow::optimized {

// Calls choose(Computing<X>()) with the type that kernels of the dtype are compiled for.
// REQUIRES: a dtype of floats
template <typename F>
auto ForFloatType(DType dtype, F choose) {
  return dtype == DType::kFloat ? choose(Computing<float>()) : choose(Computing<double>());
}

//   Errors: RESOURCE_EXHAUSTED. REQUIRES: X is the type that ForFloatType gives
template <typename X>
Result<ElementsAs<X>> ReadFloats(const Tensor& tensor) {
  return std::is_same_v<X, double> ? ElementsAs<X>::OfWidest(tensor) : ElementsAs<X>::Of(tensor);
}
template <typename X>
Result<ElementsFor<X>> WriteFloats(Tensor& tensor) {
  return std::is_same_v<X, double> ? ElementsFor<X>::OfWidest(tensor) : ElementsFor<X>::Of(tensor);
}

// The kernel for the widest type of a dtype of real numbers.
template <typename F>
BoundKernel ForWidestReal(DType dtype, F choose) {
  return ForWidestType(dtype, [&]<typename X>(Computing<X> computing) -> BoundKernel {
    if constexpr (Real<X>) {
      return choose(computing);
    } else {
      return BoundKernel();
    }
  });
}

// The same for kernels that only read, and take what they read for floats.
template <typename F>
BoundKernel ForReadType(DType dtype, F choose) {
  if (dtype == DType::kFloat) return choose(Computing<float>());
  return ForWidestReal(dtype, choose);
}
// REQUIRES: X is the type that ForReadType gives
template <typename X>
Result<ElementsAs<X>> ReadAs(const Tensor& tensor) {
  return std::is_same_v<X, float> ? ElementsAs<X>::Of(tensor) : ElementsAs<X>::OfWidest(tensor);
}

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_FLOAT_ELEMENTS_H_
