#ifndef TAGFLOW_FUZZ_FEATURES_REPORT_H_
#define TAGFLOW_FUZZ_FEATURES_REPORT_H_

// What a generator makes, over many programs.

#include <string>
#include <vector>

#include "fuzz/features/features.h"

namespace tagflow::fuzz {

class Report {
 public:
  // A program that passed Check. `firings`: of the reference, over all its runs; -1: not counted.
  void Add(const Features& features, int64_t firings = -1);
  // One that did not.
  void AddInvalid() { ++invalid_; }

  int64_t programs() const { return static_cast<int64_t>(sizes_.size()); }
  // Of the valid programs, how many have it, and in 100.
  int64_t Count(Feature feature) const { return counts_[static_cast<size_t>(feature)]; }
  double Percent(Feature feature) const;
  // In 100 of all programs.
  double ValidPercent() const;
  // Of tree nodes; REQUIRES: programs() > 0.
  int64_t MedianSize() const;
  double MeanFirings() const;  // of those that were counted; 0 if none was
  // In 100: statements that a run passed over, of those executed or passed over.
  double DeadPercent() const;
  // In 100: conds and cases that took every branch.
  double BothBranchesPercent() const;
  // Features that no program had.
  std::vector<Feature> Missing() const;

  std::string Text() const;
  std::string Json() const;  // one object, with the same figures

 private:
  int64_t invalid_ = 0;
  std::array<int64_t, kNumFeatures> counts_ = {};
  std::array<int64_t, kNumOps> ops_ = {};
  std::array<int64_t, 8> trips_ = {};
  std::array<int64_t, 4> captures_by_level_ = {};
  std::array<int64_t, 3> captures_by_uses_ = {};
  std::vector<int64_t> sizes_;
  std::vector<int64_t> depths_;       // programs, by depth of blocks
  std::vector<int64_t> loop_depths_;  // programs, by depth of loops
  std::vector<int64_t> firings_;
  int64_t operations_ = 0, skipped_ = 0;
  int64_t branchings_ = 0, both_branches_ = 0;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_FEATURES_REPORT_H_
