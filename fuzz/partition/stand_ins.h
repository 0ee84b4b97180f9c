#ifndef TAGFLOW_FUZZ_PARTITION_STAND_INS_H_
#define TAGFLOW_FUZZ_PARTITION_STAND_INS_H_

// Placed graphs that need not be checked, because another one stands for them: the same messages
// cross, but for the name in their keys, and what has to arrive before each is sent is the same, so
// one starves or loses a message when the other does. Values differ, and no predicate comes from a
// body. p is the op that makes a, or what makes x for the body.
//
//   1. Identity(a, ^b), where b's op is on the same device and has one output: AddV2(a, b). Both
//      wait for a and for b's op, which is not told of by a message, and are dead when either is.
//   2. Neg(a), where p is on the same device, nobody else takes a or waits for p, and nobody waits
//      for the Neg: the body without the Neg. What crossed behind it crosses before it.
//   3. Neg(a), where all that takes it is on its device and takes nothing else of p, and nobody
//      waits for the Neg: the body without the Neg. What crosses to it crosses to them.
//   4. In a cond, a body of which the mirror image is less (the outputs of every Switch exchanged):
//      the mirror image, which does for q what the body does for not q.
//
// In a loop c is an Enter, which is on every device, and who takes nothing else waits for the
// control loop: so 1 holds for c wherever its op is, and 2 and 3 never. Outside, c crosses like any
// tensor. What stands for a graph may have others stand for it in turn; there are fewer waiting ops
// then, or fewer ops, so that comes to an end.
//
// Cost: quadratic in the ops of a body. Tested by stand_ins_test.cc, which runs both.

#include <optional>
#include <vector>

#include "fuzz/partition/small_graphs.h"

namespace tagflow::fuzz {

struct PlacedBody {
  Body body;
  std::vector<int> devices;  // by unit
};

// By 1 to 3. small: made of this body in these surroundings.
std::optional<PlacedBody> FindStandIn(const PlacedBody& placed, Surroundings surroundings,
                                      const SmallGraph& small);

// Of 4; in the least order.
Body MirrorImage(const Body& body);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_PARTITION_STAND_INS_H_
