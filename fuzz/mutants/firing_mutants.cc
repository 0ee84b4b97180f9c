// Mutants of tokens and tags, firing, control edges, Switch and Merge.

#include <algorithm>
#include <cstring>
#include <map>

#include "fuzz/mutants/edit.h"
#include "fuzz/mutants/sections.h"

namespace tagflow::fuzz {
namespace {

using reference::Arrivals;
using reference::IterationState;
using reference::KernelContext;
using reference::Needs;
using reference::Role;
using reference::SourceKind;
using reference::StandardRules;

void AddTokens(std::vector<Mutant>& all) {
  Add(all, "token.1", "dead-tokens-are-not-sent", "what is dead is silent").rules.token_sent =
      [](bool dead) { return !dead; };
  // Only tensors of rank 1 and more have a buffer that others share.
  Add(all, "token.1", "values-are-overwritten", "a sum is written into its first operand's buffer",
      "an update in place of a buffer that another reader still needed")
      .kernels.emplace_back("AddV2", [](const reference::Kernel& standard, KernelContext& context) {
        TAGFLOW_RETURN_IF_ERROR(standard(context));
        Tensor& into = context.inputs[0];
        const Tensor& sum = context.outputs[0];
        if (into.rank() == 0 || into.byte_size() != sum.byte_size()) return Status();
        if (!IsPlainDType(sum.dtype())) return Status();
        std::memcpy(into.mutable_raw_data(), sum.raw_data(), sum.byte_size());
        return Status();
      });
  Add(all, "token.2", "iterations-share-a-tag", "the tag has the frames and not the iterations")
      .rules.iteration_tag = [](const std::string& path, int64_t) { return path; };
  Add(all, "token.2", "the-tag-is-the-innermost-iteration", "the tag forgets the outer frames")
      .rules.iteration_tag = [](const std::string& path, int64_t iteration) {
    return path.substr(path.rfind('/') + 1) + "[" + std::to_string(iteration) + "]";
  };
  Add(all, "token.3", "a-merge-fires-for-every-token", "it fires again when another token comes")
      .rules.may_fire = [](const Arrivals&) { return true; };
}

void AddFiring(std::vector<Mutant>& all) {
  Add(all, "fire.1", "control-is-not-awaited", "fires when the data is there").rules.ready =
      [](const Needs& needs, const Arrivals& arrived) { return arrived.data() == needs.data; };
  Add(all, "fire.1", "one-control-input-is-enough", "fires on the first of its control inputs")
      .rules.ready = [](const Needs& needs, const Arrivals& arrived) {
    return arrived.data() == needs.data && arrived.control() >= std::min(1, needs.control);
  };
  Add(all, "fire.1", "one-data-input-is-enough", "fires on the first of its data inputs")
      .rules.ready = [](const Needs& needs, const Arrivals& arrived) {
    return arrived.data() >= std::min(1, needs.data) && arrived.control() == needs.control;
  };
  Add(all, "fire.2", "control-does-not-kill", "dead only by data inputs",
      "operations guarded by a control edge ran in the branch not taken")
      .rules.dead = [](const Arrivals& arrived) { return arrived.dead_data > 0; };
  Add(all, "fire.2", "data-does-not-kill", "dead only by control inputs").rules.dead =
      [](const Arrivals& arrived) { return arrived.dead_control > 0; };
  Add(all, "fire.2", "all-inputs-must-be-dead", "one live input keeps it alive").rules.dead =
      [](const Arrivals& arrived) {
        return arrived.dead_data + arrived.dead_control > 0 &&
               arrived.live_data + arrived.live_control == 0;
      };
  Add(all, "fire.2", "one-dead-control-input-is-forgiven", "dead by control from the second on")
      .rules.dead = [](const Arrivals& arrived) {
    return arrived.dead_data > 0 || arrived.dead_control > 1;
  };
  Add(all, "fire.3", "a-dead-effect-happens", "what only a control edge made dead is run",
      "several branches of one switch_case ran; the cost of both branches was paid")
      .rules.runs = [](Role role, bool dead, const Arrivals& arrived) {
    return StandardRules().runs(role, dead, arrived) || arrived.dead_data == 0;
  };
  Add(all, "fire.3", "a-dead-send-is-silent", "Sends are skipped like any other").rules.runs =
      [](Role, bool dead, const Arrivals&) { return !dead; };
  Add(all, "fire.4", "an-empty-output-is-live", "both outputs of a Switch count as live")
      .rules.data_token_dead = [](bool instance_dead, bool) { return instance_dead; };
  Add(all, "fire.5", "what-has-an-effect-runs-unasked", "every stateful node is a target").rewrite =
      [](Graph& graph, Call& call, const Past&) {
        ForEachNode(graph, [&](Node& node) {
          if (node.def != nullptr && node.def->is_stateful && !IsFed(call, node.name))
            call.targets.push_back(node.name);
        });
        return Status();
      };
}

// Two Consts of one value in one frame become one: which keeps the guard of the first alone.
Status MergeEqualConstants(Graph& graph, Call& call, const Past&) {
  const Result<FrameTree> frames = FramesOf(graph, call);
  if (!frames.ok()) return Status();
  std::vector<NodeId> kept;
  std::map<NodeId, NodeId> instead;
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    const Result<Tensor> value = TensorAttr(node, "value");
    if (node.op != "Const" || !value.ok()) continue;
    const auto equal = std::find_if(kept.begin(), kept.end(), [&](NodeId other) {
      return frames->frame_of[Index(other)] == frames->frame_of[Index(id)] &&
             BitwiseEqual(*TensorAttr(graph.node(other), "value"), *value);
    });
    if (equal == kept.end()) {
      kept.push_back(id);
    } else {
      instead[id] = *equal;
    }
  }
  ForEachEdge(graph, [&](Node&, OutputRef& from) {
    if (auto found = instead.find(from.node); found != instead.end()) from.node = found->second;
  });
  return Status();
}

// A control edge out of a Switch follows its output 1.
Status SwitchControlFollowsTrue(Graph& graph, Call& call, const Past&) {
  std::map<NodeId, NodeId> pivots;
  for (NodeId id : graph.NodeIds()) {
    const std::vector<NodeId> controls = graph.node(id).control_inputs;
    for (size_t i = 0; i < controls.size(); ++i) {
      if (graph.node(controls[i]).op != "Switch") continue;
      auto [pivot, is_new] = pivots.try_emplace(controls[i]);
      if (is_new) {
        const Node& source = graph.node(controls[i]);
        const Result<NodeId> made =
            graph.AddNode(graph.UniqueName(source.name + "_on"), "Identity");
        if (!made.ok()) return Status();
        Node& identity = graph.mutable_node(*made);
        identity.attrs = graph.node(controls[i]).attrs;
        identity.inputs = {OutputRef{controls[i], 1}};
        pivot->second = *made;
      }
      graph.mutable_node(id).control_inputs[i] = pivot->second;
    }
  }
  (void)call;
  return Status();
}

// Of a NextIteration, where its data comes from; of a constant Enter, a twin that is not constant.
Status ControlGoesElsewhere(Graph& graph, bool of_next) {
  for (NodeId id : graph.NodeIds()) {
    for (size_t i = 0; i < graph.node(id).control_inputs.size(); ++i) {
      const Node& from = graph.node(graph.node(id).control_inputs[i]);
      NodeId instead = from.id;
      if (of_next && IsOp(from, "NextIteration") && !from.inputs.empty()) {
        instead = from.inputs[0].node;
      } else if (!of_next && IsConstantEnter(from)) {
        instead = CopyNode(graph, from, from.name + "_once");
        if (instead == NodeId::kNone) return Status();
        graph.SetAttr(instead, "is_constant", false);
      }
      std::vector<NodeId>& controls = graph.mutable_node(id).control_inputs;
      if (instead == controls[i]) continue;
      if (std::find(controls.begin(), controls.end(), instead) == controls.end())
        controls[i] = instead;
    }
  }
  return Status();
}

void AddControl(std::vector<Mutant>& all) {
  Add(all, "control.1", "control-is-never-dead", "control edges carry live tokens only")
      .rules.control_token_dead = [](bool, bool) { return false; };
  Add(all, "control.1", "no-output-no-life", "a node without outputs sends dead control tokens")
      .rules.control_token_dead = [](bool dead, bool any_value) { return dead || !any_value; };
  Add(all, "control.1", "equal-constants-are-one", "equal constants share the first one's guard",
      "the constants of two branches were merged, and lived in one of them only")
      .rewrite = MergeEqualConstants;
  Add(all, "control.1", "of-a-switch-follows-true", "its control edge is that of its output 1",
      "a Switch was replaced by an Identity, and its control edges changed their deadness")
      .rewrite = SwitchControlFollowsTrue;
  Add(all, "control.1", "guarded-constants-are-zero", "a constant behind a control edge is zero",
      "a conditional whose branches were constants gave 0")
      .kernels.emplace_back("Const", [](const reference::Kernel& standard, KernelContext& context) {
        TAGFLOW_RETURN_IF_ERROR(standard(context));
        const Tensor value = context.outputs[0];
        if (context.node.control_inputs.empty() || !IsPlainDType(value.dtype())) return Status();
        TAGFLOW_ASSIGN_OR_RETURN(context.outputs[0], Tensor::Allocate(value.dtype(), value.dims()));
        return Status();
      });
  Add(all, "control.2", "a-trigger-dies-with-an-input", "one dead input kills a ControlTrigger")
      .rules.trigger_dead = [](const Arrivals& arrived) { return arrived.dead_control > 0; };
  Add(all, "control.2", "a-trigger-dies-with-all-inputs", "it is dead when all its inputs are")
      .rules.trigger_dead = [](const Arrivals& arrived) {
    return arrived.dead_control > 0 && arrived.live_control == 0;
  };
  Add(all, "control.3", "next-iteration-stays", "NextIteration's control edges stay behind")
      .rewrite = [](Graph& graph, Call&, const Past&) { return ControlGoesElsewhere(graph, true); };
  Add(all, "control.3", "constant-enter-once", "a constant Enter's control edges go once").rewrite =
      [](Graph& graph, Call&, const Past&) { return ControlGoesElsewhere(graph, false); };
}

Status AnyPredicate(const Tensor& predicate) {
  return predicate.num_elements() > 0 ? Status() : StandardRules().check_predicate(predicate);
}

// A Switch's value added to itself is taken from before the Switch.
Status DoublesBeforeSwitch(Graph& graph, Call&, const Past&) {
  ForEachNode(graph, [&](Node& node) {
    if (node.op != "AddV2" || node.inputs.size() != 2 || node.inputs[0] != node.inputs[1]) return;
    const Node& source = graph.node(node.inputs[0].node);
    if (source.op == "Switch" && source.inputs.size() == 2)
      node.inputs = {source.inputs[0], source.inputs[0]};
  });
  return Status();
}

void AddSwitch(std::vector<Mutant>& all) {
  Add(all, "switch.1", "outputs-exchanged", "true chooses output 0").rules.switch_port =
      [](bool predicate) { return predicate ? 0 : 1; };
  Add(all, "switch.1", "always-false", "output 0, whatever the predicate").rules.switch_port =
      [](bool) { return 0; };
  Add(all, "switch.1", "a-doubled-value-passes-by", "x + x of a Switch's output is not guarded",
      "a rewrite of x + x moved it across the Switch, and the Merge got nothing or two values")
      .rewrite = DoublesBeforeSwitch;
  Add(all, "switch.2", "one-element-will-do", "a predicate of one element of any rank is taken")
      .rules.check_predicate = [](const Tensor& predicate) {
    return predicate.num_elements() == 1 ? Status() : StandardRules().check_predicate(predicate);
  };
  Add(all, "switch.2", "the-first-element-decides", "a predicate of any shape is taken")
      .rules.check_predicate = AnyPredicate;
}

}  // namespace

void AddFiringMutants(std::vector<Mutant>& mutants) {
  AddTokens(mutants);
  AddFiring(mutants);
  AddControl(mutants);
  AddSwitch(mutants);
}

}  // namespace tagflow::fuzz
