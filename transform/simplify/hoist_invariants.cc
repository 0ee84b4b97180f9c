#include "transform/simplify/hoist_invariants.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/validate.h"
#include "transform/deadness/dependency_order.h"
#include "transform/deadness/structure.h"
#include "transform/simplify/call_view.h"
#include "transform/simplify/cannot_fail.h"
#include "transform/simplify/rewiring.h"

namespace tagflow {
namespace {

// Where an invariant of a loop comes from.
struct Source {
  NodeId enter = NodeId::kNone;      // a constant Enter; or
  NodeId constant = NodeId::kNone;   // a Const in the loop
  std::vector<NodeId> waited_for{};  // in the loop, by what hands the value on
};

class Hoister {
 public:
  Hoister(Graph& graph, const CallSpec& call, ValidatedCall valid)
      : graph_(graph),
        call_(call),
        valid_(std::move(valid)),
        view_(graph, call, valid_.needed),
        stays_(valid_.needed) {}

  int64_t Run() {
    const bool any = std::ranges::any_of(view_.needed(),
                                         [&](NodeId id) { return view_.Has(id, kConstantEnter); });
    if (!any) return 0;
    whole_iterations_ = HasWholeIterations();
    for (const NodeId id : DependencyOrder(graph_, valid_.needed, view_.fed())) Visit(id);
    // Edges that lead back in a loop; and the order leaves out what comes after a loop variable of
    // another form. What moved takes what moved with it.
    for (const NodeId id : view_.needed()) {
      if (stays_[Index(id)]) moved_.Apply(graph_, {id});
    }
    return count_;
  }

 private:
  int FrameOf(NodeId id) const { return valid_.frames.frame_of[Index(id)]; }
  int ParentOf(NodeId id) const {
    return valid_.frames.frames[static_cast<size_t>(FrameOf(id))].parent;
  }

  // Whether every iteration of every loop around another begins with all of its loop variables. It
  // is true where no loop is inside another: asked only for those that are.
  bool HasWholeIterations() const {
    const bool nested = std::ranges::any_of(valid_.frames.frames, [](const StaticFrame& frame) {
      return frame.parent > FrameTree::kRoot;
    });
    return !nested || RecoverStructure(graph_, call_, valid_).irregular.empty();
  }

  // Whether the Enters among the sources fire in the same iterations, as they wait for the same.
  bool EnterTogether(const std::vector<Source>& sources) const {
    const Node* first = nullptr;
    return std::ranges::all_of(sources, [&](const Source& source) {
      if (source.enter == NodeId::kNone) return true;
      const Node& enter = graph_.node(source.enter);
      if (first == nullptr) first = &enter;
      return enter.inputs[0].node == first->inputs[0].node &&
             enter.control_inputs == first->control_inputs;
    });
  }

  void Visit(NodeId id) {
    moved_.Apply(graph_, {id});
    stays_[Index(id)] = !TryMove(id);
  }

  bool TryMove(NodeId id) {
    if (!view_.Has(id, kPure) || view_.Has(id, kRoot) || FrameOf(id) <= FrameTree::kRoot)
      return false;
    const Node& node = graph_.node(id);
    std::vector<Source> sources;
    for (const OutputRef& input : node.inputs) {
      std::optional<Source> source = SourceOf(input);
      if (!source) return false;
      sources.push_back(*std::move(source));
    }
    const auto enters = [](const Source& source) { return source.enter != NodeId::kNone; };
    if (std::ranges::none_of(sources, enters)) return false;
    if (ParentOf(id) != FrameTree::kRoot && !whole_iterations_ && !EnterTogether(sources)) {
      return false;
    }
    if (!RunsInEveryLoop(node, sources) && !CannotFail(view_, node)) return false;
    const Result<Signature> signature = ResolveSignature(node);
    if (!signature.ok() || signature->outputs.size() != 1) return false;
    Move(id, signature->outputs[0].dtype, sources);
    ++count_;
    return true;
  }

  std::optional<Source> SourceOf(OutputRef output) const {
    Source source;
    for (int steps = 0; steps < 100; ++steps) {
      if (output.index != 0 || view_.IsFed(output)) return std::nullopt;
      const Node& node = graph_.node(output.node);
      if (view_.Has(node.id, kConstantEnter)) {
        if (view_.IsReference(node.inputs[0])) return std::nullopt;
        source.enter = node.id;
        return source;
      }
      const auto& controls = node.control_inputs;
      source.waited_for.insert(source.waited_for.end(), controls.begin(), controls.end());
      if (view_.Has(node.id, kConst)) {
        source.constant = node.id;
        return source;
      }
      if (!view_.Has(node.id, kForwards) || view_.IsReference(node.inputs[0])) return std::nullopt;
      output = node.inputs[0];
    }
    return std::nullopt;
  }

  bool RunsInEveryLoop(const Node& node, const std::vector<Source>& sources) const {
    return node.control_inputs.empty() && std::ranges::all_of(sources, [&](const Source& source) {
             return source.enter != NodeId::kNone && source.waited_for.empty() &&
                    graph_.node(source.enter).control_inputs.empty();
           });
  }

  void Move(NodeId id, DType dtype, const std::vector<Source>& sources) {
    const NodeId enter = AddEnter(id, dtype, sources);
    const NodeId inside = Add(graph_.node(id).name + "/inside", "Identity", id);
    Node& identity = graph_.mutable_node(inside);
    identity.inputs = {{enter, 0}};
    identity.control_inputs = graph_.node(id).control_inputs;
    for (const Source& source : sources) {
      const auto& controls = source.waited_for;
      identity.control_inputs.insert(identity.control_inputs.end(), controls.begin(),
                                     controls.end());
    }
    RemoveRepeated(identity.control_inputs);
    graph_.SetAttr(inside, "T", dtype);
    view_.Update(enter);
    view_.Update(inside);
    moved_.ReplaceNode(id, inside);
    TakeOuterInputs(id, sources);
  }

  // A node beside the moved one.
  NodeId Add(const std::string& name, std::string_view op, NodeId beside) {
    const NodeId made = *graph_.AddNode(graph_.UniqueName(name), op);
    graph_.mutable_node(made).device = graph_.node(beside).device;
    return made;
  }

  // It enters the frame as the others do, and waits for what any of them waits for.
  NodeId AddEnter(NodeId id, DType dtype, const std::vector<Source>& sources) {
    const NodeId made = Add(graph_.node(id).name + "/Enter", "Enter", id);
    Node& enter = graph_.mutable_node(made);
    enter.inputs = {{id, 0}};
    for (const Source& source : sources) {
      if (source.enter == NodeId::kNone) continue;
      const Node& other = graph_.node(source.enter);
      enter.attrs = other.attrs;
      enter.control_inputs.insert(enter.control_inputs.end(), other.control_inputs.begin(),
                                  other.control_inputs.end());
    }
    RemoveRepeated(enter.control_inputs);
    graph_.SetAttr(made, "T", dtype);
    return made;
  }

  void TakeOuterInputs(NodeId id, const std::vector<Source>& sources) {
    NodeId anchor = NodeId::kNone;
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].enter == NodeId::kNone) continue;
      const OutputRef outer = graph_.node(sources[i].enter).inputs[0];
      graph_.mutable_node(id).inputs[i] = outer;
      anchor = outer.node;
    }
    const int parent = ParentOf(id);
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i].enter != NodeId::kNone) continue;
      const NodeId constant = OuterConstant(sources[i].constant);
      graph_.mutable_node(id).inputs[i] = {constant, 0};
      if (parent != FrameTree::kRoot) graph_.mutable_node(constant).control_inputs = {anchor};
    }
    graph_.mutable_node(id).control_inputs.clear();
  }

  // The constant in the frame around the loop. It is there by waiting for what the moved op waits
  // for anyway; in the root frame, which is the only one with feeds, by waiting for nothing.
  NodeId OuterConstant(NodeId constant) {
    const NodeId made = Add(graph_.node(constant).name + "/outside", "Const", constant);
    graph_.mutable_node(made).attrs = graph_.node(constant).attrs;
    view_.Update(made);
    return made;
  }

  Graph& graph_;
  const CallSpec& call_;
  const ValidatedCall valid_;
  CallView view_;
  bool whole_iterations_ = false;  // known from Run on, before anything moves
  Rewiring moved_;                 // in the loop, from what moved to what stands for it
  std::vector<bool> stays_;        // by node id
  int64_t count_ = 0;
};

}  // namespace

int64_t HoistInvariants(Graph& graph, const CallSpec& call) {
  Result<ValidatedCall> valid = ValidateCall(graph, call);
  if (!valid.ok()) return 0;
  return Hoister(graph, call, *std::move(valid)).Run();
}

}  // namespace tagflow
