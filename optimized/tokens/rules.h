#ifndef TAGFLOW_OPTIMIZED_TOKENS_RULES_H_
#define TAGFLOW_OPTIMIZED_TOKENS_RULES_H_

// The rules of docs/semantics.md as the token executor computes them: what has arrived at an
// instance is packed into a word, so that a token's arrival is one addition, and the questions the
// standard asks of it are tests of that word. Nothing else in this folder decides when an instance
// is due or dead, when an iteration may begin, and what has ended.

#include <cstdint>
#include <string>

#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::optimized::tokens {

// An instance of any node but Merge: twice the inputs, data and control, that are still missing,
// plus one if a dead one came.                                      Spec: [fire.1] [fire.2]
class Arrivals {
 public:
  static constexpr uint32_t kDead = 1;

  static constexpr uint32_t Initial(uint32_t inputs) { return inputs << 1; }
  // What `inputs` of them take off the word.
  static constexpr uint32_t Step(uint32_t inputs) { return inputs << 1; }
  // Due once every data and control input has arrived ([fire.1]).
  static constexpr bool Due(uint32_t word) { return word < 2; }
  // Dead if any of them was ([fire.2]).
  static constexpr bool Dead(uint32_t word) { return (word & kDead) != 0; }

  // What a Switch leaves there once it has fired live: the output that its value took.
  static constexpr uint32_t WentTo(uint32_t output) { return kTaken | output << 1; }
  static constexpr bool HasGone(uint32_t word) { return (word & kTaken) != 0; }
  static constexpr uint32_t Way(uint32_t word) { return (word & ~kTaken) >> 1; }
  // Some of its inputs came and others did not.
  static constexpr bool HalfFed(uint32_t word, uint32_t initial) {
    return word != initial && !Due(word) && !HasGone(word);
  }

 private:
  static constexpr uint32_t kTaken = 1u << 31;
};

// An instance of Merge: control inputs missing (high half); whether a live data input came; the
// present data inputs that have not come dead. All only ever go one way, so exactly one arrival
// makes it due.                                                     Spec: [merge.2] [merge.4]
class MergeArrivals {
 public:
  static constexpr uint64_t kLive = 1ull << 31;

  // A Merge that has no data input in this iteration waits for ever.
  static constexpr uint64_t Initial(uint32_t present, uint32_t controls) {
    return static_cast<uint64_t>(controls) << 32 | (present > 0 ? present : 1);
  }
  static constexpr uint64_t ControlStep(uint32_t inputs) {
    return static_cast<uint64_t>(inputs) << 32;
  }
  static constexpr uint64_t kDeadStep = 1;
  // Every control input has come, dead or not ([merge.5]); and a live data input ([merge.2]), or
  // every data input that is present, dead ([merge.4]).
  static constexpr bool Due(uint64_t word) {
    return word >> 32 == 0 && ((word & kLive) != 0 || (word & kMissing) == 0);
  }
  static constexpr bool Live(uint64_t word) { return (word & kLive) != 0; }
  // Some of its inputs came and others did not.
  static constexpr bool HalfFed(uint64_t word, uint64_t initial) {
    return word != initial && !Due(word);
  }
  static constexpr uint32_t ControlsMissing(uint64_t word) {
    return static_cast<uint32_t>(word >> 32);
  }
  // Whether no further data input can come, when so many live ones have.
  static constexpr bool HaveAllCome(uint64_t word, uint32_t live) {
    return (word & kMissing) <= live;
  }

 private:
  static constexpr uint64_t kMissing = kLive - 1;
};

// What an Exit did in the iterations of one frame.
struct ExitState {
  static constexpr uint8_t kWasDead = 1;
  static constexpr uint8_t kWasLive = 2;
  // One dead token when the frame ends, if it was dead and never live ([exit.2]).
  static constexpr bool OwesDead(uint8_t state) { return state == kWasDead; }
};

// [merge.1] In iteration 0 all data inputs are there but those from NextIteration; later all but
// those from Enters that are not constant.
enum class Source : uint8_t { kOrdinary, kEnter, kNextIteration };
constexpr bool MergeInputPresent(Source source, bool first_iteration) {
  return source != (first_iteration ? Source::kNextIteration : Source::kEnter);
}

// [next.3] An iteration begins while fewer than parallel_iterations have begun and not ended.
constexpr bool MayBegin(int64_t live_iterations, int64_t parallel_iterations) {
  return live_iterations < parallel_iterations;
}

// [frame.6] The oldest iteration has ended when nothing in it is busy (instances that are ready,
// running or waiting for a Recv, and frames begun in it); iteration 0 not before all Enters fired.
constexpr bool IterationEnded(int64_t index, int32_t busy, int32_t enters_missing) {
  return busy == 0 && (index > 0 || enters_missing == 0);
}

// [frame.7] A frame has ended when all its Enters have fired and no iteration lives.
constexpr bool FrameEnded(int64_t live_iterations, int32_t enters_missing) {
  return live_iterations == 0 && enters_missing == 0;
}

// [switch.2]
Status CheckPredicate(const Tensor& predicate);
// [switch.1] The output that a predicate, bool or int32, chooses among `outputs`.
// REQUIRES: CheckPredicate(predicate)
uint32_t ChosenOutput(const Tensor& predicate, uint32_t outputs);

// [merge.3] Why two live inputs of a Merge are not equal; empty: they are. No value stands for one
// that is not compared: a reference, or in the memory of a device.
std::string WhyUnequal(const Tensor& first, const Tensor& second);

}  // namespace tagflow::optimized::tokens

#endif  // TAGFLOW_OPTIMIZED_TOKENS_RULES_H_
