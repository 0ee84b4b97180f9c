#include "transform/gradients/x_frame.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "graph/control_ops.h"
#include "transform/gradients/forward.h"

namespace tagflow::internal {
namespace {

constexpr size_t kMostNames = 4;

class XFrame {
 public:
  XFrame(const Graph& graph, const FrameTree& tree, const std::string& frame)
      : graph_(graph), tree_(tree), frame_(frame) {}

  // What enters from the frame, and x is a name of, in the first iteration at least.
  std::optional<OutputRef> OriginOf(OutputRef x) const {
    for (;;) {
      const Node& node = graph_.node(x.node);
      if (EntersFrom(node)) return node.inputs[0];
      const ControlOp op = ControlOpOf(node.op);
      if (op == ControlOp::kMerge) {
        const auto enter = std::ranges::find_if(
            node.inputs, [&](const OutputRef& input) { return IsEnter(graph_.node(input.node)); });
        if (enter == node.inputs.end()) return std::nullopt;
        x = *enter;
      } else if (op == ControlOp::kSwitch || op == ControlOp::kEnter || node.op == "Identity") {
        x = node.inputs[0];
      } else {
        return std::nullopt;
      }
    }
  }

  // Everything that enters from the frame and x is computed from, the nearest first.
  std::vector<OutputRef> SourcesOf(OutputRef x) const {
    std::vector<OutputRef> sources;
    std::vector<NodeId> queue = {x.node};
    std::unordered_set<NodeId> seen = {x.node};
    for (size_t i = 0; i < queue.size(); ++i) {
      const Node& node = graph_.node(queue[i]);
      for (const OutputRef& input : node.inputs) {
        if (EntersFrom(node)) {
          if (HasGradient(input) && std::ranges::find(sources, input) == sources.end()) {
            sources.push_back(input);
          }
        } else if (seen.insert(input.node).second) {
          queue.push_back(input.node);
        }
      }
    }
    return sources;
  }

 private:
  bool EntersFrom(const Node& node) const {
    if (!IsEnter(node)) return false;
    const int from = tree_.frame_of[Index(node.id)];
    return from != FrameTree::kUnreached && tree_.Path(from) == frame_;
  }

  bool HasGradient(OutputRef tensor) const {
    const Result<Signature> signature = ResolveSignature(graph_.node(tensor.node));
    if (!signature.ok()) return false;
    const DType dtype = signature->outputs[static_cast<size_t>(tensor.index)].dtype;
    if (dtype != DType::kResource) return Forward::IsTrainable(dtype);
    return FindVariableHandles(graph_).contains(tensor);
  }

  const Graph& graph_;
  const FrameTree& tree_;
  const std::string& frame_;
};

std::string Listed(const Graph& graph, const std::vector<OutputRef>& tensors) {
  std::string names;
  for (size_t i = 0; i < tensors.size() && i < kMostNames; ++i) {
    names += (i == 0 ? "'" : ", '") + OutputName(graph, tensors[i]) + "'";
  }
  return tensors.size() > kMostNames ? names + ", …" : names;
}

std::string InPlaceOf(const Graph& graph, const XFrame& frame, OutputRef x) {
  if (const std::optional<OutputRef> origin = frame.OriginOf(x)) {
    return "take the gradient by what enters as it, '" + OutputName(graph, *origin) + "', or ";
  }
  const std::vector<OutputRef> sources = frame.SourcesOf(x);
  if (sources.empty()) return "";
  return "take the gradient by what enters and it is computed from (" + Listed(graph, sources) +
         "), or ";
}

}  // namespace

Status CheckIsInFrame(const Graph& graph, const FrameTree& tree, OutputRef x,
                      const std::string& frame) {
  const int at = tree.output_frame_of[Index(x.node)];
  if (at == FrameTree::kUnreached || tree.Path(at) == frame) return Status();
  const std::string where = frame.empty() ? "outside of every frame" : "in frame '" + frame + "'";
  return InvalidArgument("x '" + OutputName(graph, x) + "' is in frame '" + tree.Path(at) +
                         "', where each iteration has a value of its own, and the gradient is to "
                         "be " +
                         where + ": " + InPlaceOf(graph, XFrame(graph, tree, frame), x) +
                         "build the gradient in the body, with the scope of the body")
      .WithNode(graph.node(x.node).name);
}

}  // namespace tagflow::internal
