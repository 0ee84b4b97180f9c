#ifndef TAGFLOW_FUZZ_GENERATE_SIZES_H_
#define TAGFLOW_FUZZ_GENERATE_SIZES_H_

// The ranges that small sizes are drawn from, by name: Between(kFew, choices). A size at which an
// engine begins to work in another way is none of these: it comes from the engine's own headers of
// limits, and AroundLimit draws near it. Tested by swarm_test.cc.

#include <cstdint>
#include <iterator>

#include "fuzz/generate/choices.h"

namespace tagflow::fuzz {

struct Range {
  int least;
  int most;
};

inline constexpr Range kNoneOrOne = {0, 1};
inline constexpr Range kOneOrTwo = {1, 2};
inline constexpr Range kUpToTwo = {0, 2};
inline constexpr Range kFew = {1, 3};
inline constexpr Range kUpToThree = {0, 3};
inline constexpr Range kUpToFour = {0, 4};  // below, at and above what a tensor of kFew has
inline constexpr Range kSeveral = {1, 7};
inline constexpr Range kEitherSign = {-5, 5};

inline int Between(Range range, Choices& choices) {
  return choices.Between(range.least, range.most);
}

// A size near the limit, or near twice the limit, where there is a second block or the half of what
// is cut in two: at it, one above, one below. The limit itself is the simplest.
inline int64_t AroundLimit(int64_t limit, Choices& choices) {
  constexpr int64_t kOffsets[] = {0, 1, -1};
  const int64_t times = choices.Chance(kSometimes) ? 2 : 1;
  return times * limit + kOffsets[choices.Below(std::size(kOffsets))];
}

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GENERATE_SIZES_H_
