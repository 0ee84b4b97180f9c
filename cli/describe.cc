#include "cli/describe.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cli/branches.h"
#include "cli/loops.h"
#include "graph/call.h"
#include "graph/control_ops.h"

namespace tagflow::cli {
namespace {

std::string Count(size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

class Describer {
 public:
  Describer(const Graph& graph, const FrameTree& frames) : graph_(graph), frames_(frames) {}

  std::string Run() {
    Size();
    UnknownOps();
    Placeholders();
    Frames();
    for (const Loop& loop : FindLoops(graph_, frames_)) DescribeLoop(loop);
    Branches();
    Devices();
    Functions();
    return std::move(text_);
  }

 private:
  void Line(int indent, const std::string& line) {
    text_.append(static_cast<size_t>(indent) * 2, ' ').append(line).append("\n");
  }
  const std::string& Name(NodeId id) const { return graph_.node(id).name; }
  std::string InputName(const Node& node, size_t i) const {
    return i < node.inputs.size() ? OutputName(graph_, node.inputs[i]) : "?";
  }

  void Size() {
    size_t data = 0;
    size_t control = 0;
    for (NodeId id : graph_.NodeIds()) {
      data += graph_.node(id).inputs.size();
      control += graph_.node(id).control_inputs.size();
    }
    Line(0, "graph: " + Count(graph_.num_nodes(), "node") + ", " + Count(data, "data edge") + ", " +
                Count(control, "control edge"));
  }

  void UnknownOps() {
    Unknown("unknown ops (what needs them cannot run):", /*are_functions=*/false);
    Unknown("functions of the graph called by name:",
            /*are_functions=*/true);
  }

  // A line for each op that is not defined.
  void Unknown(const std::string& title, bool are_functions) {
    std::map<std::string, std::pair<size_t, NodeId>> unknown;  // count, first node
    for (NodeId id : graph_.NodeIds()) {
      const Node& node = graph_.node(id);
      if (graph_.registry().Find(node.op) != nullptr) continue;
      if ((graph_.library.Find(node.op) != nullptr) != are_functions) continue;
      ++unknown.try_emplace(node.op, 0, id).first->second.first;
    }
    if (unknown.empty()) return;
    Line(0, title);
    for (const auto& [op, found] : unknown) {
      Line(1, op + ": " + Count(found.first, "node") + ", such as " + Name(found.second));
    }
  }

  void Placeholders() {
    const std::vector<std::string> lines = PlaceholderLines(graph_);
    if (!lines.empty()) Line(0, "to feed:");
    for (const std::string& line : lines) Line(1, line);
  }

  void Frames() {
    std::vector<size_t> nodes(frames_.frames.size());
    for (NodeId id : graph_.NodeIds()) {
      const int frame = frames_.frame_of[Index(id)];
      if (frame >= 0) ++nodes[static_cast<size_t>(frame)];
    }
    Line(0, "frames:");
    for (size_t i = 0; i < nodes.size(); ++i) {
      const StaticFrame& frame = frames_.frames[i];
      const std::string in =
          frame.parent > FrameTree::kRoot ? ", in " + frames_.Path(frame.parent) : "";
      Line(1, (i == 0 ? "root" : frame.name) + ": " + Count(nodes[i], "node") + in);
    }
  }

  void DescribeLoop(const Loop& loop) {
    const StaticFrame& frame = frames_.frames[static_cast<size_t>(loop.frame)];
    Line(0,
         "loop " + frame.name +
             (frame.parent > FrameTree::kRoot ? " (in " + frames_.Path(frame.parent) + ")" : "") +
             ":");
    Line(1, "parallel_iterations: " + std::to_string(frame.parallel_iterations));
    for (NodeId condition : loop.conditions) {
      Line(1,
           "goes on while " + InputName(graph_.node(condition), 0) + " (" + Name(condition) + ")");
    }
    for (const std::string& bound : loop.bounds) Line(1, "bound: " + bound);
    for (const LoopVariable& variable : loop.variables) DescribeVariable(variable);
    for (NodeId invariant : loop.invariants) {
      Line(1, "captures " + InputName(graph_.node(invariant), 0) + " (invariant " +
                  Name(invariant) + ")");
    }
  }

  void DescribeVariable(const LoopVariable& variable) {
    std::string line = "variable " + Name(variable.merge);
    if (variable.enter != NodeId::kNone) {
      line += ": starts as " + InputName(graph_.node(variable.enter), 0);
    }
    line += ", becomes " + InputName(graph_.node(variable.next_iteration), 0);
    if (variable.exit != NodeId::kNone) line += ", leaves as " + Name(variable.exit);
    Line(1, line);
  }

  void Branches() {
    for (const Branch& branch : FindBranches(graph_)) {
      const int frame = frames_.OutputFrame(graph_.node(branch.predicate.node));
      Line(0, "branch on " + OutputName(graph_, branch.predicate) +
                  (frame > FrameTree::kRoot ? " (in frame " + frames_.Path(frame) + ")" : "") +
                  ":");
      std::set<std::string> captured;
      for (NodeId id : branch.switches) {
        const Node& node = graph_.node(id);
        // The pivot switches the predicate itself.
        if (node.inputs[0] != node.inputs[1]) captured.insert(InputName(node, 0));
      }
      for (const std::string& name : captured) Line(1, "captures " + name);
      for (NodeId merge : branch.merges) Line(1, "joins in " + Name(merge));
      if (branch.merges.empty()) Line(1, "joins nowhere: it is for effects, or a bare Switch");
    }
  }

  void Devices() {
    std::map<std::string, size_t> count;
    for (NodeId id : graph_.NodeIds()) ++count[graph_.node(id).device];
    if (count.size() == 1 && count.begin()->first.empty()) return;
    Line(0, "devices:");
    for (const auto& [device, nodes] : count) {
      Line(1, (device.empty() ? "(any)" : device) + ": " + Count(nodes, "node"));
    }
  }

  void Functions() {
    if (graph_.library.empty()) return;
    Line(0, "functions:");
    for (const FunctionDef& def : graph_.library.all()) {
      const bool is_read = def.function.ok() && *def.function != nullptr;
      Line(1, def.name + ": " +
                  (is_read ? Count((*def.function)->nodes.size(), "node") : "cannot be read"));
    }
  }

  const Graph& graph_;
  const FrameTree& frames_;
  std::string text_;
};

}  // namespace

std::vector<std::string> PlaceholderLines(const Graph& graph) {
  std::vector<std::string> lines;
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (!IsPlaceholderOp(node)) continue;
    const AttrValue* const dtype = FindAttr(node, "dtype");
    const Result<PartialShape> shape = ShapeAttr(node, "shape");
    const bool known = shape.ok() && shape->known_rank();
    lines.push_back(node.name + ": " + (dtype == nullptr ? "?" : dtype->ToString()) +
                    (known ? shape->ToString() : " of any shape") +
                    (node.op == "PlaceholderWithDefault" ? " (has a default)" : ""));
  }
  return lines;
}

FrameTree FramesOrRoot(const Graph& graph, std::string& problem) {
  Result<FrameTree> frames = AssignFrames(graph, AllNodes(graph), CallSpec());
  if (frames.ok()) return *std::move(frames);
  problem = frames.status().message();
  FrameTree root;
  root.frames.push_back(StaticFrame());
  root.frame_of.assign(graph.id_limit(), FrameTree::kRoot);
  root.output_frame_of = root.frame_of;
  return root;
}

std::string DescribeGraph(const Graph& graph, const FrameTree& frames) {
  return Describer(graph, frames).Run();
}

}  // namespace tagflow::cli
