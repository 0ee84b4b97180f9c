#include "reference/races.h"

#include <algorithm>
#include <map>

namespace tagflow::reference {
namespace {

struct Touch {
  int64_t firing;
  Access access;
};

bool Conflict(const Access& a, const Access& b) {
  if (a.is_live_token() && b.is_live_token()) return a.element != b.element;
  const bool same_part =
      a.element == b.element || a.element == Access::kWhole || b.element == Access::kWhole;
  return same_part && (a.is_write || b.is_write);
}

// Marks everything that `firing` comes after, down to the id `floor`.
std::vector<bool> Before(const History& history, RunOn run_on, int64_t firing, int64_t floor) {
  std::vector<bool> before(static_cast<size_t>(firing - floor) + 1);
  std::vector<int64_t> stack = {firing};
  while (!stack.empty()) {
    const int64_t at = stack.back();
    stack.pop_back();
    const bool is_end = history.firings[static_cast<size_t>(at)].node == nullptr;
    if (is_end && run_on == RunOn::kDevices) continue;
    for (int64_t earlier : history.firings[static_cast<size_t>(at)].after) {
      if (earlier < floor || before[static_cast<size_t>(earlier - floor)]) continue;
      before[static_cast<size_t>(earlier - floor)] = true;
      stack.push_back(earlier);
    }
  }
  return before;
}

void FindRacesAt(const History& history, RunOn run_on, const std::vector<Touch>& touches,
                 std::vector<Race>& races) {
  for (size_t j = 1; j < touches.size(); ++j) {
    bool conflicts = false;
    for (size_t i = 0; i < j && !conflicts; ++i)
      conflicts = Conflict(touches[i].access, touches[j].access);
    if (!conflicts) continue;
    const int64_t floor = touches[0].firing;
    const std::vector<bool> before = Before(history, run_on, touches[j].firing, floor);
    for (size_t i = 0; i < j; ++i) {
      if (!Conflict(touches[i].access, touches[j].access)) continue;
      const bool ordered = touches[i].firing == touches[j].firing ||
                           before[static_cast<size_t>(touches[i].firing - floor)];
      if (ordered && !touches[j].access.is_live_token()) continue;
      races.push_back({touches[j].access.name, touches[i].firing, touches[j].firing, ordered});
    }
  }
}

std::string Place(const Firing& firing) {
  if (firing.node == nullptr) return "the feeds";
  return "'" + firing.node->name + "'" + (firing.tag.empty() ? "" : " at tag " + firing.tag);
}

}  // namespace

std::string Race::ToString(const History& history) const {
  // By name, not by time: one race reads the same whichever way a run ordered it.
  std::string a = Place(history.firings[static_cast<size_t>(first)]);
  std::string b = Place(history.firings[static_cast<size_t>(second)]);
  if (b < a) std::swap(a, b);
  return "race on " + resource + ": " + a + " and " + b + " are not ordered";
}

std::vector<Race> FindRaces(const History& history, RunOn run_on) {
  std::map<const Resource*, std::vector<Touch>> by_object;
  for (size_t i = 0; i < history.firings.size(); ++i) {
    for (const Access& access : history.firings[i].accesses) {
      by_object[access.object].push_back({static_cast<int64_t>(i), access});
    }
  }
  std::vector<Race> races;
  for (const auto& [object, touches] : by_object) FindRacesAt(history, run_on, touches, races);
  std::sort(races.begin(), races.end(), [](const Race& a, const Race& b) {
    return std::tie(a.first, a.second, a.resource) < std::tie(b.first, b.second, b.resource);
  });
  races.erase(std::unique(races.begin(), races.end(),
                          [](const Race& a, const Race& b) {
                            return std::tie(a.first, a.second, a.resource) ==
                                   std::tie(b.first, b.second, b.resource);
                          }),
              races.end());
  return races;
}

}  // namespace tagflow::reference
