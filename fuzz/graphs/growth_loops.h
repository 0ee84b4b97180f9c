#ifndef TAGFLOW_FUZZ_GRAPHS_GROWTH_LOOPS_H_
#define TAGFLOW_FUZZ_GRAPHS_GROWTH_LOOPS_H_

// Frames, loops and what goes round in them, in a graph that grows.
//
// Tested by unstructured_test.cc.

#include <string>
#include <vector>

#include "fuzz/graphs/growth_base.h"

namespace tagflow::fuzz {

class LoopGrowth : GrowthBase {
 public:
  using GrowthBase::GrowthBase;

  void EnterFrame(int parent);
  // Counts from a value to a limit. The predicate goes through a LoopCond, one named as a counter's
  // where the frame has one already, or straight to the Switch ([frame.9]).
  void LoopIn(int parent);
  // One more variable of a loop: a header, a Switch by some predicate of the frame, an Exit.
  void LoopVariable(int frame);
  void Leave(int frame);
  // A NextIteration whose value is there for any node of the next iteration, not only for a Merge.
  void Next(int frame);

  // Gives each header the NextIterations that it waits for.
  void FillAll();

 private:
  // A slot of a Merge that a NextIteration is to fill.
  struct Pending {
    int frame;
    NodeId merge;
    size_t slot;
    DType type;
  };

  int ChildOf(int parent, Odds makes_one);
  void Rename(int frame, const std::string& name);
  int64_t Parallel(int frame);
  Value Constant(int frame, SizeRange range);
  Value Pivot(int frame, const Value& less);
  Value Header(int frame, const std::vector<Value>& inputs, int nexts);
  void AddOtherEnter(int frame, std::vector<Value>& inputs);
  void Fill(Pending pending);
  void FillWith(const Pending& pending, const Value& value);
  Value Guarded(int frame, DType type);

  std::vector<Pending> pending_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_GROWTH_LOOPS_H_
