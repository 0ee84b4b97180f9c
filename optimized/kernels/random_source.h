#ifndef TAGFLOW_OPTIMIZED_KERNELS_RANDOM_SOURCE_H_
#define TAGFLOW_OPTIMIZED_KERNELS_RANDOM_SOURCE_H_

// The inputs that random ops have in common: the shape that is asked for, and the stream that its
// numbers are drawn from. A stateful op has a stream of its own, which lives with the session: each
// firing goes on where the one before it ended. A stateless one is told its stream.
//                                                                             Spec: [resource.1]
// Tested by random_source_test.cc.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graph/status.h"
#include "optimized/formulas/philox.h"
#include "optimized/formulas/random_numbers.h"
#include "optimized/kernel.h"
#include "optimized/resources.h"

namespace tagflow::optimized {

// However many an element takes, so many blocks are set aside for it.
inline constexpr uint64_t kBlocksPerElement = 256;
// The blocks of as many elements; all there are, where that is too much for any memory.
uint64_t BlocksFor(int64_t elements);

class RandomSource {
 public:
  enum class Kind : uint8_t {
    kNode,   // the node's own, by the attrs seed and seed2
    kSeed,   // by the input `seed`, an integer [2]
    kKey,    // by inputs 1 to 3: key [1], counter [2], and alg
    kState,  // by the state of a generator in the variable of input 0, and the algorithm, input 1
  };
  //   seed_input: the number of that input, of kSeed
  static Result<RandomSource> Of(Kind kind, const Binding& binding, int seed_input = 1);

  // The stream, of which the caller takes `blocks` blocks from the first on. Where none are taken
  // the algorithm does not matter.
  //   Errors: INVALID_ARGUMENT
  Result<Philox> Take(KernelContext& context, uint64_t blocks) const;
  // What the node keeps. REQUIRES: kNode
  std::shared_ptr<NodeState> StateOf(KernelContext& context) const;

 private:
  Kind kind_ = Kind::kNode;
  int seed_input_ = 1;
  std::string node_ = {};
  uint64_t seed_ = 0;
  uint64_t seed2_ = 0;
};

// Where a generator stands: the halves of a counter, and the key.
struct GeneratorState {
  uint64_t low, high, key;
  Philox stream() const { return Philox(key, low, high); }
};
// The state of a generator, which is in the variable of input 0, an int64 vector that begins with
// these three; it is moved on by so many blocks.
//   Errors: UNIMPLEMENTED (an algorithm that only others have), INVALID_ARGUMENT (another one, or a
//   value that is no state), NOT_FOUND (no value), RESOURCE_EXHAUSTED
Result<GeneratorState> TakeFromState(KernelContext& context, int64_t algorithm, uint64_t blocks);

// The dimensions in an input, a vector of int32 or int64.
//   Errors: INVALID_ARGUMENT, also where they make no tensor
Result<Dims> ShapeInput(const KernelContext& context, int input = 0);

// The range of an op that draws `count` integers: its inputs minval and maxval, scalars behind what
// names the stream. Their values do not matter where nothing is drawn, but to the state of a
// generator, which goes on only where they are good.
//   Errors: INVALID_ARGUMENT
Result<IntRange> RangeInput(const KernelContext& context, RandomSource::Kind kind, int64_t count);

// A number that nobody can tell before.
uint64_t AnySeed();

// A block that mixes the two numbers of a seed, so that it does not matter where in them the
// differences are: a key, and the high half of a counter.
//   seed: int32 or int64 [2]
//   Errors: INVALID_ARGUMENT
Result<PhiloxBlock> MixedSeed(const Tensor& seed);

// The elements of a tensor of real numbers.
std::vector<double> Doubles(const Tensor& tensor);

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_KERNELS_RANDOM_SOURCE_H_
