#ifndef TAGFLOW_REFERENCE_KERNELS_RANDOM_STREAMS_H_
#define TAGFLOW_REFERENCE_KERNELS_RANDOM_STREAMS_H_

// The inputs that random ops have in common: the shape that is asked for, and what names the stream
// it is drawn from.

#include "graph/status.h"
#include "reference/kernel.h"
#include "reference/kernels/philox.h"

namespace tagflow::reference {

inline constexpr int32_t kPhiloxAlg = 1;  // in the input alg

// The dimensions in input 0, a vector.
//   Errors: INVALID_ARGUMENT, also where they make no tensor
Result<Dims> ShapeInput(const KernelContext& context);

// The two numbers of a seed, int32[2] or int64[2], mixed so that it does not matter where in them
// the differences are: two words of a key, and the high half of a counter.
//   Errors: INVALID_ARGUMENT
Result<Philox::Block> MixedSeed(const Tensor& seed);

// The stream of a seed.
Result<Philox> OfSeed(const Tensor& seed);

// The stream of key [1], counter [2] and alg, which are inputs 1 to 3. The algorithm does not
// matter where nothing is drawn.
//   Errors: INVALID_ARGUMENT
Result<Philox> OfKey(const KernelContext& context, bool draws);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_RANDOM_STREAMS_H_
