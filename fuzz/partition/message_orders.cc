#include "fuzz/partition/message_orders.h"

#include <algorithm>
#include <utility>

namespace tagflow::fuzz {
namespace {

using Keys = std::vector<std::string>;

class Search {
 public:
  Search(const std::function<std::string(const reference::Delivery&)>& run,
         const std::string& wanted)
      : run_(run), wanted_(wanted) {}

  MessageOrders Run() {
    do {
      arrived_.clear();
      path_.clear();
      ++result_.runs;
      const std::string seen = run_([this](const Keys& keys) { return Choose(keys); });
      if (result_.runs == 1 && path_.empty()) ++result_.states;
      if (!result_.problem && seen != wanted_) Complain(wanted_ + " became " + seen);
    } while (!result_.problem && FindUntried());
    if (!states_.empty()) result_.states = static_cast<int64_t>(states_.size()) + 1;
    return std::move(result_);
  }

 private:
  struct State {
    Keys under_way;
    size_t tried = 0;  // of them
    Keys path;         // by which it was first reached
  };

  // The next message of the path that is retraced, then one that was not tried here, if any.
  size_t Choose(const Keys& keys) {
    const auto [at, is_new] = states_.try_emplace(arrived_);
    State& state = at->second;
    if (is_new) state = {keys, 0, path_};
    if (!result_.problem && state.under_way != keys) {
      Complain("other messages are under way than after " + Text(state.path));
    }
    size_t choice = 0;
    if (path_.size() < retraced_.size()) {
      choice = PlaceOf(keys, retraced_[path_.size()]);
    } else if (state.tried < keys.size()) {
      choice = state.tried++;
      if (state.tried == 1 && keys.size() > 1) untried_.push_back(&state);
    }
    path_.push_back(keys[choice]);
    Arrive(keys[choice]);
    return choice;
  }

  void Arrive(const std::string& key) {
    const size_t number = numbers_.try_emplace(key, numbers_.size()).first->second;
    if (number >= arrived_.size()) arrived_.resize(number + 1);
    arrived_[number] = true;
  }

  static size_t PlaceOf(const Keys& keys, const std::string& key) {
    const auto at = std::ranges::find(keys, key);
    return at == keys.end() ? 0 : static_cast<size_t>(at - keys.begin());
  }

  bool FindUntried() {
    while (!untried_.empty()) {
      const State& state = *untried_.back();
      if (state.tried < state.under_way.size()) {
        retraced_ = state.path;
        return true;
      }
      untried_.pop_back();
    }
    return false;
  }

  static std::string Text(const Keys& keys) {
    std::string text;
    for (const std::string& key : keys) text += (text.empty() ? "" : ", ") + key;
    return text;
  }
  void Complain(const std::string& what) {
    result_.problem = what + "; the messages arrived as " + Text(path_);
  }

  const std::function<std::string(const reference::Delivery&)>& run_;
  const std::string& wanted_;
  std::map<std::vector<bool>, State> states_;  // by what has arrived; all but the last one
  std::map<std::string, size_t> numbers_;      // of messages
  std::vector<State*> untried_;                // states with something left to try, or without
  Keys retraced_;
  Keys path_;
  std::vector<bool> arrived_;  // by number; as long as the highest that has
  MessageOrders result_;
};

}  // namespace

MessageOrders TryMessageOrders(const std::function<std::string(const reference::Delivery&)>& run,
                               const std::string& wanted) {
  return Search(run, wanted).Run();
}

MessageOrders TryTwoOrders(const std::function<std::string(const reference::Delivery&)>& run,
                           const std::string& wanted) {
  MessageOrders result;
  for (const bool greatest : {false, true}) {
    ++result.runs;
    ++result.states;
    const std::string seen = run([&](const Keys& keys) {
      ++result.states;
      return greatest ? keys.size() - 1 : 0;
    });
    if (seen == wanted) continue;
    result.problem = wanted + " became " + seen + "; the " + (greatest ? "greatest" : "least") +
                     " key arrived first";
    break;
  }
  return result;
}

}  // namespace tagflow::fuzz
