#ifndef TAGFLOW_OPTIMIZED_KERNELS_RANDOM_FILL_H_
#define TAGFLOW_OPTIMIZED_KERNELS_RANDOM_FILL_H_

// Memory filled with the numbers of a stream. They are TensorFlow's, bit for bit where only IEEE
// arithmetic is done, else but for the rounding of log, sin and cos.
//
//   uniform      the low mantissa bits of a word (of two for double) as a fraction in [0, 1)
//   normal       by Box and Muller: two uniform numbers u, v give sqrt(-2 log u) times sin and cos
//                of 2 pi v; those of 16 bits are rounded floats
//   truncated    the normal numbers that are less than 2 from 0, the others thrown away
//   integers     low + word mod (high - low), of two words for 64 bits

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graph/dtype.h"
#include "optimized/kernels/philox.h"

namespace tagflow::optimized {

// Fills `count` elements of the dtype that the function is for.
using RandomFill = void (*)(const Philox& stream, void* elements, int64_t count);

// Null where the dtype has no such numbers: the first three are for floating dtypes, all values of
// a dtype alike for integers of 32 and 64 bits.
RandomFill FindUniformFill(DType dtype);
RandomFill FindNormalFill(DType dtype);
RandomFill FindTruncatedNormalFill(DType dtype);
RandomFill FindFullIntFill(DType dtype);

// Integers of [low, high). REQUIRES: low < high, both of the dtype, which is int32 or int64
void FillInts(const Philox& stream, DType dtype, int64_t low, int64_t high, void* elements,
              int64_t count);

// Class numbers for rows of logits, `samples` for each row, one row after the other. A class whose
// logit is not finite is never drawn as long as another can be.
//   logits: [batch, classes], classes > 0
std::vector<int64_t> DrawClasses(const Philox& stream, std::span<const double> logits,
                                 int64_t classes, int64_t samples);

// A number of [0, 1) from 64 bits.
double UniformDouble(uint64_t bits);
// Two normal numbers from two uniform ones.
std::pair<double, double> NormalPair(double u, double v);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_RANDOM_FILL_H_
