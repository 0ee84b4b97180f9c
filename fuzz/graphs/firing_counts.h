#ifndef TAGFLOW_FUZZ_GRAPHS_FIRING_COUNTS_H_
#define TAGFLOW_FUZZ_GRAPHS_FIRING_COUNTS_H_

// What a call of a graph does on the reference, so far as a cut into devices may change it.
//
// Tested by placed_property_test.cc.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/graphs/sample.h"
#include "graph/validate.h"
#include "reference/session.h"
#include "transform/partition/partition.h"

namespace tagflow::fuzz {

// How often, in each iteration that is begun, what is to fire there does. Where it does not, nobody
// may miss it on one device, and who is to receive it on another does; where nothing goes on though
// the LoopCond says so, the devices do ([partition.3]); and what waits whole for the end of a frame
// may come on devices, whose parts of it end by themselves ([partition.5]).
class FiringCounts {
 public:
  explicit FiringCounts(const GraphSample& sample);

  // Whether the call is valid, and nothing of it on a cycle that nothing enters, which is of no
  // frame.
  bool CanBeTaken() const { return !wanted_.empty() && !wanted_.contains(FrameTree::kUnreached); }

  // What the call does without.
  const std::vector<NodeId>& idle() const { return idle_; }

  // By the simple proof.
  bool can_be_cut() const { return can_be_cut_; }

  // Nodes of which the second takes a reference or a handle from the first.
  std::vector<std::pair<NodeId, NodeId>> Inseparable() const;

  // A frame that is on several devices, as far as nodes go that are where they are placed alone,
  // and that goes on, up to this run, in an iteration that its LoopCond ends.
  std::optional<int> OutlivesItsEnd(const Placement& placement, size_t last_run,
                                    const reference::RunOptions& limits) const;

  // Whether, up to this run, a Merge gets two live inputs: equal ones, for the run does not fail.
  // Where they lie in the memory of a device they are not compared, and are an error ([merge.3]).
  bool HasEqualInputs(size_t last_run, const reference::RunOptions& limits) const;

  std::string PathOf(int frame) const { return valid_.frames.Path(frame); }

  // Whether, up to this run, something never fires where its iteration is begun.
  bool IsShort(size_t last_run, const reference::RunOptions& limits);

 private:
  // What a LoopCond says, if the event is of one, and it does.
  static std::optional<bool> SaysOf(const reference::TraceEvent& event);
  static bool GoesOn(const reference::TraceEvent& event) { return SaysOf(event) == true; }
  static bool Ends(const reference::TraceEvent& event) { return SaysOf(event) == false; }
  // Those of one LoopCond that have nodes on two devices, or more.
  std::set<int> SpreadFrames(const Placement& placement) const;
  bool Counts(NodeId id) const;

  const GraphSample& sample_;
  std::vector<OutputRef> fed_;
  ValidatedCall valid_;  // but that nothing fed is needed
  std::vector<NodeId> idle_;
  bool can_be_cut_ = false;
  std::map<int, int> wanted_;  // by frame
  size_t num_exits_ = 0;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_FIRING_COUNTS_H_
