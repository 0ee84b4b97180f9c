#include "reference/common_past.h"

#include <algorithm>
#include <utility>

namespace tagflow::reference {
namespace {

constexpr uint8_t kOfA = 1, kOfB = 2, kCommon = kOfA | kOfB;
constexpr uint8_t kBeforeCommon = kCommon | 4;

}  // namespace

void CommonPast::Mark(int64_t firing, uint8_t sides) {
  uint8_t& known = sides_[static_cast<size_t>(firing)];
  if (known != 0) --waiting_[known];
  known |= sides;
  ++waiting_[known];
  lowest_ = std::min(lowest_, firing);
}

// A firing comes after earlier ones alone: going down by number, all that comes after a firing is
// looked at before it.
std::vector<int64_t> CommonPast::Latest(const History& history, std::span<const int64_t> a,
                                        std::span<const int64_t> b) {
  if (a.empty() || b.empty()) return {};
  const int64_t last = std::max(*std::ranges::max_element(a), *std::ranges::max_element(b));
  if (std::cmp_less_equal(sides_.size(), last)) sides_.resize(history.firings.size());
  lowest_ = last;
  for (const int64_t firing : a) Mark(firing, kOfA);
  for (const int64_t firing : b) Mark(firing, kOfB);
  std::vector<int64_t> latest;
  const auto may_find_more = [&] {
    return waiting_[kCommon] > 0 || (waiting_[kOfA] > 0 && waiting_[kOfB] > 0);
  };
  for (int64_t at = last; may_find_more(); --at) {
    const uint8_t sides = sides_[static_cast<size_t>(at)];
    if (sides == 0) continue;
    --waiting_[sides];
    if (sides == kCommon) latest.push_back(at);
    const uint8_t handed_on = (sides & kCommon) == kCommon ? kBeforeCommon : sides;
    for (const int64_t earlier : history.firings[static_cast<size_t>(at)].after) {
      Mark(earlier, handed_on);
    }
  }
  std::fill(sides_.begin() + lowest_, sides_.begin() + last + 1, uint8_t{0});
  std::ranges::fill(waiting_, 0);
  return latest;
}

}  // namespace tagflow::reference
