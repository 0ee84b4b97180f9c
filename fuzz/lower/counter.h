#ifndef TAGFLOW_FUZZ_LOWER_COUNTER_H_
#define TAGFLOW_FUZZ_LOWER_COUNTER_H_

// Loop counters: what Loop says in doubles, in the counter's own dtype.

#include "graph/tensor.h"

namespace tagflow::fuzz {

// A scalar. REQUIRES: dtype is int32, int64, float or double; an integer one has the value.
Tensor CounterValue(DType dtype, double value);
// REQUIRES: a scalar of one of those dtypes.
double NumberOf(const Tensor& counter);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_LOWER_COUNTER_H_
