#ifndef TAGFLOW_TRANSFORM_STRUCTURE_LIVENESS_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_LIVENESS_H_

// Under which conditions the choices of a tree are live: as Ifs, that is where all that they take
// and wait for is ([functional.strict]); it has to be where what is in them was.
//
// Where all that a condition names is a region around the block, there is nothing to be asked. Only
// where something stays as primitives may dead tokens reach a choice, and is this looked at.
//
// Cost: for each item, the depth it is at and the literals of its condition.
// Tested by recover_functions_test.cc.

#include <string>
#include <vector>

#include "transform/structure/arrange.h"
#include "transform/structure/roles.h"
#include "transform/structure/work.h"

namespace tagflow::recovery {

class Liveness {
 public:
  // All of it outlives this.
  Liveness(Recovery& of, const Roles& roles, const Work& work, const Arrangement& arranged);

  // Whether anything is looked at.
  bool is_precise() const { return is_precise_; }
  // What holds wherever anything in the choice is live, its predicate apart.
  ConditionId Of(size_t choice) const { return live_[choice]; }

  // Notes that a choice takes, or waits for, what is live under a condition in a frame. False where
  // that may be dead while something in the choice is live.
  bool Takes(size_t choice, ConditionId live, int frame);
  // Whether what is live under a condition is, wherever a branch of a choice runs.
  bool Gives(size_t choice, size_t branch, ConditionId live) const;
  // When all that it takes is noted: why the choice might be live where nothing in it is, or dead
  // where something is; else empty.
  std::string WhyNotDead(size_t choice) const;

 private:
  int FrameOf(size_t choice) const;
  void Find(const Work& work, const Arrangement& arranged);

  Recovery& of_;
  const Tree& tree_;
  bool is_precise_ = false;
  std::vector<ConditionId> live_;   // by choice
  std::vector<ConditionId> takes_;  // by choice: where all that it takes is live
};

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_LIVENESS_H_
