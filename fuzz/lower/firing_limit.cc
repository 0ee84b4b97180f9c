#include "fuzz/lower/firing_limit.h"

#include <numeric>

namespace tagflow::fuzz {

int64_t FiringLimit(const Program& program, const Activity& activity) {
  const int64_t trips = std::accumulate(activity.trips.begin(), activity.trips.end(), int64_t{0});
  return 10'000 + 200 * (activity.operations + activity.skipped + trips + Size(program));
}

}  // namespace tagflow::fuzz
