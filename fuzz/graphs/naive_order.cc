// Tested by naive_order_test.cc.

#include "fuzz/graphs/naive_order.h"

#include <algorithm>
#include <utility>

namespace tagflow::fuzz {
namespace {

bool Meet(const NaiveTouch& a, const NaiveTouch& b) {
  if (a.object != b.object || (!a.writes && !b.writes)) return false;
  return a.part.empty() || b.part.empty() || a.part == b.part;
}

bool Meet(const std::vector<NaiveTouch>& a, const std::vector<NaiveTouch>& b) {
  return std::ranges::any_of(a, [&](const NaiveTouch& of_a) {
    return std::ranges::any_of(b, [&](const NaiveTouch& of_b) { return Meet(of_a, of_b); });
  });
}

}  // namespace

int NaiveOrder::Add(std::string node, std::string tag, std::vector<int> after) {
  std::erase_if(after, [](int moment) { return moment < 0; });
  moments_.push_back({std::move(node), std::move(tag), std::move(after), {}});
  return static_cast<int>(moments_.size()) - 1;
}

int NaiveOrder::AddEnd(const std::string& tags, std::vector<int> after) {
  for (size_t i = 0; i < moments_.size(); ++i) {
    if (moments_[i].tag.starts_with(tags)) after.push_back(static_cast<int>(i));
  }
  return Add("", "", std::move(after));
}

void NaiveOrder::SetTouches(int moment, std::vector<NaiveTouch> touches) {
  moments_[static_cast<size_t>(moment)].touches = std::move(touches);
}

void NaiveOrder::SetAnyOf(int moment, std::vector<int> any_of) {
  moments_[static_cast<size_t>(moment)].any_of = std::move(any_of);
}

// The moments before this one, as far as `earlier` tells those before the others.
NaiveOrder::Bits NaiveOrder::EarlierOf(const Moment& moment,
                                       const std::vector<Bits>& earlier) const {
  const size_t words = moments_.size() / 64 + 1;
  const auto upto = [&](int last) {
    if (last < 0) return Bits(words);
    const auto at = static_cast<size_t>(last);
    Bits bits = earlier[at];
    bits[at / 64] |= uint64_t{1} << (at % 64);
    return bits;
  };
  Bits all(words);
  for (const int after : moment.after) {
    const Bits bits = upto(after);
    for (size_t word = 0; word < words; ++word) all[word] |= bits[word];
  }
  Bits common(words, moment.any_of.empty() ? 0 : ~uint64_t{0});
  for (const int one : moment.any_of) {
    const Bits bits = upto(one);
    for (size_t word = 0; word < words; ++word) common[word] &= bits[word];
  }
  for (size_t word = 0; word < words; ++word) all[word] |= common[word];
  return all;
}

// For each moment, the moments before it. A moment that comes after any of several may itself come
// before some of these, which are then not the one that it comes after: so each set begins with all
// moments, and shrinks until all sets hold. One pass does where no moment looks ahead.
std::vector<NaiveOrder::Bits> NaiveOrder::Earlier() const {
  std::vector<Bits> earlier(moments_.size(), Bits(moments_.size() / 64 + 1, ~uint64_t{0}));
  bool looks_ahead = false;
  for (size_t i = 0; i < moments_.size(); ++i) {
    looks_ahead |= std::ranges::any_of(moments_[i].any_of,
                                       [&](int one) { return one >= static_cast<int>(i); });
  }
  bool has_changed = false;
  do {
    has_changed = false;
    for (size_t i = 0; i < moments_.size(); ++i) {
      Bits found = EarlierOf(moments_[i], earlier);
      if (found == earlier[i]) continue;
      earlier[i] = std::move(found);
      has_changed = true;
    }
  } while (looks_ahead && has_changed);
  return earlier;
}

std::set<std::string> NaiveOrder::Races() const {
  std::vector<size_t> touching;
  for (size_t i = 0; i < moments_.size(); ++i) {
    if (!moments_[i].touches.empty()) touching.push_back(i);
  }
  std::vector<Bits> earlier;
  std::set<std::string> races;
  for (const size_t b : touching) {
    for (const size_t a : touching) {
      if (a >= b || !Meet(moments_[a].touches, moments_[b].touches)) continue;
      if (earlier.empty()) earlier = Earlier();
      if ((earlier[b][a / 64] >> (a % 64) & 1) != 0) continue;
      races.insert(NaivePair(moments_[a].node + "@" + moments_[a].tag,
                             moments_[b].node + "@" + moments_[b].tag));
    }
  }
  return races;
}

std::string NaivePair(const std::string& a, const std::string& b) {
  return std::min(a, b) + " and " + std::max(a, b);
}

}  // namespace tagflow::fuzz
