#ifndef TAGFLOW_REFERENCE_COMMON_PAST_H_
#define TAGFLOW_REFERENCE_COMMON_PAST_H_

// The firings that two sets of firings both come after, for a Merge that two live tokens reach
// ([merge.3]): it fires after those, but waited for neither token.
//
// Cost: linear in the firings from the last of either set back to where one of them has no other
// past than the common one; at most in the whole history.       Tested by common_past_test.cc.

#include <cstdint>
#include <span>
#include <vector>

#include "reference/history.h"

namespace tagflow::reference {

class CommonPast {
 public:
  // The latest of them, in descending order: each of the others is before one of these. A firing
  // that is in both sets, or in one while the other comes after it, counts as common.
  std::vector<int64_t> Latest(const History& history, std::span<const int64_t> a,
                              std::span<const int64_t> b);

 private:
  void Mark(int64_t firing, uint8_t sides);

  // By firing, bits: it is in a or before it; in b or before it; before a common firing.
  std::vector<uint8_t> sides_;
  int64_t waiting_[8] = {};  // by bits: marked firings that are still to be looked at
  int64_t lowest_ = 0;       // of those marked
};

}  // namespace tagflow::reference

#endif  // TAGFLOW_REFERENCE_COMMON_PAST_H_
