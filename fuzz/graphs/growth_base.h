#ifndef TAGFLOW_FUZZ_GRAPHS_GROWTH_BASE_H_
#define TAGFLOW_FUZZ_GRAPHS_GROWTH_BASE_H_

// What there is in a graph that grows, and how something of it is chosen.

#include <algorithm>
#include <functional>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/graph_maker.h"

namespace tagflow::fuzz {

class GrowthBase {
 public:
  GrowthBase(Choices& choices, GraphMaker& maker) : choices_(choices), maker_(maker) {}

  static constexpr int kRoot = GraphMaker::kRoot;

  int AnyFrame() {
    const int count = static_cast<int>(maker_.frames.size());
    if (count == 1 || choices_.Chance(kSometimes)) return kRoot;
    return choices_.Between(1, count - 1);
  }

  bool DeepEnough(int frame) const {
    int depth = 0;
    for (; frame != kRoot; frame = maker_.frame(frame).parent) ++depth;
    return depth >= 5;
  }

  // A value of the frame that passes, one of the latest as a rule; null when there is none.
  const Value* Find(int frame, const std::function<bool(const Value&)>& passes) {
    std::vector<const Value*> found;
    for (const Value& value : maker_.frame(frame).values) {
      if (passes(value)) found.push_back(&value);
    }
    if (found.empty()) return nullptr;
    std::reverse(found.begin(), found.end());
    const size_t latest =
        std::min<size_t>(found.size(), choices_.Chance(kEvenly) ? found.size() : 4);
    return found[choices_.Below(latest)];
  }

  // A value of the type in the frame, made if need be.
  Value Any(int frame, DType type) {
    const Value* found = Find(frame, [&](const Value& value) { return value.type == type; });
    if (found != nullptr) return *found;
    const Value outer = Any(maker_.frame(frame).parent, type);
    return maker_.AddEnter(frame, outer, true, maker_.frame(frame).parallel);
  }
  Value AnyInt(int frame) { return Any(frame, DType::kInt32); }
  Value AnyBool(int frame) { return Any(frame, DType::kBool); }
  DType AnyType() { return choices_.Chance(kSometimes) ? DType::kBool : DType::kInt32; }

  // A value of the root, for all iterations of the frame.
  Value BroughtInto(int frame, const Value& root_value) {
    if (frame == kRoot) return root_value;
    const Value outer = BroughtInto(maker_.frame(frame).parent, root_value);
    return maker_.AddEnter(frame, outer, true, maker_.frame(frame).parallel);
  }

  // A control input for what was made last, from anything of its frame that was there before.
  void MaybeControl(int frame, NodeId to, Odds odds) {
    if (!choices_.Chance(odds)) return;
    const std::vector<NodeId>& nodes = maker_.frame(frame).nodes;
    std::vector<NodeId> before;
    for (const NodeId node : nodes) {
      if (node < to) before.push_back(node);
    }
    if (!before.empty()) maker_.AddControl(to, choices_.Of(before));
  }
  NodeId Last() const { return static_cast<NodeId>(maker_.graph.id_limit() - 1); }

  Choices& choices_;
  GraphMaker& maker_;
};

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_GROWTH_BASE_H_
