#ifndef TAGFLOW_FUZZ_DIRECT_STRIDES_H_
#define TAGFLOW_FUZZ_DIRECT_STRIDES_H_

// Views of row-major elements: which element of a tensor each element of a result is.

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/tensor.h"

namespace tagflow::fuzz {

// How far apart in memory two neighbours along each dimension are.
std::vector<int64_t> RowMajorStrides(DimsView dims);

// For each element of a result of `dims`, in row-major order: offset + sum of index * stride.
std::vector<int64_t> StridedIndices(DimsView dims, const std::vector<int64_t>& strides,
                                    int64_t offset = 0);

// The shape that two broadcast to; nothing when they do not.
std::optional<Dims> CommonDims(DimsView x, DimsView y);

// For each element of `to`, the element of a tensor of `from` that broadcasting puts there.
// REQUIRES: from broadcasts to to.
std::vector<int64_t> BroadcastIndices(DimsView from, DimsView to);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_DIRECT_STRIDES_H_
