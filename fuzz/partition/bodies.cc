// Enumerates bodies. See small_graphs.h.

#include <algorithm>
#include <utility>

#include "fuzz/partition/small_graphs.h"

namespace tagflow::fuzz {
namespace {

// Under which predicate a value of the body is live.
enum class Live { kAlways, kInBody, kIfFalse, kIfTrue };

struct Value {
  Live live;
  Live waiter;  // whoever waits for its node; a Switch is live towards both sides
  int node;     // -1: given
};

class Enumeration {
 public:
  Enumeration(int size, const std::function<bool(const Body&)>& each) : size_(size), each_(each) {
    values_ = {{Live::kInBody, Live::kAlways, -1}, {Live::kAlways, Live::kAlways, -1}};
  }

  int64_t Run() {
    Extend();
    return count_;
  }

 private:
  void Extend() {
    if (static_cast<int>(body_.size()) == size_) {
      // Try leaves out most other orders of the same ops early; the rest are left out here.
      if (values_.back().live == Live::kInBody && AllUsed() && InLeastOrder(body_) == body_) {
        ++count_;
        goes_on_ = each_(body_);
      }
      return;
    }
    const int values = static_cast<int>(values_.size());
    for (int a = 0; a < values && goes_on_; ++a) {
      Try({BodyOp::kNeg, a}, {LiveOf(a)}, LiveOf(a));
      if (LiveOf(a) == Live::kInBody || LiveOf(a) == Live::kAlways) {
        Try({BodyOp::kSwitch, a}, {Live::kIfFalse, Live::kIfTrue}, LiveOf(a));
      }
      for (int b = 0; b < values && goes_on_; ++b) TryPair(a, b);
    }
  }

  void TryPair(int a, int b) {
    const Live one = LiveOf(a);
    const Live other = LiveOf(b);
    const Live waiter = values_[static_cast<size_t>(b)].waiter;
    if (one == Live::kIfFalse && other == Live::kIfTrue) {
      Try({BodyOp::kMerge, a, b}, {Live::kInBody}, Live::kInBody);
    }
    if (a < b && LiveTogether(one, other)) {
      Try({BodyOp::kAdd, a, b}, {std::max(one, other)}, std::max(one, other));
    }
    // Who waits for a Switch waits for its node, here named by its first output.
    const bool is_first = NodeOf(b) < 0 || NodeOf(b) != NodeOf(b - 1);
    const bool is_switch = NodeOf(b) >= 0 && OutputsOf(body_[static_cast<size_t>(NodeOf(b))]) == 2;
    if (is_first && (a != b || is_switch) && LiveTogether(one, waiter)) {
      Try({BodyOp::kWait, a, b}, {std::max(one, waiter)}, std::max(one, waiter));
    }
  }

  // Then the narrower of the two is what both are; the order of Live is such that it is the
  // greater.
  static bool LiveTogether(Live one, Live other) {
    return one == other || std::min(one, other) < Live::kIfFalse;
  }

  // Where an op does not take what the one before it made, the two could change places.
  void Try(const BodyNode& node, const std::vector<Live>& outputs, Live waiter) {
    if (!body_.empty() && !Takes(node, static_cast<int>(body_.size()) - 1) && node < body_.back()) {
      return;
    }
    const size_t values = values_.size();
    for (const Live live : outputs) {
      values_.push_back({live, waiter, static_cast<int>(body_.size())});
    }
    body_.push_back(node);
    Extend();
    body_.pop_back();
    values_.resize(values);
  }

  bool Takes(const BodyNode& node, int from) const {
    return NodeOf(node.a) == from || (node.b >= 0 && NodeOf(node.b) == from);
  }

  bool AllUsed() const {
    for (int i = 0; i + 1 < size_; ++i) {
      const bool used =
          std::ranges::any_of(body_, [&](const BodyNode& node) { return Takes(node, i); });
      if (!used) return false;
    }
    return true;
  }

  Live LiveOf(int value) const { return values_[static_cast<size_t>(value)].live; }
  int NodeOf(int value) const { return values_[static_cast<size_t>(value)].node; }

  const int size_;
  const std::function<bool(const Body&)>& each_;
  std::vector<Value> values_;
  Body body_;
  int64_t count_ = 0;
  bool goes_on_ = true;
};

// Tries the orders of a body's ops, the last one last, for the least.
class Reordering {
 public:
  explicit Reordering(const Body& body)
      : body_(body), least_(body), first_value_(body.size(), -1), node_of_(2, -1), port_of_(2, 0) {
    for (size_t i = 0; i < body.size(); ++i) {
      for (int port = 0; port < OutputsOf(body[i]); ++port) {
        node_of_.push_back(static_cast<int>(i));
        port_of_.push_back(port);
      }
    }
  }

  Body Least() && {
    Extend(2);
    return std::move(least_);
  }

 private:
  // next_value: the number of what the next op makes.
  void Extend(int next_value) {
    if (made_.size() == body_.size()) {
      least_ = std::min(least_, made_);
      return;
    }
    const bool is_last = made_.size() + 1 == body_.size();
    for (size_t i = is_last ? body_.size() - 1 : 0; i + (is_last ? 0 : 1) < body_.size(); ++i) {
      if (first_value_[i] >= 0) continue;
      BodyNode node = body_[i];
      if (!Rename(node.a) || !Rename(node.b)) continue;
      if (node.op == BodyOp::kAdd && node.a > node.b) std::swap(node.a, node.b);
      made_.push_back(node);
      if (!IsGreaterAlready()) {
        first_value_[i] = next_value;
        Extend(next_value + OutputsOf(node));
        first_value_[i] = -1;
      }
      made_.pop_back();
    }
  }

  bool IsGreaterAlready() const {
    return std::lexicographical_compare(least_.begin(),
                                        least_.begin() + static_cast<std::ptrdiff_t>(made_.size()),
                                        made_.begin(), made_.end());
  }

  // Whether the value is there already.
  bool Rename(int& value) const {
    if (value < 2) return true;
    const int first = first_value_[static_cast<size_t>(node_of_[static_cast<size_t>(value)])];
    if (first < 0) return false;
    value = first + port_of_[static_cast<size_t>(value)];
    return true;
  }

  const Body& body_;
  Body least_;
  Body made_;
  std::vector<int> first_value_;  // by op: of what it makes, in the order tried; -1: not there
  std::vector<int> node_of_, port_of_;  // by value of the body
};

}  // namespace

int OutputsOf(const BodyNode& node) { return node.op == BodyOp::kSwitch ? 2 : 1; }

Body InLeastOrder(const Body& body) { return Reordering(body).Least(); }

int64_t ForEachBody(int size, const std::function<bool(const Body&)>& each) {
  return Enumeration(size, each).Run();
}

}  // namespace tagflow::fuzz
