#include "cli/loops.h"

#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "graph/control_ops.h"

namespace tagflow::cli {
namespace {

class LoopFinder {
 public:
  LoopFinder(const Graph& graph, const FrameTree& frames) : graph_(graph), frames_(frames) {}

  std::vector<Loop> Run() {
    loops_.resize(frames_.frames.size());
    for (size_t i = 0; i < loops_.size(); ++i) loops_[i].frame = static_cast<int>(i);
    for (NodeId id : graph_.NodeIds()) Sort(graph_.node(id));
    // Switches and Exits may come before the Merges they belong to.
    for (NodeId id : graph_.NodeIds()) Attach(graph_.node(id));
    for (Loop& loop : loops_) {
      for (NodeId condition : loop.conditions) FindBounds(graph_.node(condition), loop.bounds);
    }
    loops_.erase(loops_.begin());  // the root is no loop
    return std::move(loops_);
  }

 private:
  Loop* LoopOf(int frame) {
    return frame <= FrameTree::kRoot ? nullptr : &loops_[static_cast<size_t>(frame)];
  }

  void Sort(const Node& node) {
    Loop* const loop = LoopOf(frames_.OutputFrame(node));
    if (loop == nullptr) return;
    if (IsLoopCond(node)) loop->conditions.push_back(node.id);
    if (IsEnter(node) && IsConstantEnter(node)) loop->invariants.push_back(node.id);
    if (!IsMerge(node)) return;
    LoopVariable variable;
    variable.merge = node.id;
    for (const OutputRef& input : node.inputs) {
      const Node& from = graph_.node(input.node);
      if (IsEnter(from)) variable.enter = from.id;
      if (IsNextIteration(from)) variable.next_iteration = from.id;
    }
    if (variable.next_iteration == NodeId::kNone) return;  // joins branches
    variable_of_[node.id] = {loop, loop->variables.size()};
    loop->variables.push_back(variable);
  }

  void Attach(const Node& node) {
    if (IsSwitch(node) && !node.inputs.empty()) {
      if (LoopVariable* variable = VariableOf(node.inputs[0].node)) {
        if (IsDrivenByLoopCond(node)) variable->switch_node = node.id;
      }
    } else if (IsExit(node) && !node.inputs.empty()) {
      const Node& from = graph_.node(node.inputs[0].node);
      if (!IsSwitch(from) || from.inputs.empty()) return;
      if (LoopVariable* variable = VariableOf(from.inputs[0].node)) variable->exit = node.id;
    }
  }

  LoopVariable* VariableOf(NodeId merge) {
    const auto found = variable_of_.find(merge);
    if (found == variable_of_.end()) return nullptr;
    return &found->second.first->variables[found->second.second];
  }

  bool IsDrivenByLoopCond(const Node& node) const {
    return node.inputs.size() == 2 && IsLoopCond(graph_.node(node.inputs[1].node));
  }

  static bool IsConstantEnter(const Node& node) {
    const Result<bool> constant = BoolAttr(node, "is_constant");
    return constant.ok() && *constant;
  }

  // Follows the condition back through "and" to comparisons of something with a constant.
  void FindBounds(const Node& condition, std::vector<std::string>& bounds) const {
    constexpr size_t kNodesMax = 100;
    std::vector<NodeId> seen = {condition.id};
    for (size_t i = 0; i < seen.size() && seen.size() < kNodesMax; ++i) {
      const Node& node = graph_.node(seen[i]);
      if (const auto bound = Bound(node)) bounds.push_back(*bound);
      if (node.op != "LogicalAnd" && node.op != "Identity" && !IsLoopCond(node)) continue;
      for (const OutputRef& input : node.inputs) seen.push_back(input.node);
    }
  }

  std::optional<std::string> Bound(const Node& node) const {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSigns = {{
        {"Less", " < "},
        {"LessEqual", " <= "},
        {"Greater", " > "},
        {"GreaterEqual", " >= "},
        {"NotEqual", " != "},
    }};
    for (const auto& [op, sign] : kSigns) {
      if (node.op != op || node.inputs.size() != 2) continue;
      const auto left = ConstantText(node.inputs[0]);
      const auto right = ConstantText(node.inputs[1]);
      if (left.has_value() == right.has_value()) return std::nullopt;
      return left.value_or(OutputName(graph_, node.inputs[0])) + std::string(sign) +
             right.value_or(OutputName(graph_, node.inputs[1]));
    }
    return std::nullopt;
  }

  // The value of a scalar Const, seen through Enters and Identities.
  std::optional<std::string> ConstantText(OutputRef output) const {
    constexpr int kStepsMax = 100;
    for (int step = 0; step < kStepsMax; ++step) {
      const Node& node = graph_.node(output.node);
      if (node.op == "Const") {
        const Result<Tensor> value = TensorAttr(node, "value");
        if (!value.ok() || !value->has_value() || value->rank() != 0) return std::nullopt;
        const std::string text = value->DebugString();
        return text.substr(text.find(' ') + 1);
      }
      if ((!IsEnter(node) && node.op != "Identity") || node.inputs.empty()) return std::nullopt;
      output = node.inputs[0];
    }
    return std::nullopt;
  }

  const Graph& graph_;
  const FrameTree& frames_;
  std::vector<Loop> loops_;
  std::map<NodeId, std::pair<Loop*, size_t>> variable_of_;  // by Merge
};

}  // namespace

std::vector<Loop> FindLoops(const Graph& graph, const FrameTree& frames) {
  return LoopFinder(graph, frames).Run();
}

}  // namespace tagflow::cli
