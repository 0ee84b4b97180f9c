#ifndef TAGFLOW_TRANSFORM_STRUCTURE_ORDERING_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_ORDERING_H_

// An order for the items that go into one block: each item of the block itself after all that it
// waits for, and the items of a region together, once everything that they wait for outside of it
// is there. Only where that comes for none, a part of a region's items is taken: those pieces which
// can run whole, so that what hangs together is not cut; else all items that can run.
//
// Cost: n log n in the items and edges of the block, where a part that was found to run, and could
// not be taken, is not looked at again and again.
// Tested by structure_text_test.cc.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "transform/structure/work.h"

namespace tagflow::recovery {

// What orderings know of all items. An item is in one set at a time: that of the innermost block
// which is being put in order.
struct ItemTable {
  ItemTable(const Places& all_places, const Work& all_work);

  template <typename F>
  void ForEachConsumer(int32_t item, F&& visit) const {
    const auto index = static_cast<size_t>(item);
    for (uint32_t i = consumers_begin[index]; i < consumers_begin[index + 1]; ++i) {
      visit(consumers[i]);
    }
  }
  bool AreTogether(int32_t a, int32_t b) const {
    const auto x = static_cast<size_t>(a);
    const auto y = static_cast<size_t>(b);
    return set_of[x] == set_of[y] && group_of[x] == group_of[y];
  }

  const Places& places;
  const Work& work;
  std::vector<uint32_t> consumers_begin;  // by item, in `consumers`
  std::vector<int32_t> consumers;
  std::map<NodeId, std::vector<int32_t>> ways;  // of a Merge
  int32_t num_sets = 0;
  // By item.
  std::vector<int32_t> set_of;
  std::vector<size_t> group_of;   // in its set
  std::vector<int32_t> waiting;   // edges within the set that are not done
  std::vector<int32_t> piece_of;  // in its group
  std::vector<bool> is_done;      // whether it was taken
};

class Ordering {
 public:
  // Of items at a place and below it. REQUIRES: the table outlives this
  Ordering(ItemTable& table, const std::vector<int32_t>& items, PlaceId place);

  // What goes into the block next. Nothing when all is there, or what is left waits for itself.
  struct Taken {
    RegionId region = RegionId::kNone;  // kNone: one item of the block itself
    std::vector<int32_t> items;
  };
  // REQUIRES: what was taken before is put
  std::optional<Taken> Next();

 private:
  // Single items, and groups of items that are in one region.
  struct Group {
    std::vector<int32_t> items;
    RegionId region = RegionId::kNone;   // kNone: a single item of the block
    int32_t waiting = 0;                 // edges from items outside of it that are not done
    int32_t left = 0;                    // items that are not taken yet
    std::vector<int32_t> can_start;      // items that wait for nothing, some of them done
    std::vector<int32_t> left_of_piece;  // items that are not taken yet; empty: not asked for
  };

  const WorkItem& Item(int32_t item) const { return table_.work.items[static_cast<size_t>(item)]; }
  bool IsIn(int32_t item) const { return table_.set_of[static_cast<size_t>(item)] == set_; }
  void FindGroups(const std::vector<int32_t>& items, PlaceId place);
  RegionId RegionBelow(PlaceId place, int32_t item) const;
  void Count(const std::vector<int32_t>& items);
  void FindStarts();

  std::optional<std::pair<size_t, std::vector<int32_t>>> Choose();
  std::vector<int32_t> CanRun(Group& group) const;
  std::vector<int32_t> WholePieces(const Group& group, std::vector<int32_t> can_run) const;
  void ForgetDone(std::vector<int32_t>& items) const;
  void CountConsumers();
  void NoteStart(size_t index, int32_t item);
  void CountDown(size_t index);

  void FindPieces(Group& group);
  int32_t Root(int32_t item);

  ItemTable& table_;
  const int32_t set_;
  std::vector<Group> groups_;
  std::set<std::pair<int32_t, size_t>> ready_;  // groups that can run, by their first item
  std::set<size_t> startable_;                  // others, of which some items may
  size_t last_ = 0;                             // the group of what was taken last
  std::vector<int32_t> last_items_;
};

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_ORDERING_H_
