#include "fuzz/shrink/shrink_choices.h"

#include <algorithm>
#include <set>

namespace tagflow::fuzz {
namespace {

using Numbers = std::vector<uint32_t>;

class ChoiceShrinker {
 public:
  ChoiceShrinker(Numbers numbers, const std::function<bool(const Numbers&)>& still_fails,
                 const ShrinkOptions& options)
      : best_(std::move(numbers)), still_fails_(still_fails), options_(options) {}

  Numbers Run() {
    DropZerosAtTheEnd();
    Cut();
    bool improved = true;
    while (improved && HasBudget()) {
      const Numbers before = best_;
      LeaveOutStretches();
      ZeroStretches();
      LowerNumbers();
      LowerNeighbours();
      improved = best_ != before;
    }
    return std::move(best_);
  }

  const ShrinkActivity& activity() const { return activity_; }

 private:
  bool HasBudget() const {
    return activity_.tests < options_.max_tests &&
           std::chrono::steady_clock::now() < options_.deadline;
  }

  static bool IsSmaller(const Numbers& a, const Numbers& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }

  bool Try(Numbers candidate) {
    while (!candidate.empty() && candidate.back() == 0) candidate.pop_back();
    if (!IsSmaller(candidate, best_) || !HasBudget()) return false;
    if (!asked_.insert(candidate).second) return false;
    ++activity_.tests;
    if (!still_fails_(candidate)) return false;
    ++activity_.accepted;
    best_ = std::move(candidate);
    return true;
  }

  // A sequence goes on with zeros, so this changes nothing that is drawn.
  void DropZerosAtTheEnd() {
    while (!best_.empty() && best_.back() == 0) best_.pop_back();
  }

  // The shortest beginning of it that still fails, as far as halving finds it.
  void Cut() {
    size_t fails = best_.size(), holds = 0;
    if (Try({})) return;
    while (fails - holds > 1 && HasBudget()) {
      const size_t middle = holds + (fails - holds) / 2;
      if (Try(Numbers(best_.begin(), best_.begin() + static_cast<int64_t>(middle)))) {
        fails = std::min(middle, best_.size());
      } else {
        holds = middle;
      }
      if (fails <= holds) return;
    }
  }

  template <typename Edit>
  void OverStretches(const Edit& edit) {
    for (size_t length = std::max<size_t>(best_.size() / 2, 1);; length /= 2) {
      for (size_t end = best_.size(); end > 0 && HasBudget();) {
        end = std::min(end, best_.size());
        if (end == 0) break;
        const size_t begin = end > length ? end - length : 0;
        // What comes behind a stretch that was left out moves up to where it was.
        if (!edit(begin, end)) end = length > 4 ? begin : end - 1;
      }
      if (length <= 1) return;
    }
  }

  void LeaveOutStretches() {
    OverStretches([&](size_t begin, size_t end) {
      Numbers candidate = best_;
      candidate.erase(candidate.begin() + static_cast<int64_t>(begin),
                      candidate.begin() + static_cast<int64_t>(end));
      if (Try(candidate)) return true;
      // The number before a stretch often says how many there are of what the stretch describes.
      if (begin == 0 || candidate[begin - 1] == 0) return false;
      --candidate[begin - 1];
      return Try(std::move(candidate));
    });
  }

  void ZeroStretches() {
    OverStretches([&](size_t begin, size_t end) {
      Numbers candidate = best_;
      std::fill(candidate.begin() + static_cast<int64_t>(begin),
                candidate.begin() + static_cast<int64_t>(end), 0u);
      return Try(std::move(candidate));
    });
  }

  // Whether the sequence with `number` at i still fails.
  bool TryNumber(size_t i, uint32_t number) {
    if (i >= best_.size()) return false;
    Numbers candidate = best_;
    candidate[i] = number;
    return Try(std::move(candidate));
  }

  void LowerNumbers() {
    for (size_t i = 0; i < best_.size() && HasBudget(); ++i) {
      if (best_[i] == 0 || TryNumber(i, 0)) continue;
      uint32_t holds = 0;
      while (i < best_.size() && best_[i] - holds > 1 && HasBudget()) {
        const uint32_t middle = holds + (best_[i] - holds) / 2;
        if (!TryNumber(i, middle)) holds = middle;
        if (i < best_.size() && best_[i] <= holds) break;
      }
      if (i < best_.size() && best_[i] > 0) TryNumber(i, best_[i] - 1);
    }
  }

  // Moves what one number says into the next, for samples that need the two together.
  void LowerNeighbours() {
    for (size_t i = 0; i + 1 < best_.size() && HasBudget(); ++i) {
      if (best_[i] == 0) continue;
      Numbers candidate = best_;
      std::swap(candidate[i], candidate[i + 1]);
      Try(std::move(candidate));
    }
  }

  Numbers best_;
  const std::function<bool(const Numbers&)>& still_fails_;
  const ShrinkOptions& options_;
  ShrinkActivity activity_;
  std::set<Numbers> asked_;
};

}  // namespace

std::vector<uint32_t> ShrinkChoices(std::vector<uint32_t> numbers,
                                    const std::function<bool(const Numbers&)>& still_fails,
                                    const ShrinkOptions& options, ShrinkActivity* activity) {
  ChoiceShrinker shrinker(std::move(numbers), still_fails, options);
  std::vector<uint32_t> smallest = shrinker.Run();
  if (activity != nullptr) *activity = shrinker.activity();
  return smallest;
}

}  // namespace tagflow::fuzz
