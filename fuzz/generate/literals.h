#ifndef TAGFLOW_FUZZ_GENERATE_LITERALS_H_
#define TAGFLOW_FUZZ_GENERATE_LITERALS_H_

// Constants and feeds: small numbers that people can read, or, when asked for, the special ones.

#include "fuzz/generate/choices.h"
#include "fuzz/generate/fact.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

// REQUIRES: dtype is bool, int32, int64, float or double, here and below.
//
// Floats within [-6, 6], most of them quarters; integers within [-10, 10] but for a few of int64; 0
// is the simplest. With `specials` some elements are NaN, infinite, -0, subnormal, or the least and
// greatest of their kind.
Tensor RandomTensor(Choices& choices, DType dtype, const Dims& dims, bool specials);

// The bounds of the elements.
Fact FactOf(const Tensor& tensor);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_LITERALS_H_
