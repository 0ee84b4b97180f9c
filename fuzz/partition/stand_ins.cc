#include "fuzz/partition/stand_ins.h"

#include <algorithm>
#include <utility>

namespace tagflow::fuzz {
namespace {

constexpr int kX = 0;
constexpr int kC = 1;

class Finder {
 public:
  Finder(const PlacedBody& placed, Surroundings surroundings, const SmallGraph& small)
      : body_(placed.body),
        devices_(placed.devices),
        small_(small),
        c_is_everywhere_(surroundings != Surroundings::kCond) {
    for (size_t i = 0; i < body_.size(); ++i) {
      first_value_.push_back(static_cast<int>(node_of_.size()));
      node_of_.resize(node_of_.size() + static_cast<size_t>(OutputsOf(body_[i])),
                      static_cast<int>(i));
    }
  }

  std::optional<PlacedBody> Find() const {
    for (size_t i = 0; i < body_.size(); ++i) {
      if (WaitsForALocal(i)) {
        PlacedBody found{body_, devices_};
        found.body[i] = {BodyOp::kAdd, std::min(body_[i].a, body_[i].b),
                         std::max(body_[i].a, body_[i].b)};
        return found;
      }
      if (body_.size() > 1 && CanBeLeftOut(i)) return Without(i);
    }
    return std::nullopt;
  }

 private:
  bool WaitsForALocal(size_t i) const {
    const auto [op, a, b] = body_[i];
    if (op != BodyOp::kWait || b == kX || a == b) return false;
    if (b == kC && c_is_everywhere_) return true;
    if (b != kC && OutputsOf(body_[static_cast<size_t>(NodeOf(b))]) == 2) return false;
    return DeviceOf(b) == DeviceOfOp(i);
  }

  bool CanBeLeftOut(size_t i) const {
    const int a = body_[i].a;
    if (body_[i].op != BodyOp::kNeg || a == kC || IsWaitedFor(first_value_[i])) return false;
    return IsBehindItsInput(i, a) || IsBeforeItsTakers(i, a);
  }

  bool IsBehindItsInput(size_t i, int a) const {
    const bool is_shared = std::ranges::any_of(body_, [&](const BodyNode& node) {
      return &node != &body_[i] && (node.a == a || node.b == a);
    });
    return !is_shared && !IsWaitedFor(a) && DeviceOf(a) == DeviceOfOp(i);
  }

  bool IsBeforeItsTakers(size_t i, int a) const {
    const bool is_last = i + 1 == body_.size();
    if (is_last && devices_[small_.out_unit] != DeviceOfOp(i)) return false;
    const int made = first_value_[i];
    for (size_t taker = i + 1; taker < body_.size(); ++taker) {
      const BodyNode& node = body_[taker];
      if (node.a != made && node.b != made) continue;
      const int other = node.a == made ? node.b : node.a;
      if (DeviceOfOp(taker) != DeviceOfOp(i)) return false;
      if (other >= 0 && (other == a || (other > kC && NodeOf(other) == NodeOf(a)))) return false;
    }
    return true;
  }

  // Whether anybody waits for the node that makes the value.
  bool IsWaitedFor(int value) const {
    return std::ranges::any_of(body_, [&](const BodyNode& node) {
      if (node.op != BodyOp::kWait) return false;
      return node.b == value || (value > kC && node.b > kC && NodeOf(node.b) == NodeOf(value));
    });
  }

  PlacedBody Without(size_t left_out) const {
    PlacedBody found{body_, devices_};
    const int made = first_value_[left_out];
    const int taken = body_[left_out].a;
    for (BodyNode& node : found.body) {
      for (int* value : {&node.a, &node.b}) {
        if (*value == made) *value = taken;
        if (*value > made) --*value;
      }
      if (node.op == BodyOp::kAdd && node.a > node.b) std::swap(node.a, node.b);
    }
    const auto at = static_cast<std::ptrdiff_t>(left_out);
    found.body.erase(found.body.begin() + at);
    found.devices.erase(found.devices.begin() + static_cast<std::ptrdiff_t>(small_.first_op_unit) +
                        at);
    return found;
  }

  int NodeOf(int value) const { return node_of_[static_cast<size_t>(value)]; }
  int DeviceOfOp(size_t i) const { return devices_[small_.first_op_unit + i]; }
  int DeviceOf(int value) const {
    if (value == kX) return devices_[small_.x_unit];
    return value == kC ? devices_[0] : DeviceOfOp(static_cast<size_t>(NodeOf(value)));
  }

  const Body& body_;
  const std::vector<int>& devices_;
  const SmallGraph& small_;
  const bool c_is_everywhere_;
  std::vector<int> node_of_ = {-1, -1};  // by value
  std::vector<int> first_value_;         // by op: of what it makes
};

}  // namespace

std::optional<PlacedBody> FindStandIn(const PlacedBody& placed, Surroundings surroundings,
                                      const SmallGraph& small) {
  return Finder(placed, surroundings, small).Find();
}

Body MirrorImage(const Body& body) {
  std::vector<int> opposite = {kX, kC};  // by value
  for (const BodyNode& node : body) {
    const int first = static_cast<int>(opposite.size());
    if (node.op == BodyOp::kSwitch) opposite.push_back(first + 1);
    opposite.push_back(first);
  }
  auto mirror = [&](int value) { return value < 0 ? value : opposite[static_cast<size_t>(value)]; };
  Body image = body;
  for (BodyNode& node : image) {
    node.a = mirror(node.a);
    if (node.op != BodyOp::kWait) node.b = mirror(node.b);  // waits for the node, either way
    if (node.op == BodyOp::kMerge) std::swap(node.a, node.b);
    if (node.op == BodyOp::kAdd && node.a > node.b) std::swap(node.a, node.b);
  }
  return InLeastOrder(image);
}

}  // namespace tagflow::fuzz
