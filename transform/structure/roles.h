#ifndef TAGFLOW_TRANSFORM_STRUCTURE_ROLES_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_ROLES_H_

// What becomes of each node of a call when its regions are recovered: what stays, and what is only
// a name for something else. A Switch names its input, a variable's Merge an argument of the loop's
// functions, a pivot nothing at all.
//
// Thread safety: none. Cost: linear, with a walk for each name of a name.
// Tested by structure_text_test.cc.

#include <cstdint>
#include <vector>

#include "graph/call.h"
#include "graph/feed_set.h"
#include "graph/graph.h"
#include "graph/validate.h"
#include "transform/deadness/structure.h"
#include "transform/structure/places.h"

namespace tagflow::recovery {

// A call, what is known of its deadness, and which frames stay as they are.
struct Recovery {
  const Graph& graph;
  const CallSpec call;
  const ValidatedCall valid;
  FeedSet fed;
  Structure structure;
  Places places;
  std::vector<std::string> declined_frames;  // by frame: why; empty: it becomes a While
  std::vector<int> parents;                  // by frame

  // REQUIRES: the graph outlives this
  Recovery(const Graph& of_graph, CallSpec of_call, ValidatedCall of_valid, Structure of_structure);

  int FrameOf(NodeId id) const { return valid.frames.frame_of[Index(id)]; }
  int ChildOf(const Node& enter) const { return valid.frames.OutputFrame(enter); }
  ConditionId ConditionOf(NodeId id) const { return structure.condition[Index(id)]; }
  ConditionId EdgeCondition(OutputRef output) {
    return structure.OfOutput(graph, valid.frames, output);
  }
  ConditionId ControlCondition(NodeId id) const {
    return structure.OfControl(graph, valid.frames, id);
  }
  ConditionId Entered(int frame) const {
    return structure.frames[static_cast<size_t>(frame)].entered.value_or(ConditionId::kAlways);
  }
  // The outermost declined frame that the frame is in, or is; -1 where there is none.
  int UnitOf(int frame) const;
  // Returns whether it was not declined before.
  bool DeclineFrame(int frame, const std::string& why);
  // The place of a loop, or of a declined frame.
  PlaceId PlaceOfFrame(int frame) {
    return places.At(parents[static_cast<size_t>(frame)], Entered(frame));
  }
};

enum class Role : uint8_t {
  kUnneeded,  // by the call
  kGone,      // never live
  kReal,      // stays what it is
  kGate,      // a Switch that waits for something: an Identity of its input
  kJoin,      // a Merge of a region's branches
  kLeave,     // an Exit of a loop
  kAlias,     // a Switch, a LoopCond: its input
  kPivot,     // an Identity that nodes wait for so as to be in a branch
  kVariable,  // the Merge of a loop's variable
  kConstant,  // the Enter of a loop's constant
  kEntry,     // the Enter of a loop's variable
  kNext,      // a NextIteration of a loop
  kMember,    // of a frame that stays as it is
};

// Where a value comes from.
struct Value {
  OutputRef output;
  bool after = false;  // of a loop's variable: what it is when the loop has ended
  friend auto operator<=>(const Value&, const Value&) = default;
};

class Roles {
 public:
  // REQUIRES: `of` outlives this
  explicit Roles(Recovery& of);

  Role operator[](NodeId id) const { return roles_[Index(id)]; }
  // What a user at a place gets by an output. A constant that is used when its loop has ended is
  // what it was outside: `user` is then the place of the loop.
  Value Resolve(OutputRef output, PlaceId& user) const;
  // The nodes that somebody waits for who waits for this one: none of them is a name.
  std::vector<NodeId> WaitsFor(NodeId id) const;
  // Whether a Switch stays, whose outputs may be dead.
  bool HasSwitch() const { return has_switch_; }
  // Whether an output of it is fed or fetched.
  bool IsPinned(NodeId id) const { return pinned_[Index(id)]; }
  bool HasConsumers(NodeId id) const { return data_consumers_[Index(id)] > 0; }
  bool IndexIsUsed(NodeId merge) const { return index_used_[Index(merge)]; }
  // The predicate that a kJoin joins the ways of.
  int32_t Joined(NodeId merge) const { return joined_[Index(merge)]; }

 private:
  void Count();
  Role RoleOf(const Node& node);
  Role RoleOfSwitch(const Node& node);
  bool Joins(const Node& merge);
  bool IsPivot(const Node& node) const;
  bool IsLoopPredicate(const Node& loop_cond) const;

  Recovery& of_;
  std::vector<Role> roles_;
  bool has_switch_ = false;
  std::vector<bool> pinned_;
  std::vector<bool> index_used_;
  std::vector<int32_t> data_consumers_;
  std::vector<int32_t> joined_;
  std::vector<bool> is_target_;
};

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_ROLES_H_
