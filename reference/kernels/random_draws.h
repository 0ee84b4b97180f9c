#ifndef TAGFLOW_REFERENCE_KERNELS_RANDOM_DRAWS_H_
#define TAGFLOW_REFERENCE_KERNELS_RANDOM_DRAWS_H_

// Tensors of random numbers from a Philox stream: the distributions that random ops share, whether
// they keep a stream of their own or are given one.
//
// The numbers are TensorFlow's, bit for bit where only IEEE arithmetic is done, else but for the
// rounding of log, sin and cos.
//   uniform      the low mantissa bits of a word (of two for double), as a fraction in [0, 1)
//   normal       Box and Muller: two uniform numbers u, v give sqrt(-2 log u) times sin and cos of
//                2 pi v
//   truncated    the normal numbers that are less than 2 from 0, the others thrown away
//   integers     low + word mod (high - low), of two words for 64 bits
//
// All fail with what RequireRoom fails with.

#include "graph/dtype.h"
#include "graph/status.h"
#include "graph/tensor.h"
#include "reference/kernels/philox.h"

namespace tagflow::reference {

// dtype: half, bfloat16, float, double.
Result<Tensor> DrawUniform(DType dtype, DimsView dims, Philox philox);
Result<Tensor> DrawNormal(DType dtype, DimsView dims, Philox philox);
Result<Tensor> DrawTruncatedNormal(DType dtype, DimsView dims, Philox philox);

// dtype: int32, int64, uint32, uint64.
// All values of the dtype, alike.
Result<Tensor> DrawFullInts(DType dtype, DimsView dims, Philox philox);
// int32 or int64: those in [low, high). REQUIRES: low < high, both of the dtype.
Result<Tensor> DrawInts(DType dtype, DimsView dims, int64_t low, int64_t high, Philox philox);

// Class numbers: row i of [batch, samples] from the classes whose logits are row i of
// [batch, classes].
//   dtype: int32 or int64; logits: real numbers; a class whose logit is not finite is never drawn
//   as long as another can be
Result<Tensor> DrawClasses(DType dtype, const Tensor& logits, int64_t samples, Philox philox);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_RANDOM_DRAWS_H_
