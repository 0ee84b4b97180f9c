#ifndef TAGFLOW_OPTIMIZED_KERNELS_ADDITION_H_
#define TAGFLOW_OPTIMIZED_KERNELS_ADDITION_H_

// The addition of math_binary.cc, for the other kernels that add; and what those ask of their
// inputs.

#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "optimized/kernel.h"
#include "optimized/kernels/elementwise.h"

namespace tagflow::optimized {

// x + y, of numbers and of strings.
const PairForms& AddForms();

// Of the inputs of AddN.
//   Errors: INVALID_ARGUMENT (shapes differ)
Status RequireOneShape(const KernelContext& context);

// The shape by which the bias of BiasAdd, a vector, broadcasts to the value (channels.h).
//   Errors: INVALID_ARGUMENT
Result<Dims> BiasShape(DimsView value, DimsView bias, bool second);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_ADDITION_H_
