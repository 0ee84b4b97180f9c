#include "cli/dot.h"

#include <string_view>
#include <vector>

#include "graph/call.h"
#include "graph/control_ops.h"

namespace tagflow::cli {
namespace {

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string NodeName(NodeId id) { return "n" + std::to_string(Index(id)); }

std::string_view Style(const Node& node) {
  if (node.def == nullptr) return "shape=box, style=\"filled,dashed\", fillcolor=\"#f4cccc\"";
  switch (ControlOpOf(node.op)) {
    case ControlOp::kSwitch:
      return "shape=invtrapezium, style=filled, fillcolor=\"#ffe599\"";
    case ControlOp::kMerge:
      return "shape=trapezium, style=filled, fillcolor=\"#b6d7a8\"";
    case ControlOp::kEnter: {
      // An invariant has a double border.
      const Result<bool> constant = BoolAttr(node, "is_constant");
      return constant.ok() && *constant
                 ? "shape=invhouse, style=filled, fillcolor=\"#cfe2f3\", peripheries=2"
                 : "shape=invhouse, style=filled, fillcolor=\"#9fc5e8\"";
    }
    case ControlOp::kExit:
      return "shape=house, style=filled, fillcolor=\"#9fc5e8\"";
    case ControlOp::kNextIteration:
      return "shape=larrow, style=filled, fillcolor=\"#d5a6bd\"";
    case ControlOp::kLoopCond:
      return "shape=diamond, style=filled, fillcolor=\"#ffe599\"";
    case ControlOp::kNone:
      break;
  }
  if (node.op == "Const") return "shape=plaintext";
  if (IsPlaceholderOp(node)) return "shape=oval, style=filled, fillcolor=\"#d9ead3\"";
  return "shape=box, style=\"rounded,filled\", fillcolor=white";
}

std::string Label(const Node& node) {
  // The last part of the name is enough beside the boxes; the whole one is in the tooltip.
  const std::string part = node.name.substr(node.name.rfind('/') + 1);
  if (node.op == "Const") {
    const Result<Tensor> value = TensorAttr(node, "value");
    if (value.ok() && value->has_value()) return part + "\n" + value->DebugString(4);
  }
  // "Merge_1" says that it is a Merge.
  const bool says_op = part.starts_with(node.op) &&
                       part.find_first_not_of("_0123456789", node.op.size()) == std::string::npos;
  return says_op ? part : part + "\n" + node.op;
}

// A newline in a label is written \n, after everything else is quoted.
std::string QuotedLabel(const std::string& label) {
  std::string quoted = Quoted(label);
  for (size_t at = 0; (at = quoted.find('\n', at)) != quoted.npos; ++at) {
    quoted.replace(at, 1, "\\n");
  }
  return quoted;
}

class Drawer {
 public:
  Drawer(const Graph& graph, const FrameTree& frames)
      : graph_(graph),
        frames_(frames),
        members_(frames.frames.size()),
        children_(frames.frames.size()) {}

  std::string Run() {
    for (size_t i = 1; i < frames_.frames.size(); ++i) {
      children_[static_cast<size_t>(frames_.frames[i].parent)].push_back(i);
    }
    for (NodeId id : graph_.NodeIds()) {
      const int frame = BoxOf(graph_.node(id));
      members_[static_cast<size_t>(frame > 0 ? frame : 0)].push_back(id);
    }
    text_ =
        "digraph tagflow {\n"
        "  rankdir=TB; fontname=Helvetica; nodesep=0.3; ranksep=0.4;\n"
        "  node [fontname=Helvetica, fontsize=11, margin=\"0.08,0.04\"];\n"
        "  edge [fontname=Helvetica, fontsize=9, color=\"#444444\", arrowsize=0.7];\n";
    Boxes();
    for (NodeId id : graph_.NodeIds()) Edges(graph_.node(id));
    return text_ + "}\n";
  }

 private:
  // Enter is drawn in the frame it leads into, so that a loop is seen whole.
  int BoxOf(const Node& node) const {
    return IsEnter(node) ? frames_.OutputFrame(node) : frames_.frame_of[Index(node.id)];
  }

  // Opens the root's and every frame's box; no recursion, since frames may be nested very deep.
  void Boxes() {
    struct Visit {
      size_t frame;
      bool closing;
    };
    std::vector<Visit> stack = {{0, false}};
    while (!stack.empty()) {
      const Visit visit = stack.back();
      stack.pop_back();
      if (visit.closing) {
        text_ += "  }\n";
        continue;
      }
      if (visit.frame > 0) Open(visit.frame);
      for (NodeId id : members_[visit.frame]) Draw(graph_.node(id));
      if (visit.frame > 0) stack.push_back({visit.frame, true});
      for (size_t child : children_[visit.frame]) stack.push_back({child, false});
    }
  }

  void Open(size_t frame) {
    const StaticFrame& box = frames_.frames[frame];
    const std::string label =
        box.name + "  (parallel_iterations " + std::to_string(box.parallel_iterations) + ")";
    text_ += "  subgraph cluster_" + std::to_string(frame) + " {\n    label=" + Quoted(label) +
             "; labeljust=l; style=\"rounded,filled\"; color=\"#7f9fbf\"; fillcolor=\"#3d85c60f\";"
             " fontsize=11;\n";
  }

  void Draw(const Node& node) {
    text_ += "    " + NodeName(node.id) + " [label=" + QuotedLabel(Label(node)) +
             ", tooltip=" + Quoted(node.name) + ", " + std::string(Style(node)) + "];\n";
  }

  void Edges(const Node& node) {
    for (const OutputRef& input : node.inputs) Edge(input.node, node, DataStyle(input));
    for (NodeId control : node.control_inputs) {
      Edge(control, node, "style=dashed, color=\"#999999\"");
    }
  }

  std::string DataStyle(OutputRef input) const {
    const Node& from = graph_.node(input.node);
    if (IsSwitch(from)) {
      return input.index == 0 ? "label=F, color=\"#990000\"" : "label=T, color=\"#38761d\"";
    }
    if (IsNextIteration(from)) return "constraint=false, color=\"#a64d79\", penwidth=1.6";
    return input.index == 0 ? "" : "label=" + std::to_string(input.index);
  }

  void Edge(NodeId from, const Node& to, const std::string& style) {
    text_ += "  " + NodeName(from) + " -> " + NodeName(to.id) +
             (style.empty() ? "" : " [" + style + "]") + ";\n";
  }

  const Graph& graph_;
  const FrameTree& frames_;
  std::vector<std::vector<NodeId>> members_;   // by frame
  std::vector<std::vector<size_t>> children_;  // by frame
  std::string text_;
};

}  // namespace

std::string DrawDot(const Graph& graph, const FrameTree& frames) {
  return Drawer(graph, frames).Run();
}

}  // namespace tagflow::cli
