#ifndef TAGFLOW_FUZZ_KERNELS_ROUNDING_H_
#define TAGFLOW_FUZZ_KERNELS_ROUNDING_H_

// Whether floats are rounded to the nearest number of fewer bits, and halfway to the even one
// ([number.1]). Engines share how they do that, so that comparing them shows nothing of it.
//
// Tested by kernels_test.cc.

#include "graph/tensor.h"

namespace tagflow::fuzz {

// from: float; to: bfloat16 or half, of the same shape. What is not finite is not looked at.
bool AreNearest(const Tensor& from, const Tensor& to);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_KERNELS_ROUNDING_H_
