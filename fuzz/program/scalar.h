#ifndef TAGFLOW_FUZZ_PROGRAM_SCALAR_H_
#define TAGFLOW_FUZZ_PROGRAM_SCALAR_H_

// Scalars of a program's dtypes, from and to the doubles in which Loop and Fact speak of them.

#include "graph/tensor.h"

namespace tagflow::fuzz {

// REQUIRES: dtype is bool, int32, int64, float or double; an integer one has the value.
Tensor ScalarOf(DType dtype, double value);
// REQUIRES: a scalar of one of those dtypes.
double NumberOf(const Tensor& scalar);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_SCALAR_H_
