#ifndef TAGFLOW_OPTIMIZED_KERNELS_ADDITION_H_
#define TAGFLOW_OPTIMIZED_KERNELS_ADDITION_H_

// The addition of math_binary.cc, for the other kernels that add.

#include "optimized/kernels/elementwise.h"

namespace tagflow::optimized {

// x + y, of numbers and of strings.
const PairForms& AddForms();

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_ADDITION_H_
