#ifndef TAGFLOW_CLI_WIDEN_H_
#define TAGFLOW_CLI_WIDEN_H_

// A value of one dtype as the same value of another: what a feed may be where the graph wants
// something else.

#include "graph/dtype.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::cli {

// The tensor as `dtype`, every element the same number:
//   bools as the numbers 0 and 1; whole numbers as any numbers that can be them, element by element
//   (int64 as int32 or double, say); floats as wider floats (half and bfloat16 as float and
//   double); floats, and whole numbers, as complex numbers; complex64 as complex128. Errors:
//   INVALID_ARGUMENT naming the first element that `dtype` has not, with its place; or that such a
//   conversion loses something in general, as double to float and float to int32 do.
Result<Tensor> Widened(const Tensor& tensor, DType dtype);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_WIDEN_H_
