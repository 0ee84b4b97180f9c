// Enumerates bodies. See small_graphs.h.

#include <algorithm>

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
      if (values_.back().live == Live::kInBody && AllUsed()) {
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
      for (int b = 0; b < values && goes_on_; ++b) {
        if (a != b) TryPair(a, b);
      }
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
    if (LiveTogether(one, waiter)) {
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

}  // namespace

int64_t ForEachBody(int size, const std::function<bool(const Body&)>& each) {
  return Enumeration(size, each).Run();
}

}  // namespace tagflow::fuzz
