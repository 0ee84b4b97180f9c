#include "fuzz/partition/message_orders.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace tagflow::fuzz {
namespace {

using Keys = std::vector<std::string>;
using Maker = std::function<std::string(const reference::Delivery&)>;  // of the call

// "b" of "a;b;x:0;loop[1]".
std::string_view ReceiverOf(std::string_view key) {
  const size_t begin = key.find(';') + 1;
  return key.substr(begin, key.find(';', begin) - begin);
}

std::string Text(const Keys& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : ", ") + key;
  return text;
}

// Messages by number.
class Messages {
 public:
  using Set = std::vector<bool>;  // as long as the highest number that is in it

  void Add(const std::string& key, Set& set) {
    const size_t number = numbers_.try_emplace(key, numbers_.size()).first->second;
    if (number >= set.size()) set.resize(number + 1);
    set[number] = true;
  }

 private:
  std::map<std::string, size_t> numbers_;
};

// All orders at one device, or of all messages together.
class Search {
 public:
  // receivers: those known so far, in the order they were seen; more may be added. turn: the one
  // at which orders are tried, if not everywhere.
  Search(const Maker& make, const std::string& wanted, bool everywhere,
         std::vector<std::string>& receivers, size_t turn)
      : make_(make), wanted_(wanted), everywhere_(everywhere), receivers_(receivers), turn_(turn) {}

  MessageOrders Run() {
    do {
      arrived_.clear();
      elsewhere_.clear();
      path_.clear();
      here_.clear();
      ++result_.runs;
      const std::string seen = make_([this](const Keys& keys) { return Choose(keys); });
      if (!result_.problem && seen != wanted_) Complain(wanted_ + " became " + seen);
      if (result_.runs == 1) elsewhere_at_end_ = elsewhere_;
      if (!result_.problem && elsewhere_ != elsewhere_at_end_) {
        Complain("other messages have arrived elsewhere in the end");
      }
    } while (!result_.problem && FindUntried());
    result_.states = static_cast<int64_t>(states_.size()) + 1;  // and that in which all have
    return std::move(result_);
  }

 private:
  struct State {
    Keys under_way;
    Messages::Set elsewhere;  // what has arrived there
    size_t tried = 0;         // of those under way
    Keys path;                // by which it was first reached
    Keys here;                // of these, those to the device
  };

  size_t Choose(const Keys& keys) {
    NoteReceivers(keys);
    const auto away = std::ranges::find_if(keys, [this](const std::string& key) {
      return !everywhere_ && ReceiverOf(key) != receivers_[turn_];
    });
    const bool is_away = away != keys.end();
    const size_t choice = is_away ? static_cast<size_t>(away - keys.begin()) : ChooseHere(keys);
    path_.push_back(keys[choice]);
    messages_.Add(keys[choice], is_away ? elsewhere_ : arrived_);
    return choice;
  }

  void NoteReceivers(const Keys& keys) {
    for (const std::string& key : keys) {
      const std::string_view receiver = ReceiverOf(key);
      if (std::ranges::find(receivers_, receiver) == receivers_.end()) {
        receivers_.emplace_back(receiver);
      }
    }
  }

  // The next message of the path that is retraced, then one that was not tried here, if any.
  size_t ChooseHere(const Keys& keys) {
    const auto [at, is_new] = states_.try_emplace(arrived_);
    State& state = at->second;
    if (is_new) state = {keys, elsewhere_, 0, path_, here_};
    if (!result_.problem && state.under_way != keys) {
      Complain("other messages are under way than after " + Text(state.path));
    }
    if (!result_.problem && state.elsewhere != elsewhere_) {
      Complain("other messages have arrived elsewhere than after " + Text(state.path));
    }
    size_t choice = 0;
    if (here_.size() < retraced_.size()) {
      choice = PlaceOf(keys, retraced_[here_.size()]);
    } else if (state.tried < keys.size()) {
      choice = state.tried++;
      if (state.tried == 1 && keys.size() > 1) untried_.push_back(&state);
    }
    here_.push_back(keys[choice]);
    return choice;
  }

  static size_t PlaceOf(const Keys& keys, const std::string& key) {
    const auto at = std::ranges::find(keys, key);
    return at == keys.end() ? 0 : static_cast<size_t>(at - keys.begin());
  }

  bool FindUntried() {
    while (!untried_.empty()) {
      const State& state = *untried_.back();
      if (state.tried < state.under_way.size()) {
        retraced_ = state.here;
        return true;
      }
      untried_.pop_back();
    }
    return false;
  }

  void Complain(const std::string& what) {
    result_.problem = what + "; the messages arrived as " + Text(path_);
  }

  const Maker& make_;
  const std::string& wanted_;
  const bool everywhere_;
  std::vector<std::string>& receivers_;
  const size_t turn_;
  Messages messages_;
  std::map<Messages::Set, State> states_;  // by what has arrived; all but the last one
  std::vector<State*> untried_;            // states with something left to try, or without
  Keys retraced_;
  Keys path_;  // all that has arrived in this run
  Keys here_;  // of these, those to the device
  Messages::Set arrived_, elsewhere_, elsewhere_at_end_;
  MessageOrders result_;
};

MessageOrders TryAtEachDevice(const Maker& make, const std::string& wanted) {
  std::vector<std::string> receivers;
  MessageOrders all = Search(make, wanted, false, receivers, 0).Run();
  for (size_t turn = 1; turn < receivers.size() && !all.problem; ++turn) {
    MessageOrders more = Search(make, wanted, false, receivers, turn).Run();
    all.states += more.states;
    all.runs += more.runs;
    all.problem = std::move(more.problem);
  }
  return all;
}

// One order: the least key first, and `late` only when nothing else is under way. Returns what
// arrived, in order.
Keys TryOneOrder(const Maker& make, const std::string& wanted, const std::string& late,
                 MessageOrders& result) {
  Keys arrived;
  const std::string seen = make([&](const Keys& keys) {
    const size_t choice = keys[0] == late && keys.size() > 1 ? 1 : 0;
    arrived.push_back(keys[choice]);
    return choice;
  });
  ++result.runs;
  result.states += static_cast<int64_t>(arrived.size()) + 1;
  if (seen == wanted) return arrived;
  result.problem = wanted + " became " + seen + "; the messages arrived as " + Text(arrived);
  return arrived;
}

MessageOrders TryEveryPair(const Maker& make, const std::string& wanted) {
  MessageOrders result;
  for (const std::string& late : TryOneOrder(make, wanted, "", result)) {
    if (!result.problem) TryOneOrder(make, wanted, late, result);
  }
  return result;
}

}  // namespace

MessageOrders TryMessageOrders(const Maker& make, const std::string& wanted, Orders orders) {
  if (orders == Orders::kEveryPair) return TryEveryPair(make, wanted);
  if (orders == Orders::kAtEachDevice) return TryAtEachDevice(make, wanted);
  std::vector<std::string> receivers;
  return Search(make, wanted, true, receivers, 0).Run();
}

}  // namespace tagflow::fuzz
