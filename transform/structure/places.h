#ifndef TAGFLOW_TRANSFORM_STRUCTURE_PLACES_H_
#define TAGFLOW_TRANSFORM_STRUCTURE_PLACES_H_

// Where a node goes in a structured program, by the condition under which it is live: a condition
// is put in order, outermost predicate first, and leads from the first place of the frame through a
// place for each literal: "p=1, then q=0" is a place of the else-branch of q in the then-branch of
// p.
//
// A place and a predicate are a region: what may become an If or a Case. A region can be declined:
// conditions then pass it by, and what hangs on its predicate stays at the place, behind Switches.
//
// The order: a predicate comes after those that its own condition names, and after those that are
// said where its ways are joined (PutInside). The predicate of a loop comes first in its frame.
//
// Thread safety: none. Cost: n log n in the literals of all conditions that are asked for.
// Tested by structure_text_test.cc.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transform/deadness/structure.h"

namespace tagflow::recovery {

enum class PlaceId : int32_t { kNone = -1 };
enum class RegionId : int32_t { kNone = -1 };

// Which part of its frame a place is in: the root has the test alone.
enum class Part : uint8_t { kTest, kBody, kAfter };

struct Place {
  PlaceId parent = PlaceId::kNone;    // in the frame
  RegionId region = RegionId::kNone;  // of the parent
  int32_t value = 0;                  // of the region's predicate
  int32_t depth = 0;                  // the loops and conds around it
  int frame = 0;
  Part part = Part::kTest;
};

struct PlaceRegion {
  PlaceId place = PlaceId::kNone;
  int32_t predicate = 0;
  std::string declined;  // why it stays as primitives; empty: it does not
};

class Places {
 public:
  explicit Places(Structure& structure);

  // Forgets what has been found, but for what was declined; a loop's first place is as deep as the
  // place that it is entered from. `parents`: by frame.
  void Begin(const std::vector<int>& parents);
  // The place in a frame.                                             REQUIRES: not kNever
  PlaceId At(int frame, ConditionId condition);
  PlaceId First(int frame) const { return first_[static_cast<size_t>(frame)]; }

  const Place& operator[](PlaceId id) const { return places_[static_cast<size_t>(id)]; }
  const PlaceRegion& operator[](RegionId id) const { return regions_[static_cast<size_t>(id)]; }
  size_t num_regions() const { return regions_.size(); }

  bool IsWithin(PlaceId inner, PlaceId outer) const;
  // What the way to the place says of a predicate.
  std::optional<int32_t> ValueAt(PlaceId place, int32_t predicate) const;
  // The literals of the way.
  ConditionId ConditionOf(PlaceId place);
  // The place below `outer`, on the way to `inner`.          REQUIRES: strictly within
  PlaceId Below(PlaceId outer, PlaceId inner) const;

  // The first reason stays. Returns whether the region was not declined before.
  bool Decline(RegionId region, const std::string& why);
  // Declines all regions on the way to the place, up to `outer`, but for the loop's own.
  bool DeclineUpTo(PlaceId inner, PlaceId outer, const std::string& why);

  // Lets the predicate come after all that `around` names. Takes effect with the next Begin.
  void PutInside(int32_t predicate, ConditionId around);

 private:
  RegionId RegionAt(PlaceId place, int32_t predicate);
  PlaceId Child(RegionId region, int32_t value);
  bool IsLoop(RegionId region) const;
  PlaceId Find(int frame, ConditionId condition);

  Structure& structure_;
  std::vector<Place> places_;
  std::vector<PlaceRegion> regions_;
  std::vector<PlaceId> first_;   // by frame
  std::vector<int32_t> levels_;  // by predicate
  std::map<std::pair<PlaceId, int32_t>, RegionId> region_ids_;
  std::map<std::pair<RegionId, int32_t>, PlaceId> place_ids_;
  std::map<std::pair<int, ConditionId>, PlaceId> found_;
};

}  // namespace tagflow::recovery

#endif  // TAGFLOW_TRANSFORM_STRUCTURE_PLACES_H_
