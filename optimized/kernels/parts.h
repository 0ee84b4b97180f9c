#ifndef TAGFLOW_OPTIMIZED_KERNELS_PARTS_H_
#define TAGFLOW_OPTIMIZED_KERNELS_PARTS_H_

// Outputs that are an input, or a part of one.

#include "graph/status.h"
#include "optimized/kernel.h"
#include "optimized/kernels/mover.h"
#include "optimized/kernels/small_vector.h"

namespace tagflow::optimized {

// A box of elements of a tensor, perhaps with other steps than its strides.
struct Part {
  int64_t first = 0;  // the element where it begins
  SmallDims dims;
  SmallDims steps;  // in elements of the tensor, along each of dims
};

// Output `output` becomes this part of input `input`. A large part that lies in one piece shares
// the input's memory; a small one is copied, which costs no more and does not keep the rest alive.
//   Errors: RESOURCE_EXHAUSTED, INVALID_ARGUMENT (dims)
// REQUIRES: the part is inside, or empty
Status SetPart(KernelContext& context, int output, int input, const Part& part);

// Output `output` becomes the `count` elements from `first` on of input `input`, under `dims`.
Status SetRun(KernelContext& context, int output, int input, int64_t first, DimsView dims);

// Output `output` becomes a tensor like input `input` that may be changed: in its memory where
// nobody sees that, neither through another input. This input is not looked at afterwards.
//   Errors: RESOURCE_EXHAUSTED
Result<Tensor*> SetCopy(KernelContext& context, int output, int input);

// Output `output` becomes input `input`, which is not looked at afterwards, under other dims.
// REQUIRES: dims of as many elements
void SetReshaped(KernelContext& context, int output, int input, DimsView dims);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_PARTS_H_
