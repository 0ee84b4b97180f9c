#ifndef TAGFLOW_FUZZ_GENERATE_LOOPS_H_
#define TAGFLOW_FUZZ_GENERATE_LOOPS_H_

// Loops: how they count (loop_count.cc), their variables, and what the body does with each.

#include <vector>

#include "fuzz/generate/maker.h"

namespace tagflow::fuzz {

// How a loop counts, and how often it may run.
struct Count {
  Loop loop;
  ValueId bound = ValueId::kNone;
  int least = 0, most = 0;  // trips
  Fact during, after;       // the counter, in the body and at the end
};

// At most `most` trips.
Count RandomCount(Maker& maker, int most);
// int32, from 0 in steps of 1, `trips` times.
Count PlainCount(Maker& maker, int trips);
// The same, as often as `bound` says, but at most `most` times.
Count BoundedCount(Maker& maker, ValueId bound, int most);
// The most trips that a loop made now should have.
int TripsLeft(const Maker& maker);

// What becomes of a variable in the body.
enum class Role : uint8_t {
  kPass,      // stays as it is
  kUpdate,    // is computed, mostly from itself
  kSwap,      // becomes what another one was
  kTurn,      // so, in a set of variables that each go on as another one
  kSame,      // becomes what another one becomes
  kConstant,  // becomes a constant
  kCapture,   // becomes a value from outside the loop
  kInitial,   // becomes its own initial value, captured
  kGrow,      // a vector that becomes longer
  kWrite,     // an array: the element that the counter says is written
  kPush,      // a stack that is pushed to
  kPop,       // a stack that is popped from
};

struct Carried {
  ValueId initial = ValueId::kNone;
  Type type;
  Fact fact;  // at any time; of an array or stack: of its elements
  Role role = Role::kPass;
  ArrayState array;  // of kWrite
  size_t from = 0;   // of kTurn: which one it becomes
};

// Writes the loop, with a body of other statements and more variables at random. Returns what
// became of `carried`, in order. `reads`: the body begins by reading some array.
std::vector<ValueId> MakeLoopWith(Maker& maker, const Count& count, std::vector<Carried> carried,
                                  bool reads = false);

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_LOOPS_H_
