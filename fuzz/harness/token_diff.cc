#include "fuzz/harness/token_diff.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

namespace tagflow::fuzz {
namespace {

using Output = reference::TraceEvent::Output;
using Key = std::tuple<size_t, std::string, std::string>;

constexpr size_t kCausesMost = 24;
constexpr int kElementsShown = 8;

// Without the op, which a mutant may have exchanged.
std::string NodeName(const TokenEvent& event) { return event.name.substr(0, event.name.find(' ')); }

Key KeyOf(const TokenEvent& event) { return {event.call, event.tag, NodeName(event)}; }

bool Same(const Output& a, const Output& b) {
  if (a.dead != b.dead || a.reference != b.reference) return false;
  if (a.value.has_value() != b.value.has_value()) return false;
  if (!a.value.has_value()) return true;
  const DType dtype = a.value.dtype();
  if (dtype != b.value.dtype()) return false;
  // Each session has handles of its own.
  return dtype == DType::kResource || dtype == DType::kVariant || BitwiseEqual(a.value, b.value);
}

std::string Text(const Output& output) {
  if (output.dead) return "dead";
  if (!output.reference.empty()) return "a reference to " + output.reference;
  return output.value.has_value() ? output.value.DebugString(kElementsShown) : "nothing";
}

std::string Text(const TokenEvent& event) {
  if (!event.error.empty()) return event.error;
  if (event.outputs.empty()) return event.dead ? "dead" : "live";
  std::string text;
  for (const Output& output : event.outputs) text += (text.empty() ? "" : ", ") + Text(output);
  return text;
}

bool Same(const TokenEvent& actual, const TokenEvent& expected, bool partial) {
  if (!actual.error.empty()) return false;
  if (!partial &&
      (actual.dead != expected.dead || actual.outputs.size() != expected.outputs.size())) {
    return false;
  }
  for (size_t i = 0; i < std::min(actual.outputs.size(), expected.outputs.size()); ++i) {
    const bool asked = actual.outputs[i].dead || actual.outputs[i].value.has_value() ||
                       !actual.outputs[i].reference.empty();
    if (partial && !asked) continue;
    if (!Same(actual.outputs[i], expected.outputs[i])) return false;
  }
  return true;
}

class Differ {
 public:
  Differ(const CallSequence& calls, const TokenTrace& actual, const TokenTrace& expected)
      : calls_(calls), actual_(actual), expected_(expected) {
    for (const TokenEvent& event : actual.events) by_key_.emplace(KeyOf(event), &event);
  }

  std::optional<TokenDifference> Find() {
    std::set<Key> known;
    for (size_t i = 0; i < expected_.events.size(); ++i) {
      const TokenEvent& event = expected_.events[i];
      known.insert(KeyOf(event));
      std::optional<std::string> other = OtherText(event);
      if (!other.has_value()) continue;
      TokenDifference difference = About(event);
      difference.actual = *std::move(other);
      difference.expected = Text(event);
      difference.causes = Causes(expected_, i);
      return difference;
    }
    if (expected_.partial) return std::nullopt;
    for (size_t i = 0; i < actual_.events.size(); ++i) {
      const TokenEvent& event = actual_.events[i];
      if (known.contains(KeyOf(event))) continue;
      TokenDifference difference = About(event);
      difference.actual = Text(event);
      difference.expected = NeverFired(expected_);
      difference.causes = Causes(actual_, i);
      return difference;
    }
    return std::nullopt;
  }

  std::map<size_t, std::string> FindAll() const {
    std::map<size_t, std::string> all;
    for (size_t i = 0; i < expected_.events.size(); ++i) {
      if (std::optional<std::string> other = OtherText(expected_.events[i])) {
        all.emplace(i, *std::move(other));
      }
    }
    return all;
  }

 private:
  // The words for what `actual` has instead of an expected event; nothing where it has the same, or
  // does not tell.
  std::optional<std::string> OtherText(const TokenEvent& event) const {
    const TokenEvent* const actual = ActualOf(event);
    if (actual == nullptr) {
      if (actual_.partial) return std::nullopt;
      return NeverFired(actual_);
    }
    if (Same(*actual, event, actual_.partial || expected_.partial)) return std::nullopt;
    return Text(*actual);
  }

  const TokenEvent* ActualOf(const TokenEvent& event) const {
    const auto found = by_key_.find(KeyOf(event));
    return found == by_key_.end() ? nullptr : found->second;
  }

  static std::string NeverFired(const TokenTrace& trace) {
    return trace.status.ok() ? "never fired" : "never fired: " + trace.status.ToString();
  }

  TokenDifference About(const TokenEvent& event) const {
    TokenDifference difference;
    difference.call = event.call;
    difference.node = event.name;
    difference.tag = event.tag;
    return difference;
  }

  // The nearest producers of an event, as a tree, each once.
  std::string Causes(const TokenTrace& trace, size_t event) {
    lines_.clear();
    const size_t all = CollectNear(trace, event);
    Tell(trace, event, 1);
    if (all > kCausesMost) lines_ += "    … and what those were made from\n";
    return lines_;
  }

  // Breadth first, so that a long chain behind one input hides no other input. How many were seen,
  // at most one more than are told.
  size_t CollectNear(const TokenTrace& trace, size_t event) {
    near_.clear();
    std::deque<size_t> next = {event};
    while (!next.empty()) {
      for (int64_t from : trace.events[next.front()].inputs) {
        if (from < 0 || near_.contains(from)) continue;
        if (near_.size() == kCausesMost) return kCausesMost + 1;
        near_.insert(from);
        next.push_back(static_cast<size_t>(from));
      }
      next.pop_front();
    }
    return near_.size();
  }

  // As deep as near_ is large.
  void Tell(const TokenTrace& trace, size_t at, int depth) {
    const TokenEvent& event = trace.events[at];
    for (size_t i = 0; i < event.inputs.size(); ++i) {
      const int64_t from = event.inputs[i];
      if (from < 0) {
        TellFeed(event, i, depth);
        continue;
      }
      if (near_.erase(from) == 0) continue;
      const TokenEvent& cause = trace.events[static_cast<size_t>(from)];
      std::string line = cause.name + Under(cause.tag) + ": " + Text(cause);
      const TokenEvent* const actual = ActualOf(cause);
      if (&trace == &expected_ && actual != nullptr &&
          !Same(*actual, cause, actual_.partial || expected_.partial)) {
        line += " (but " + Text(*actual) + ")";
      }
      Add(line, depth);
      Tell(trace, static_cast<size_t>(from), depth + 1);
    }
  }

  void TellFeed(const TokenEvent& event, size_t input, int depth) {
    if (event.node == NodeId::kNone) return;
    const std::vector<OutputRef>& inputs = calls_.graph.node(event.node).inputs;
    if (input >= inputs.size()) return;
    for (const auto& [name, value] : calls_.calls[event.call].feeds) {
      const Result<OutputRef> fed = FindOutput(calls_.graph, name);
      if (fed.ok() && *fed == inputs[input]) {
        return Add(name + ": fed " + value.DebugString(kElementsShown), depth);
      }
    }
  }

  void Add(const std::string& line, int depth) {
    lines_ += std::string(2 + 2 * static_cast<size_t>(std::min(depth, 12)), ' ') + line + "\n";
  }

  static std::string Under(const std::string& tag) { return tag.empty() ? "" : " under " + tag; }

  const CallSequence& calls_;
  const TokenTrace& actual_;
  const TokenTrace& expected_;
  std::map<Key, const TokenEvent*> by_key_;  // of the actual events
  std::string lines_;
  std::set<int64_t> near_;  // events to be told
};

}  // namespace

std::optional<TokenDifference> FirstDifference(const CallSequence& calls, const TokenTrace& actual,
                                               const TokenTrace& expected) {
  return Differ(calls, actual, expected).Find();
}

std::map<size_t, std::string> AllDifferences(const CallSequence& calls, const TokenTrace& actual,
                                             const TokenTrace& expected) {
  return Differ(calls, actual, expected).FindAll();
}

std::string ToText(const TokenDifference& difference, const std::string& actual_name,
                   const std::string& expected_name) {
  const size_t width = std::max(actual_name.size(), expected_name.size());
  const auto padded = [width](const std::string& name) {
    return name + ":" + std::string(width - name.size() + 1, ' ');
  };
  std::string text = "  first diverging token: " + difference.node;
  if (!difference.tag.empty()) text += " under " + difference.tag;
  text += ", step " + std::to_string(difference.call + 1) + "\n";
  text += "    " + padded(actual_name) + difference.actual + "\n";
  text += "    " + padded(expected_name) + difference.expected + "\n";
  if (!difference.causes.empty()) text += "  made from\n" + difference.causes;
  return text;
}

}  // namespace tagflow::fuzz
