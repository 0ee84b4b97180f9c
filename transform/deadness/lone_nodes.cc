#include "transform/deadness/lone_nodes.h"

#include <algorithm>
#include <string_view>

#include "graph/control_ops.h"

namespace tagflow {
namespace {

// By what may be 0.
bool DividesIntegers(const Node& node) {
  static constexpr std::string_view kOps[] = {"Div", "FloorDiv", "TruncateDiv",
                                              "Mod", "FloorMod", "TruncateMod"};
  const Result<DType> type = TypeAttr(node, "T");
  return std::ranges::find(kOps, node.op) != std::end(kOps) && !(type.ok() && IsFloating(*type));
}

class Finder {
 public:
  explicit Finder(const LoneNodesQuestion& of) : of_(of), is_lone_(of.graph.id_limit()) {}

  std::vector<LoneNode> Run() {
    for (const NodeId id : of_.triggers) is_lone_[Index(id)] = MayBeDead(FrameOf(id));
    for (const NodeId id : of_.constants) LookAtConstant(of_.graph.node(id));
    if (std::ranges::find(is_lone_, true) == is_lone_.end()) return std::move(lone_);
    for (const NodeId id : of_.found.order) {
      const Node& node = of_.graph.node(id);
      if (is_lone_[Index(id)] || of_.is_apart[FrameOf(id)] || !HangsOnLoneNodes(node)) continue;
      is_lone_[Index(id)] = true;
      if (node.def->is_stateful || DividesIntegers(node)) {
        lone_.push_back({FrameOf(id), id, "may act or fail where its loop does not run"});
      }
      if (IsExit(node)) lone_.push_back({FrameOf(id), id, "may leave a loop that does not run"});
    }
    return std::move(lone_);
  }

 private:
  size_t FrameOf(NodeId id) const {
    return static_cast<size_t>(of_.valid.frames.frame_of[Index(id)]);
  }

  void LookAtConstant(const Node& enter) {
    const auto child = static_cast<size_t>(of_.valid.frames.OutputFrame(enter));
    const std::optional<ConditionId>& entered = of_.found.frames[child].entered;
    if (!entered) return;  // such a frame is irregular
    const ConditionId condition = of_.found.condition[Index(enter.id)];
    if (condition == *entered) return;
    if (of_.found.conditions.Implied(condition, *entered)) {
      is_lone_[Index(enter.id)] = true;
    } else {
      lone_.push_back({child, enter.id, "may be dead in a loop that is live"});
    }
  }

  bool MayBeDead(size_t frame) const {
    for (; frame != FrameTree::kRoot;
         frame = static_cast<size_t>(of_.valid.frames.frames[frame].parent)) {
      if (of_.found.frames[frame].entered != ConditionId::kAlways) return true;
    }
    return false;
  }

  bool HangsOnLoneNodes(const Node& node) const {
    const auto is_lone_node = [&](NodeId id) { return is_lone_[Index(id)]; };
    const auto is_lone_input = [&](const OutputRef& input) {
      return !of_.fed.Contains(input) && is_lone_node(input.node);
    };
    // One live input does, whatever its control inputs are ([merge.2]).
    if (IsMerge(node)) return std::ranges::any_of(node.inputs, is_lone_input);
    const bool by_data = std::ranges::all_of(node.inputs, is_lone_input);
    return by_data && std::ranges::all_of(node.control_inputs, is_lone_node) &&
           !(node.inputs.empty() && node.control_inputs.empty());
  }

  const LoneNodesQuestion& of_;
  std::vector<bool> is_lone_;  // by node id
  std::vector<LoneNode> lone_;
};

}  // namespace

std::vector<LoneNode> FindLoneNodes(const LoneNodesQuestion& question) {
  return Finder(question).Run();
}

}  // namespace tagflow
