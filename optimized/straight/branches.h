#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_BRANCHES_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_BRANCHES_H_

// The branches that the code being emitted is in.
//
// A branch is opened when an instruction needs its condition, so that one without instructions
// costs no test; it is closed when an instruction needs to be outside of it. A branch that follows
// the other branch of its predicate becomes its else.
//
// Tested by branches_test.cc.

#include <cstdint>
#include <functional>
#include <vector>

#include "optimized/straight/code.h"
#include "transform/deadness/conditions.h"

namespace tagflow::optimized {

class Branches {
 public:
  // Appends the instruction that jumps away unless the literal holds. Its target is set later.
  using AppendTest = std::function<void(const ConditionLiteral& literal)>;

  Branches(Code& code, const Conditions& conditions, AppendTest append_test)
      : code_(code), conditions_(conditions), append_test_(std::move(append_test)) {}

  // From here on the code runs under `condition`, in the frame at hand.
  void Enter(ConditionId condition);
  // A frame of its own inside what is open; returns what EndFrame wants.
  size_t BeginFrame();
  void EndFrame(size_t begun);

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Open {
    ConditionLiteral literal;
    uint32_t test;      // the instruction that jumps past the branch; kNone in an else
    uint32_t then_end;  // in an else: the jump at the end of the branch before it; else kNone
  };
  uint32_t here() const { return static_cast<uint32_t>(code_.instructions.size()); }
  bool IsOpen(const ConditionLiteral& literal) const;
  void Close();
  void CloseTo(size_t size);
  void Leave(size_t place, ConditionId condition);
  void TurnIntoElse(const ConditionLiteral& literal);

  Code& code_;
  const Conditions& conditions_;
  const AppendTest append_test_;
  std::vector<Open> open_;
  size_t base_ = 0;         // where the frame at hand begins in open_
  uint32_t frame_end_ = 0;  // where the last frame in it ended
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_BRANCHES_H_
