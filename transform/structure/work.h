#ifndef TAGFLOW_TRANSFORM_STRUCTURE_WORK_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_WORK_H_

// What a structured program is put together from: the nodes that stay, the ways of Merges that join
// branches, loops and declined frames as one item each; the place of each; and what waits for what,
// the items of a region for its predicate, too.
//
// Tested by structure_text_test.cc.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "transform/structure/places.h"
#include "transform/structure/roles.h"

namespace tagflow::recovery {

struct WorkItem {
  enum class Kind : uint8_t {
    kNode,
    kWay,    // input `index` of the Merge `node`
    kLoop,   // the frame `index`
    kFrame,  // the declined frame `index`
  };
  Kind kind = Kind::kNode;
  NodeId node = NodeId::kNone;
  int32_t index = 0;
  PlaceId place = PlaceId::kNone;
  ConditionId condition = ConditionId::kAlways;
};

struct Work {
  std::vector<WorkItem> items;
  std::vector<std::pair<int32_t, int32_t>> edges;            // item, and one that waits for it
  std::vector<std::array<std::vector<int32_t>, 3>> of_part;  // by frame and Part: items
  std::vector<int32_t> of_node;                              // by node id: its item, or -1
  std::vector<int32_t> of_frame;                             // by frame: its item, or -1

  // The item that makes a value; -1 where none does: what is fed, arguments of loops.
  int32_t MakerOf(const Recovery& of, const Roles& roles, Value value) const;
  // The item that has run when a node has, of WaitsFor; -1 where none has to.
  int32_t ItemOf(const Recovery& of, const Roles& roles, NodeId node) const;
};

// Declines frames whose parts are not in order: what runs in each iteration must not wait for what
// does not. `declined` is set where it has done so, and the work is of no use then.
Work FindWork(Recovery& of, const Roles& roles, bool& declined);

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_WORK_H_
