#ifndef TAGFLOW_FUZZ_GENERATE_STORES_H_
#define TAGFLOW_FUZZ_GENERATE_STORES_H_

// Arrays and stacks as branches and loops need them.

#include "fuzz/generate/maker.h"

namespace tagflow::fuzz {

// Writes some value at `index`; returns the array that comes of it. The caller records it.
ValueId WriteArray(Maker& maker, const ArrayState& array, ValueId index);

// Pushes some value of the elements' type.
ValueId PushStack(Maker& maker, ValueId stack, const Fact& element);

// A cond whose branches both write at `index`, or both push, something of their own.
ValueId WriteInBranches(Maker& maker, const ArrayState& array, ValueId index);
ValueId PushInBranches(Maker& maker, ValueId stack, const Fact& element);

// Reads a written element of some array that can be seen; kNone if there is none.
ValueId ReadArray(Maker& maker);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_STORES_H_
