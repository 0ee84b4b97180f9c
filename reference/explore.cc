#include "reference/explore.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace tagflow::reference {
namespace {

// An instance, whatever the order it fires in. A Recv is two steps: it asks, then it has received.
struct InstanceKey {
  int node;
  std::string tag;
  bool received;
  friend auto operator<=>(const InstanceKey&, const InstanceKey&) = default;
};

// One choice of a run: what could fire, what did, what was tried, what is still to be tried here.
struct Choice {
  std::vector<InstanceKey> enabled;
  InstanceKey chosen;
  std::set<InstanceKey> tried;
  std::set<InstanceKey> wanted;
  int64_t firing = -1;  // in the run's history
};

class Explorer {
 public:
  Explorer(Session& session, const NamedTensors& feeds, const std::vector<std::string>& fetches,
           const std::vector<std::string>& targets, const ExploreOptions& options)
      : session_(session), feeds_(feeds), fetches_(fetches), targets_(targets), options_(options) {}

  Result<Exploration> Explore() {
    const Resources initial = session_.resources().Clone();
    do {
      session_.resources() = initial.Clone();
      RunOnce();
      AddBranches();
    } while (!MustEnd() && Backtrack() && result_.orders < options_.max_orders);
    session_.resources() = initial.Clone();
    result_.exhaustive = choices_.empty() && !limited_ && !is_ended_;
    return std::move(result_);
  }

 private:
  bool MustEnd() {
    const bool is_late = options_.deadline_s > 0 && SecondsLeft() <= 0;
    is_ended_ = is_ended_ || is_late || (options_.cancelled && options_.cancelled());
    return is_ended_;
  }

  double SecondsLeft() const {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start_;
    return options_.deadline_s - gone.count();
  }

  void RunOnce() {
    ++result_.orders;
    history_ = History();
    depth_ = 0;
    RunOptions run;
    run.history = &history_;
    run.collect_errors = true;
    run.max_firings = options_.max_firings;
    run.cancelled = [this] { return MustEnd(); };
    run.order = [this](const std::deque<Ready>& ready) { return Choose(ready); };
    Result<std::vector<Tensor>> values =
        session_.RunUnder(merge_first_rules_, feeds_, fetches_, targets_, run);
    choices_.resize(depth_);
    MatchFirings();
    NoteRaces();
    if (is_ended_ && values.status().code() == Code::kCancelled) return;
    const std::vector<Status>& errors = session_.collected_errors();
    for (const Status& error : errors) AddOutcome({error, {}, 1});
    if (!errors.empty()) return;
    limited_ = limited_ || values.status().code() == Code::kResourceExhausted;
    AddOutcome(values.ok() ? Outcome{Status(), *values, 1} : Outcome{values.status(), {}, 1});
  }

  size_t Choose(const std::deque<Ready>& ready) {
    std::vector<InstanceKey> enabled;
    for (const Ready& one : ready)
      enabled.push_back({one.node, ToString(ToTag(one.iteration->tag)), one.received});
    size_t index = 0;
    if (depth_ < choices_.size()) {
      index = static_cast<size_t>(
          std::find(enabled.begin(), enabled.end(), choices_[depth_].chosen) - enabled.begin());
    } else {
      choices_.push_back({enabled, enabled[0], {enabled[0]}, {}, -1});
    }
    ++depth_;
    return index;
  }

  // Which choice made which firing: both are in order, and a Recv that only asked made none.
  void MatchFirings() {
    size_t firing = 0;
    for (Choice& choice : choices_) {
      while (firing < history_.firings.size() && history_.firings[firing].node == nullptr) ++firing;
      choice.firing = -1;
      if (firing == history_.firings.size()) continue;
      const Firing& made = history_.firings[firing];
      if (made.tag == choice.chosen.tag && made.node == session_.NodeOf(choice.chosen.node)) {
        choice.firing = static_cast<int64_t>(firing++);
      }
    }
  }

  void NoteRaces() {
    races_ = FindRaces(history_);
    for (const Race& race : races_) {
      const std::string text = race.ToString(history_);
      if (known_races_.insert(text).second) result_.races.push_back(text);
      if (race.resource.starts_with("Merge ")) {
        const Status error = StandardRules().merge_second_live(0, 1, "they are not equal");
        AddOutcome({error.WithNode(race.resource.substr(6)), {}, 1});
      }
    }
  }

  // For each race, what came second should also be tried first.
  void AddBranches() {
    for (const Race& race : races_) {
      if (race.ordered) continue;
      Choice* first = ChoiceOf(race.first);
      const Choice* second = ChoiceOf(race.second);
      if (first == nullptr || second == nullptr) continue;
      const std::vector<InstanceKey> candidates = TowardsFirst(*first, *second);
      for (const InstanceKey& candidate : candidates) first->wanted.insert(candidate);
    }
  }

  // What can fire at `first` and leads to `second`: itself, or one it comes after; all there is
  // when none does.
  std::vector<InstanceKey> TowardsFirst(const Choice& first, const Choice& second) const {
    if (Contains(first.enabled, second.chosen)) return {second.chosen};
    std::set<int64_t> ancestors;
    std::vector<int64_t> stack = {second.firing};
    while (!stack.empty()) {
      const int64_t at = stack.back();
      stack.pop_back();
      for (int64_t before : history_.firings[static_cast<size_t>(at)].after) {
        if (before > first.firing && ancestors.insert(before).second) stack.push_back(before);
      }
    }
    for (const Choice& choice : choices_) {
      if (ancestors.contains(choice.firing) && Contains(first.enabled, choice.chosen))
        return {choice.chosen};
    }
    return first.enabled;
  }

  static bool Contains(const std::vector<InstanceKey>& keys, const InstanceKey& key) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  }

  Choice* ChoiceOf(int64_t firing) {
    for (Choice& choice : choices_) {
      if (choice.firing == firing) return &choice;
    }
    return nullptr;
  }

  // Goes back to the last choice that has something left to try; false when there is none.
  bool Backtrack() {
    while (!choices_.empty()) {
      Choice& last = choices_.back();
      for (const InstanceKey& wanted : last.wanted) {
        if (!last.tried.insert(wanted).second) continue;
        last.chosen = wanted;
        return true;
      }
      choices_.pop_back();
    }
    return false;
  }

  void AddOutcome(Outcome outcome) {
    const std::string key = outcome.ToString();
    for (Outcome& known : result_.outcomes) {
      if (known.ToString() == key) {
        ++known.orders;
        return;
      }
    }
    result_.outcomes.push_back(std::move(outcome));
  }

  static Rules MergeFirstRules() {
    Rules rules = StandardRules();
    rules.merge_second_live = [](int, int, const std::string&) { return Status(); };
    return rules;
  }

  Session& session_;
  const NamedTensors& feeds_;
  const std::vector<std::string>& fetches_;
  const std::vector<std::string>& targets_;
  const ExploreOptions& options_;
  const Rules merge_first_rules_ = MergeFirstRules();
  std::vector<Choice> choices_;
  size_t depth_ = 0;
  History history_;
  std::vector<Race> races_;
  std::set<std::string> known_races_;
  bool limited_ = false;
  bool is_ended_ = false;  // by the deadline or whoever asked
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Exploration result_;
};

}  // namespace

std::string Outcome::ToString() const {
  if (!status.ok()) return status.ToString();
  std::string text;
  for (const Tensor& value : values)
    text += (text.empty() ? "" : ", ") + value.DebugString(1'000'000);
  return text;
}

Result<Exploration> Explore(Session& session, const NamedTensors& feeds,
                            const std::vector<std::string>& fetches,
                            const std::vector<std::string>& targets,
                            const ExploreOptions& options) {
  TAGFLOW_RETURN_IF_ERROR(session.Check(feeds, fetches, targets));
  return Explorer(session, feeds, fetches, targets, options).Explore();
}

}  // namespace tagflow::reference
