#ifndef TAGFLOW_FUZZ_PROGRAM_SHAPE_RULES_H_
#define TAGFLOW_FUZZ_PROGRAM_SHAPE_RULES_H_

// The dims of results. Negative dims are names of unknown ones (result_types.h). Every error is
// INVALID_ARGUMENT and says which dims or numbers do not suit.

#include "fuzz/program/result_types.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

Result<Dims> BroadcastDims(const Dims& a, const Dims& b);

// The numbers themselves, if they are dims: none is negative.
Result<Dims> KnownDims(const Dims& numbers);

// axes: distinct, each 0 … rank-1; none: all.
Result<Dims> ReducedDims(const Dims& dims, const Dims& axes);

Result<Dims> ConcatDims(const Dims& a, const Dims& b, int64_t axis, DimNames& names);

// numbers: the new dims. All are known, and as many elements.
Result<Dims> ReshapedDims(const Dims& dims, const Dims& numbers, DimNames& names);
// numbers: {axis}, 0 … rank.
Result<Dims> ExpandedDims(const Dims& dims, const Dims& numbers, DimNames& names);
// numbers: begin of each dimension, then size of each; inside dims that are known.
Result<Dims> SlicedDims(const Dims& dims, const Dims& numbers, DimNames& names);
// numbers: the multiple of each dimension, at least 0.
Result<Dims> TiledDims(const Dims& dims, const Dims& numbers, DimNames& names);
// numbers: a permutation.
Result<Dims> TransposedDims(const Dims& dims, const Dims& numbers, DimNames& names);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PROGRAM_SHAPE_RULES_H_
