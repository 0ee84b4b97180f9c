#include "optimized/straight/live_slots.h"

namespace tagflow::optimized {

LiveSlots::LiveSlots(uint32_t num_slots) : leaves_(1), inner_(1) {
  for (uint64_t reach = kLeafSlots; reach < num_slots; reach *= kChildren) ++levels_;
}

bool LiveSlots::contains(uint32_t slot) const {
  uint32_t node = root_;
  for (uint32_t level = levels_; level > 0; --level) node = inner_[node][ChildOf(slot, level)];
  return leaves_[node][slot / 64 % kWords] >> (slot % 64) & 1;
}

void LiveSlots::Insert(uint32_t slot) {
  if (!contains(slot)) Set(slot, true);
}

void LiveSlots::Remove(uint32_t slot) {
  if (contains(slot)) Set(slot, false);
}

// The nodes on the slot's path become the set's own, from the root down.
void LiveSlots::Set(uint32_t slot, bool live) {
  uint32_t node = 0;
  if (levels_ == 0) {
    node = root_ = OwnedLeaf(root_);
  } else {
    uint32_t above = root_ = OwnedInner(root_);
    for (uint32_t level = levels_; level > 0; --level) {
      const uint32_t child = ChildOf(slot, level);
      node = level > 1 ? OwnedInner(inner_[above][child]) : OwnedLeaf(inner_[above][child]);
      inner_[above][child] = node;
      above = node;
    }
  }
  uint64_t& word = leaves_[node][slot / 64 % kWords];
  const uint64_t bit = uint64_t{1} << (slot % 64);
  word = live ? word | bit : word & ~bit;
}

uint32_t LiveSlots::OwnedLeaf(uint32_t leaf) {
  if (leaf >= frozen_leaves_) return leaf;
  leaves_.push_back(Leaf(leaves_[leaf]));
  return static_cast<uint32_t>(leaves_.size() - 1);
}

uint32_t LiveSlots::OwnedInner(uint32_t inner) {
  if (inner >= frozen_inner_) return inner;
  inner_.push_back(Inner(inner_[inner]));
  return static_cast<uint32_t>(inner_.size() - 1);
}

LiveSlots::Saved LiveSlots::Save() {
  frozen_leaves_ = static_cast<uint32_t>(leaves_.size());
  frozen_inner_ = static_cast<uint32_t>(inner_.size());
  return static_cast<Saved>(root_);
}

void LiveSlots::Include(Saved saved) {
  root_ = Union(root_, static_cast<uint32_t>(saved), levels_);
}

// A node that one of the two has already, where the union is equal to it.
uint32_t LiveSlots::Union(uint32_t a, uint32_t b, uint32_t level) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  if (level == 0) return UnionOfLeaves(a, b);
  Inner both;
  for (uint32_t i = 0; i < kChildren; ++i) both[i] = Union(inner_[a][i], inner_[b][i], level - 1);
  if (both == inner_[a]) return a;
  if (both == inner_[b]) return b;
  inner_.push_back(both);
  return static_cast<uint32_t>(inner_.size() - 1);
}

uint32_t LiveSlots::UnionOfLeaves(uint32_t a, uint32_t b) {
  Leaf both;
  for (uint32_t i = 0; i < kWords; ++i) both[i] = leaves_[a][i] | leaves_[b][i];
  if (both == leaves_[a]) return a;
  if (both == leaves_[b]) return b;
  leaves_.push_back(both);
  return static_cast<uint32_t>(leaves_.size() - 1);
}

}  // namespace tagflow::optimized
