#ifndef TAGFLOW_FUZZ_GENERATE_CHAINS_H_
#define TAGFLOW_FUZZ_GENERATE_CHAINS_H_

// Elementwise operations in a row on a tensor of many elements: more than a processor's vectors
// hold, and some more than the blocks in which an engine goes through memory, where it may run
// several operations in one pass. Only programs of the profile `tensors` have them.

#include "fuzz/generate/maker.h"

namespace tagflow::fuzz {

// What the last of the operations gives, or the sum of its elements.
ValueId RandomChain(Maker& maker);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_CHAINS_H_
