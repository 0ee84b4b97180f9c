#ifndef TAGFLOW_OPTIMIZED_KERNELS_OUTER_SUM_H_
#define TAGFLOW_OPTIMIZED_KERNELS_OUTER_SUM_H_

// A matrix plus the product of a column and a row, in one pass over memory: what the gradient of a
// weight adds up in each step of a loop (bench: lstm_b1_grad).
//
// Every element is what MatMul and then AddV2 make of it, to the bit: the product is rounded, and
// the sum once more. That is so where the product's inner size is 1; a longer one is not computed
// here, because a term that joined its sum would change how it is rounded, and because the library
// computes it better.

#include "optimized/kernel.h"
#include "optimized/kernels/part.h"

namespace tagflow::optimized {

// output 0 = input 2 + input 0 * input 1, over input 2 where that may be overwritten.
//   inputs: the factors, and the term; all of the product's dtype
//   returns: whether it did. It did not, and nothing has happened, where the factors are not a
//     column and a row, where the term has another shape than the product, where the product is
//     empty, and where there is no memory: then the two kernels give the sum or the error.
// REQUIRES: input 2 is in another slot than inputs 0 and 1
bool AddOuterProduct(const ProductPart& product, KernelContext& context);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_OUTER_SUM_H_
