#include "transform/simplify/remove_identities.h"

#include <vector>

#include "transform/simplify/call_view.h"
#include "transform/simplify/rewiring.h"

namespace tagflow {
namespace {

class Remover {
 public:
  Remover(Graph& graph, const CallSpec& call)
      : graph_(graph), view_(graph, call), origin_(graph.id_limit(), kUnknown) {}

  int64_t Run() {
    for (const NodeId id : view_.needed()) Visit(graph_.mutable_node(id));
    return moved_;
  }

 private:
  static constexpr OutputRef kUnknown{NodeId::kNone, -1};

  void Visit(Node& node) {
    const bool is_merge = view_.Has(node.id, kMerge);
    for (OutputRef& input : node.inputs) {
      const OutputRef origin = OriginOf(input);
      if (is_merge && view_.Has(origin.node, kFrameEdge | kConstantEnter)) continue;
      moved_ += origin != input;
      input = origin;
    }
    int64_t moved_controls = 0;
    for (NodeId& control : node.control_inputs) {
      if (!view_.Has(control, kForwards)) continue;
      const OutputRef origin = OriginOf({control, 0});
      if (!view_.Has(origin.node, kPure | kConst) || view_.IsFed(origin)) continue;
      moved_controls += origin.node != control;
      control = origin.node;
    }
    if (moved_controls > 0) RemoveRepeated(node.control_inputs);
    moved_ += moved_controls;
  }

  // Whether output 0 of the node is its input, wherever it is live and dead.
  bool HandsOn(OutputRef output) const {
    if (output.index != 0 || view_.IsFed(output)) return false;
    if (!view_.Has(output.node, kForwards | kMerge)) return false;
    const Node& node = graph_.node(output.node);
    if (node.inputs.size() != 1 || !node.control_inputs.empty()) return false;
    if (view_.IsReference(node.inputs[0])) return false;
    return !view_.Has(output.node, kMerge) ||
           !view_.Has(node.inputs[0].node, kFrameEdge | kConstantEnter);
  }

  // Where the value comes from. What lies on the way is looked at once, whatever leads to it; a
  // wrong graph's cycle of Identities ends where it began.
  OutputRef OriginOf(OutputRef output) {
    way_.clear();
    OutputRef origin = output;
    while (HandsOn(origin)) {
      OutputRef& known = origin_[Index(origin.node)];
      if (known != kUnknown) {
        origin = known;
        break;
      }
      known = origin;
      way_.push_back(origin.node);
      origin = graph_.node(origin.node).inputs[0];
    }
    for (const NodeId node : way_) origin_[Index(node)] = origin;
    return origin;
  }

  Graph& graph_;
  const CallView view_;
  std::vector<OutputRef> origin_;  // by node id: of output 0
  std::vector<NodeId> way_;
  int64_t moved_ = 0;
};

}  // namespace

int64_t RemoveIdentities(Graph& graph, const CallSpec& call) { return Remover(graph, call).Run(); }

}  // namespace tagflow
