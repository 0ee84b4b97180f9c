#ifndef TAGFLOW_OPTIMIZED_KERNELS_RANDOM_FILL_H_
#define TAGFLOW_OPTIMIZED_KERNELS_RANDOM_FILL_H_

// Memory filled with the numbers of a stream: optimized/formulas/random_numbers.h says which.

#include <cstdint>
#include <span>
#include <vector>

#include "graph/dtype.h"
#include "optimized/formulas/philox.h"
#include "optimized/formulas/random_numbers.h"

namespace tagflow::optimized {

// Fills `count` elements of the dtype that the function is for.
using RandomFill = void (*)(const Philox& stream, void* elements, int64_t count);

// Null where the dtype has no such numbers: the first three are for floating dtypes, all values of
// a dtype alike for integers of 32 and 64 bits.
RandomFill FindUniformFill(DType dtype);
RandomFill FindNormalFill(DType dtype);
RandomFill FindTruncatedNormalFill(DType dtype);
RandomFill FindFullIntFill(DType dtype);

// REQUIRES: low < high, both of the dtype, which is int32 or int64
void FillInts(const Philox& stream, DType dtype, const IntRange& range, void* elements,
              int64_t count);

// Class numbers for rows of logits, `samples` for each row, one row after the other. A class whose
// logit is not finite is never drawn as long as another can be.
//   logits: [batch, classes], classes > 0
std::vector<int64_t> DrawClasses(const Philox& stream, std::span<const double> logits,
                                 int64_t classes, int64_t samples);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_RANDOM_FILL_H_
