// One best program, and edits of it that are tried in turn. An edit that leaves a smaller program
// (cost.h) that still fails makes it the best one, and goes on from there; so every step is down,
// and a round in which no edit helped is the end. Large cuts come first, since each that works
// spares the tests of all that lay within.

#include "fuzz/shrink/shrink.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "fuzz/direct/direct.h"
#include "fuzz/program/check.h"
#include "fuzz/program/passes.h"
#include "fuzz/program/retype.h"
#include "fuzz/program/text.h"
#include "fuzz/program/walk.h"
#include "fuzz/shrink/cleanup.h"
#include "fuzz/shrink/cost.h"
#include "fuzz/shrink/edits.h"

namespace tagflow::fuzz {
namespace {

class Shrinker {
 public:
  Shrinker(const Program& program, const std::function<bool(const Program&)>& still_fails,
           const ShrinkOptions& options)
      : best_(Canonical(program)),
        cost_(Cost(program)),
        still_fails_(still_fails),
        options_(options) {
    Activity activity;
    DirectOptions direct;
    direct.activity = &activity;
    evaluates_ = Evaluate(program, direct).ok();
    // An edit may well make a loop longer, but not without end.
    max_operations_ = 4 * activity.operations + 10'000;
  }

  Program Run() {
    cleans_ = true;
    const bool was_clean = [&] {
      Program cleaned = best_;
      RemoveUnneeded(cleaned);
      return Cost(cleaned) == cost_;
    }();
    // Whether what nothing depends on matters to the failure; it may, to a graph that is pruned.
    cleans_ = was_clean || Offer(best_);
    bool improved = true;
    while (improved && HasBudget()) {
      improved = false;
      for (const auto make : {WholeEdits, ControlEdits, DeleteEdits, PartEdits, NumberEdits}) {
        improved = RunPass(make) || improved;
      }
      if (!improved) improved = RunPass(SubstituteEdits);
    }
    return std::move(best_);
  }

  const ShrinkActivity& activity() const { return activity_; }

 private:
  bool HasBudget() const {
    return activity_.tests < options_.max_tests &&
           std::chrono::steady_clock::now() < options_.deadline;
  }

  bool RunPass(Edits (*make)(const Program&)) {
    bool improved = false;
    Edits edits = make(best_);
    for (size_t i = 0; i < edits.size() && HasBudget();) {
      Program candidate = best_;
      edits[i](candidate);
      if (Offer(std::move(candidate))) {
        improved = true;
        edits = make(best_);
      } else {
        ++i;
      }
    }
    return improved;
  }

  // Makes the candidate the best program if it is smaller and still fails.
  bool Offer(Program candidate) {
    if (CheckScopes(candidate)) return Reject();
    if (cleans_) RemoveUnneeded(candidate);
    if (Cost(candidate) >= cost_) return false;
    // What an edit left out of date is brought up to date, or is no program.
    if (!Check(candidate).ok() && !(Retype(candidate).ok() && Check(candidate).ok())) {
      return Reject();
    }
    const int64_t cost = Cost(candidate);
    if (cost >= cost_) return false;
    if (!asked_.insert(ToText(candidate)).second) return false;
    if (!Evaluates(candidate)) return Reject();
    ++activity_.tests;
    if (!still_fails_(candidate)) return false;
    ++activity_.accepted;
    best_ = Canonical(candidate);
    cost_ = cost;
    return true;
  }

  bool Reject() {
    ++activity_.rejected;
    return false;
  }

  bool Evaluates(const Program& candidate) const {
    if (!evaluates_) return true;
    DirectOptions direct;
    direct.max_operations = max_operations_;
    return Evaluate(candidate, direct).ok();
  }

  Program best_;
  int64_t cost_;
  const std::function<bool(const Program&)>& still_fails_;
  const ShrinkOptions& options_;
  bool cleans_ = false;
  bool evaluates_ = false;
  int64_t max_operations_ = 0;
  std::unordered_set<std::string> asked_;
  ShrinkActivity activity_;
};

}  // namespace

Program Shrink(const Program& program, const std::function<bool(const Program&)>& still_fails,
               const ShrinkOptions& options, ShrinkActivity* activity) {
  Shrinker shrinker(program, still_fails, options);
  Program smallest = shrinker.Run();
  if (activity != nullptr) *activity = shrinker.activity();
  return smallest;
}

}  // namespace tagflow::fuzz
