#ifndef TAGFLOW_REFERENCE_KERNELS_RANDOM_STREAMS_H_
#define TAGFLOW_REFERENCE_KERNELS_RANDOM_STREAMS_H_

// The inputs that random ops have in common: the shape that is asked for, and what names the stream
// it is drawn from.

#include <memory>

#include "graph/status.h"
#include "reference/kernel.h"
#include "reference/kernels/philox.h"
#include "reference/resources.h"

namespace tagflow::reference {

inline constexpr int32_t kPhiloxAlg = 1;  // in the input alg

// The dimensions in an input, a vector of int32 or int64.
//   Errors: INVALID_ARGUMENT, also where they make no tensor
Result<Dims> ShapeInput(const KernelContext& context, size_t input = 0);

// The two numbers of a seed, int32[2] or int64[2], mixed so that it does not matter where in them
// the differences are: two words of a key, and the high half of a counter.
//   Errors: INVALID_ARGUMENT
Result<Philox::Block> MixedSeed(const Tensor& seed);

// The stream of a seed.
Result<Philox> OfSeed(const Tensor& seed);

// A number that nobody can tell before.
uint64_t AnySeed();

// What a node with a stream of its own keeps, which the caller is going to change. Seeds of 0 and 0
// ask for numbers that nobody can tell before.                                Spec: [resource.1]
Result<std::shared_ptr<NodeState>> StateOfNode(KernelContext& context);

// The place in the node's own stream from which the next `blocks` blocks are the caller's: each
// firing goes on where the last one ended.                                    Spec: [resource.1]
Result<Philox> TakeFromNode(KernelContext& context, uint64_t blocks);

// The stream of key [1], counter [2] and alg, which are inputs 1 to 3. The algorithm does not
// matter where nothing is drawn.
//   Errors: INVALID_ARGUMENT
Result<Philox> OfKey(const KernelContext& context, bool draws);

// Where a generator stands: the halves of a counter, and the key.
struct GeneratorState {
  uint64_t low, high, key;
  Philox stream() const;
};
// The state of a generator, which is in the variable of input 0, an int64 vector that begins with
// these three; it is moved on by so many blocks.
//   Errors: UNIMPLEMENTED (an algorithm that only others have), INVALID_ARGUMENT (another one, or a
//   value that is no state), NOT_FOUND (no value)
Result<GeneratorState> TakeFromState(KernelContext& context, int64_t algorithm, uint64_t blocks);

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_KERNELS_RANDOM_STREAMS_H_
