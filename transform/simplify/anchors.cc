#include "transform/simplify/anchors.h"

namespace tagflow {

void AddAnchors(const CallView& view, OutputRef output, std::vector<NodeId>& controls) {
  const Node* node = &view.graph().node(output.node);
  while (view.Has(node->id, kForwards) && node->control_inputs.empty()) {
    node = &view.graph().node(node->inputs[0].node);
  }
  if (view.Has(node->id, kConst)) {
    controls.insert(controls.end(), node->control_inputs.begin(), node->control_inputs.end());
  } else {
    controls.push_back(node->id);
  }
}

}  // namespace tagflow
