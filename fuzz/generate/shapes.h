#ifndef TAGFLOW_FUZZ_GENERATE_SHAPES_H_
#define TAGFLOW_FUZZ_GENERATE_SHAPES_H_

// Operations that are not elementwise: reductions, products, rearrangements.

#include "fuzz/generate/maker.h"

namespace tagflow::fuzz {

// Of one value.
constexpr int64_t kMostElements = 48;

// Whether no dim is -1.
bool Known(const Dims& dims);
// REQUIRES: Known(dims)
int64_t Elements(const Dims& dims);

// A shape with one or two dimensions and a few elements.
Dims RandomDims(Maker& maker);

// Of one value of the profile.
int64_t MostElements(const Maker& maker);

// A random reduction, product or rearrangement of what can be seen.
ValueId RandomRearrangement(Maker& maker);

// The product of two matrices with as many columns as rows. kNone where it would be too large.
// REQUIRES: the profile is not one of exact operations
ValueId ProductOf(Maker& maker, ValueId x, ValueId y);

// All elements added up; of an inexact value, inexact. kNone where the sum would be too large.
ValueId SumOf(Maker& maker, ValueId x);

// `row` (a scalar) appended to the vector x, whose result has dims {-1} if x's have.
ValueId Appended(Maker& maker, ValueId x, ValueId row);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_SHAPES_H_
