// Mutants of Enter, Exit and NextIteration.

#include <algorithm>
#include <map>
#include <set>

#include "fuzz/mutants/edit.h"
#include "fuzz/mutants/sections.h"

namespace tagflow::fuzz {
namespace {

using reference::ExitState;
using reference::KernelContext;
using reference::StandardRules;

// One tensor may not be a variable and a capture of one loop.
Status RefuseVariableThatIsCaptured(Graph& graph, Call&, const Past&) {
  std::map<std::pair<OutputRef, std::string>, std::set<bool>> ways;
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    const Result<std::string> frame = StringAttr(node, "frame_name");
    if (!IsOp(node, "Enter") || !frame.ok() || node.inputs.size() != 1) continue;
    auto& seen = ways[{node.inputs[0], *frame}];
    seen.insert(IsConstantEnter(node));
    if (seen.size() == 2)
      return InvalidArgument("a tensor enters the loop twice").WithNode(node.name);
  }
  return Status();
}

// What enters as a constant is that of the session's first step.
Status KeepFirstConstants(Graph& graph, Call& call, const Past& past) {
  if (past.first_call == nullptr) return Status();
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    if (!IsConstantEnter(node) || node.inputs.size() != 1) continue;
    const std::string& source = graph.node(node.inputs[0].node).name;
    for (auto& [name, value] : call.feeds) {
      for (const auto& [first, first_value] : past.first_call->feeds) {
        if (name == source && first == source) value = first_value;
      }
    }
  }
  return Status();
}

void AddEnter(std::vector<Mutant>& all) {
  Add(all, "enter.1", "into-iteration-1", "Enter puts its token into iteration 1")
      .rules.enter_iteration = []() -> int64_t { return 1; };
  Add(all, "enter.2", "constants-enter-once", "a constant is there in iteration 0 alone")
      .rules.enter_reaches = [](bool, int64_t iteration) { return iteration == 0; };
  Add(all, "enter.2", "constants-enter-late", "a constant is not there in iteration 0")
      .rules.enter_reaches = [](bool constant, int64_t iteration) {
    return constant ? iteration > 0 : iteration == 0;
  };
  Add(all, "enter.2", "constants-enter-twice", "a constant is there in iterations 0 and 1")
      .rules.enter_reaches = [](bool constant, int64_t iteration) {
    return iteration <= (constant ? 1 : 0);
  };
  Add(all, "enter.2", "constants-tire", "a constant is gone from iteration 10 on")
      .rules.enter_reaches = [](bool constant, int64_t iteration) {
    return iteration < (constant ? 10 : 1);
  };
  Add(all, "enter.2", "constants-stay-for-the-session", "a constant is that of the first step",
      "the second run of a loop took its constants from the first")
      .rewrite = KeepFirstConstants;
  Add(all, "enter.2", "no-variable-is-a-capture", "one tensor may not enter in both ways",
      "a tensor that was both variable and capture was refused as an alias")
      .rewrite = RefuseVariableThatIsCaptured;
  Add(all, "enter.3", "a-dead-enter-does-not-count", "a frame waits for dead Enters for ever",
      "a dead Enter stalled its frame")
      .rules.enter_counts = [](bool dead) { return dead ? 0 : 1; };
  Add(all, "enter.3", "a-dead-enter-counts-twice", "a dead Enter counts for two")
      .rules.enter_counts = [](bool dead) { return dead ? 2 : 1; };
}

void AddExit(std::vector<Mutant>& all) {
  Add(all, "exit.1", "a-dead-exit-leaves-at-once", "each iteration's dead token goes to the parent")
      .rules.exit_forwards = [](bool) { return true; };
  Add(all, "exit.1", "nothing-leaves", "a live Exit waits like a dead one").rules.exit_forwards =
      [](bool) { return false; };
  Add(all, "exit.2", "a-dead-exit-is-forgotten", "a loop that is dead gives nothing back",
      "a dead Exit was forgotten when a newer iteration began")
      .rules.exit_owes_dead = [](const ExitState&) { return false; };
  Add(all, "exit.2", "dead-after-live", "a dead token follows the live one").rules.exit_owes_dead =
      [](const ExitState& exit) { return exit.saw_dead; };
  Add(all, "exit.3", "two-live-exits-are-fine", "an Exit may be live in two iterations",
      "an Exit fed from the body was taken, and gave the last value")
      .rules.exit_second_live = [] { return Status(); };
}

// The loop variable that a NextIteration is of: the Switch that its header Merge feeds.
NodeId SwitchOf(const Graph& graph, NodeId next) {
  for (NodeId merge : graph.NodeIds()) {
    const Node& header = graph.node(merge);
    if (!IsOp(header, "Merge")) continue;
    const bool is_header = std::any_of(header.inputs.begin(), header.inputs.end(),
                                       [&](OutputRef input) { return input.node == next; });
    if (!is_header) continue;
    for (NodeId id : graph.NodeIds()) {
      const Node& node = graph.node(id);
      if (node.op == "Switch" && !node.inputs.empty() && node.inputs[0].node == merge) return id;
    }
  }
  return NodeId::kNone;
}

// The value behind Identities.
OutputRef BehindIdentities(const Graph& graph, OutputRef value) {
  while (graph.node(value.node).op == "Identity") value = graph.node(value.node).inputs[0];
  return value;
}

// `a, b = b, a`, one after the other: a variable that takes another's value gets the new one.
Status AssignInTurn(Graph& graph, Call&, const Past&) {
  std::map<NodeId, OutputRef> next_of;  // by the variable's Switch: what it will be
  for (NodeId id : graph.NodeIds()) {
    if (!IsOp(graph.node(id), "NextIteration")) continue;
    const NodeId variable = SwitchOf(graph, id);
    const OutputRef value = BehindIdentities(graph, graph.node(id).inputs[0]);
    const auto other = next_of.find(value.node);
    if (other != next_of.end() && value.node != variable)
      graph.mutable_node(id).inputs[0] = other->second;
    next_of[variable] = graph.node(id).inputs[0];
  }
  return Status();
}

// Of two variables that one value goes on to, the second keeps its own.
Status OneValueOneVariable(Graph& graph, Call&, const Past&) {
  std::set<OutputRef> used;
  for (NodeId id : graph.NodeIds()) {
    if (!IsOp(graph.node(id), "NextIteration")) continue;
    const NodeId variable = SwitchOf(graph, id);
    if (used.insert(graph.node(id).inputs[0]).second || variable == NodeId::kNone) continue;
    graph.mutable_node(id).inputs[0] = OutputRef{variable, 1};
  }
  return Status();
}

// In a loop a result has the shape of its first operand.
Status KeepFirstShape(const reference::Kernel& standard, KernelContext& context) {
  TAGFLOW_RETURN_IF_ERROR(standard(context));
  if (!context.tag.empty()) context.outputs[0] = context.inputs[0];
  return Status();
}

// `<` as `!=`: the same as long as nothing jumps over the bound.
Status LessAsNotEqual(const reference::Kernel&, KernelContext& context) {
  return (*reference::KernelRegistry::Standard().Find("NotEqual"))(context);
}

void AddNext(std::vector<Mutant>& all) {
  Add(all, "next.1", "stays-in-its-iteration", "NextIteration's token goes no further")
      .rules.next_iteration = [](int64_t iteration) { return iteration; };
  Add(all, "next.1", "variables-change-in-turn", "a, b = b, a gives a the new b",
      "variables that change places were threaded wrongly through an unrolled loop")
      .rewrite = AssignInTurn;
  Add(all, "next.1", "one-value-for-one-variable", "a value that two variables take reaches one",
      "a value that went on to two variables reached one of them")
      .rewrite = OneValueOneVariable;
  Add(all, "next.1", "a-variable-keeps-its-shape", "what is concatenated in a loop does not grow",
      "a loop variable kept the shape of its first value")
      .kernels.emplace_back("ConcatV2", KeepFirstShape);
  Add(all, "next.1", "a-bound-is-hit", "the condition i < n is taken for i != n",
      "a loop whose counter jumps over the bound was given a wrong number of trips")
      .kernels.emplace_back("Less", LessAsNotEqual);
  Add(all, "next.2", "a-dead-one-goes-on", "a dead NextIteration begins the next iteration")
      .rules.next_forwards = [](bool) { return true; };
  Add(all, "next.3", "one-iteration-too-many", "parallel_iterations + 1 iterations at a time")
      .rules.may_begin = [](int64_t live, int64_t parallel) { return live <= parallel; };
  Add(all, "next.3", "no-bound", "any number of iterations at a time").rules.may_begin =
      [](int64_t, int64_t) { return true; };
  Add(all, "next.3", "one-iteration-too-few", "parallel_iterations - 1 iterations at a time",
      "a loop failed with parallel_iterations 1 alone")
      .rules.may_begin = [](int64_t live, int64_t parallel) { return live + 1 < parallel; };
  Add(all, "next.3", "at-least-two", "parallel_iterations 1 is taken for 2").rules.may_begin =
      [](int64_t live, int64_t parallel) { return live < std::max<int64_t>(parallel, 2); };
  Add(all, "next.3", "a-huge-number-overflows", "parallel_iterations is kept in 16 bits",
      "a large parallel_iterations crashed")
      .rules.may_begin = [](int64_t live, int64_t parallel) {
    return live < static_cast<int16_t>(parallel);
  };
}

}  // namespace

void AddLoopMutants(std::vector<Mutant>& mutants) {
  AddEnter(mutants);
  AddExit(mutants);
  AddNext(mutants);
}

}  // namespace tagflow::fuzz
