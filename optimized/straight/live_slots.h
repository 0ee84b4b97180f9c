#ifndef TAGFLOW_OPTIMIZED_STRAIGHT_LIVE_SLOTS_H_
#define TAGFLOW_OPTIMIZED_STRAIGHT_LIVE_SLOTS_H_

// A set of slots that can be saved, restored and joined with a saved one, for liveness over code
// with branches.
//
// How: a tree over slot numbers with 512 bits to a leaf, whose nodes the set at hand shares with
// the saved ones. Saving costs nothing; a change copies the nodes on the slot's path that a saved
// set has, too; a union visits the nodes in which both sets have something and differ. So a nest of
// 10,000 branches, whose sets differ by a few slots each, takes memory for those few and not for
// 10,000 sets.
//
// Invariants: 1. node 0 is the empty one, at every level; 2. nodes below `frozen_` never change.
// Thread safety: none.   Tested by live_slots_test.cc.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tagflow::optimized {

class LiveSlots {
 public:
  // A saved set. REQUIRES: used with the object that saved it
  enum class Saved : uint32_t {};

  // The empty set of slots 0 … num_slots-1.
  explicit LiveSlots(uint32_t num_slots);

  bool contains(uint32_t slot) const;
  void Insert(uint32_t slot);
  void Remove(uint32_t slot);

  Saved Save();
  // The set becomes what it was.
  void Restore(Saved saved) { root_ = static_cast<uint32_t>(saved); }
  // The set has what the saved one had as well.
  void Include(Saved saved);

  // Nodes there are, shared ones once: what the set and all saved ones cost.
  size_t num_nodes() const { return leaves_.size() + inner_.size(); }

 private:
  static constexpr uint32_t kWords = 8;  // of a leaf
  static constexpr uint32_t kLeafSlots = kWords * 64;
  static constexpr uint32_t kChildren = 16;  // of an inner node
  using Leaf = std::array<uint64_t, kWords>;
  using Inner = std::array<uint32_t, kChildren>;

  // Where a slot is: the leaf's number, and in each level which child leads there.
  uint32_t ChildOf(uint32_t slot, uint32_t level) const {
    return slot / kLeafSlots >> (4 * (level - 1)) & (kChildren - 1);
  }
  void Set(uint32_t slot, bool live);
  uint32_t OwnedLeaf(uint32_t leaf);
  uint32_t OwnedInner(uint32_t inner);
  uint32_t Union(uint32_t a, uint32_t b, uint32_t level);
  uint32_t UnionOfLeaves(uint32_t a, uint32_t b);

  uint32_t levels_ = 0;  // of inner nodes above the leaves
  uint32_t root_ = 0;    // an index into leaves_ where there are no levels, else into inner_
  std::vector<Leaf> leaves_;
  std::vector<Inner> inner_;
  uint32_t frozen_leaves_ = 1;
  uint32_t frozen_inner_ = 1;
};

}  // namespace tagflow::optimized

#endif  // TAGFLOW_OPTIMIZED_STRAIGHT_LIVE_SLOTS_H_
