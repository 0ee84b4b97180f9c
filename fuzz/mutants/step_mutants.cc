// Mutants of the step, feeds, fetches and errors.

#include <algorithm>
#include <set>

#include "fuzz/mutants/edit.h"
#include "fuzz/mutants/sections.h"
#include "graph/call.h"

namespace tagflow::fuzz {
namespace {

using reference::RunOptions;
using reference::StandardRules;
using reference::TargetState;

bool HasLoopCond(const Graph& graph) {
  const std::vector<NodeId> ids = graph.NodeIds();
  return std::any_of(ids.begin(), ids.end(),
                     [&](NodeId id) { return graph.node(id).op == "LoopCond"; });
}

void NoLimits(RunOptions& options) {
  // A loop without end must end all the same: the mutant's limit is only far away.
  if (options.max_firings > 0) options.max_firings = options.max_firings * 1000 + 100'000;
  options.deadline_s = 0;
}

void AddStep(std::vector<Mutant>& all) {
  Add(all, "step.1", "ends-with-its-fetches", "targets count only when nothing is fetched")
      .rewrite = [](Graph&, Call& call, const Past&) {
    if (!call.fetches.empty()) call.targets.clear();
    return Status();
  };
  Add(all, "step.2", "no-target-is-owed", "a target may never fire",
      "a starved step ended as if nothing were wrong")
      .rules.target_owed = [](const TargetState&) { return false; };
  Add(all, "step.2", "every-target-is-owed", "a target in a loop that ended is owed still")
      .rules.target_owed = [](const TargetState&) { return true; };
  Add(all, "step.2", "only-root-targets-are-owed", "what waits in a loop is forgotten")
      .rules.target_owed = [](const TargetState& target) { return target.in_root; };
  Add(all, "step.2", "blames-the-fetch", "a starved fetch is reported as if it were dead",
      "a fetch that starved was reported as one without a value")
      .rules.owed = [](const std::string& what, const std::string&) {
    return InvalidArgument("Retval[0] does not have value: " + what);
  };
  Add(all, "step.3", "no-limits", "neither firings nor time are limited").options =
      [](const Graph&, RunOptions& options) { NoLimits(options); };
  Add(all, "step.3", "limits-need-a-loop-condition", "only a loop with a LoopCond can be stopped",
      "a loop without a LoopCond ran for ever, whatever its time limit")
      .options = [](const Graph& graph, RunOptions& options) {
    if (!HasLoopCond(graph)) NoLimits(options);
  };
  Add(all, "step.4", "an-error-ends-the-session", "after a failed step every other is cancelled",
      "a step that timed out cancelled every later one")
      .rewrite = [](Graph&, Call&, const Past& past) {
    return past.failures > 0 ? Cancelled("a step failed before") : Status();
  };
}

// Nodes whose output 0 is fed, that are no placeholders.
std::set<NodeId> FedNodes(const Graph& graph, const Call& call) {
  std::set<NodeId> fed;
  for (const auto& [name, value] : call.feeds) {
    const NodeId id = graph.Find(name.substr(0, name.find(':')));
    if (id != NodeId::kNone && !IsPlaceholderOp(graph.node(id))) fed.insert(id);
  }
  return fed;
}

Status FeedMissingPlaceholders(Graph& graph, Call& call, const Past&) {
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    const Result<DType> dtype = TypeAttr(node, "dtype");
    if ((node.op != "Placeholder" && node.op != "PlaceholderV2") || IsFed(call, node.name))
      continue;
    if (!dtype.ok() || !IsPlainDType(*dtype)) continue;
    TAGFLOW_ASSIGN_OR_RETURN(Tensor zero, Tensor::Allocate(*dtype, {}));
    call.feeds.emplace_back(node.name, zero);
  }
  return Status();
}

// Drops the feeds that `drop` says of the fed node.
void DropFeeds(const Graph& graph, Call& call, const std::function<bool(const Node&)>& drop) {
  std::erase_if(call.feeds, [&](const auto& feed) {
    const NodeId id = graph.Find(feed.first.substr(0, feed.first.find(':')));
    return id != NodeId::kNone && drop(graph.node(id));
  });
}

Status IgnoreFeedsInLoops(Graph& graph, Call& call, const Past&) {
  const Result<FrameTree> frames = FramesOf(graph, Call{{}, call.fetches, call.targets});
  if (!frames.ok()) return Status();
  DropFeeds(graph, call, [&](const Node& node) {
    return frames->output_frame_of[Index(node.id)] > FrameTree::kRoot;
  });
  return Status();
}

// Neither a feed's dtype nor its shape is looked at: what does not fit becomes zeros that do.
Status TakeAnyFeed(Graph& graph, Call& call, const Past&) {
  for (auto& [name, value] : call.feeds) {
    const NodeId id = graph.Find(name);
    if (id == NodeId::kNone || !IsPlaceholderOp(graph.node(id))) continue;
    std::erase_if(graph.mutable_node(id).attrs,
                  [](const auto& attr) { return attr.first == "shape"; });
    const Result<DType> dtype = TypeAttr(graph.node(id), "dtype");
    if (!dtype.ok() || *dtype == value.dtype() || !IsPlainDType(*dtype)) continue;
    TAGFLOW_ASSIGN_OR_RETURN(value, Tensor::Allocate(*dtype, value.dims()));
  }
  return Status();
}

void AddFeed(std::vector<Mutant>& all) {
  Add(all, "feed.1", "a-fed-node-does-not-run", "its control edges count as live at once",
      "a feed of a pivot that has only control edges")
      .rewrite = [](Graph& graph, Call& call, const Past&) {
    const std::set<NodeId> fed = FedNodes(graph, call);
    DropControl(graph, [&](const Node& from, const Node&) { return fed.contains(from.id); });
    return Status();
  };
  Add(all, "feed.1", "control-follows-the-feed", "a node that is fed is a placeholder").rewrite =
      [](Graph& graph, Call& call, const Past&) {
        for (NodeId id : FedNodes(graph, call)) {
          const Result<Signature> signature = ResolveSignature(graph.node(id));
          if (!signature.ok() || signature->outputs.size() != 1) continue;
          Node& node = graph.mutable_node(id);
          node.op = "Placeholder";
          node.def = graph.registry().Find("Placeholder");
          node.inputs.clear();
          node.control_inputs.clear();
          node.attrs = {{"dtype", AttrValue(signature->outputs[0].dtype)}};
        }
        return Status();
      };
  Add(all, "feed.2", "what-is-missing-is-zero", "a placeholder that is not fed is a zero").rewrite =
      FeedMissingPlaceholders;
  Add(all, "feed.2", "the-default-wins", "a fed PlaceholderWithDefault has its default").rewrite =
      [](Graph& graph, Call& call, const Past&) {
        DropFeeds(graph, call,
                  [](const Node& node) { return node.op == "PlaceholderWithDefault"; });
        return Status();
      };
  Add(all, "feed.3", "a-feed-is-dead", "what is fed is dead").rules.feed_dead = [] { return true; };
  Add(all, "feed.3", "a-feed-in-a-loop-is-ignored", "feeds of inner frames count for nothing",
      "a feed of a node in a loop was ignored")
      .rewrite = IgnoreFeedsInLoops;
  Add(all, "feed.3", "any-feed-will-do", "a feed's dtype and shape are not checked").rewrite =
      TakeAnyFeed;
}

Status RunAll(Graph& graph, Call& call, const Past&) {
  for (NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    const bool missing = IsPlaceholderOp(node) && !IsFed(call, node.name);
    if (!missing) call.targets.push_back(node.name);
  }
  return Status();
}

// Control edges lead to nothing that is not needed for its data as well.
Status FollowDataAlone(Graph& graph, Call& call, const Past&) {
  Graph data_only = graph.Clone();
  DropControl(data_only, [](const Node&, const Node&) { return true; });
  std::vector<std::string> feeds;
  for (const auto& [name, value] : call.feeds) feeds.push_back(name);
  const Result<CallSpec> spec = ResolveCall(graph, feeds, call.fetches, call.targets);
  if (!spec.ok()) return Status();
  const std::vector<bool> needed = NeededNodes(data_only, *spec);
  DropControl(graph, [&](const Node& from, const Node&) {
    return !needed[Index(from.id)] && from.def != nullptr && from.def->is_stateful;
  });
  return Status();
}

void AddPruning(std::vector<Mutant>& all) {
  Add(all, "feed.4", "everything-runs", "nodes run that nothing needs").rewrite = RunAll;
  Add(all, "feed.4", "control-edges-need-nothing",
      "effects that only control edges ask for "
      "are left out",
      "a branch or body of effects alone was removed as dead code")
      .rewrite = FollowDataAlone;
}

// Of a fetch in a loop, an Exit's value comes instead.
Status FetchTheExit(Graph& graph, Call& call, const Past&) {
  const Result<FrameTree> frames = AssignFrames(graph, AllNodes(graph), CallSpec());
  if (!frames.ok()) return Status();
  for (std::string& fetch : call.fetches) {
    const NodeId id = graph.Find(fetch.substr(0, fetch.find(':')));
    if (id == NodeId::kNone || frames->output_frame_of[Index(id)] <= FrameTree::kRoot) continue;
    for (NodeId other : graph.NodeIds()) {
      if (IsOp(graph.node(other), "Exit") &&
          frames->frame_of[Index(other)] == frames->output_frame_of[Index(id)])
        fetch = graph.node(other).name;
    }
  }
  return Status();
}

// A fetch that is fed is what the node makes all the same.
Status FetchBehindTheFeed(Graph& graph, Call& call, const Past&) {
  for (std::string& fetch : call.fetches) {
    const size_t colon = fetch.find(':');
    const NodeId id = graph.Find(fetch.substr(0, colon));
    if (id == NodeId::kNone || !IsFed(call, fetch)) continue;
    const NodeId copy = CopyNode(graph, graph.node(id), "behind");
    if (copy == NodeId::kNone) return Status();
    fetch = graph.node(copy).name + (colon == std::string::npos ? "" : fetch.substr(colon));
  }
  return Status();
}

void AddFetch(std::vector<Mutant>& all) {
  Add(all, "fetch.1", "says-nothing", "a dead fetch is refused without a reason",
      "a dead fetch was refused without naming a node")
      .rules.dead_fetch = [](const std::string&, const std::string&) {
    return InvalidArgument("Retval[0] does not have value");
  };
  Add(all, "fetch.1", "is-internal", "a dead fetch is an INTERNAL error").rules.dead_fetch =
      [](const std::string& fetch, const std::string& why) {
        return Internal(StandardRules().dead_fetch(fetch, why).message());
      };
  Add(all, "fetch.2", "the-exit-comes", "a fetch in a loop gives an Exit's value",
      "a fetch in a loop was taken, and failed when the second iteration came")
      .rewrite = FetchTheExit;
  Add(all, "fetch.3", "behind-the-feed", "a fetch that is fed is what the node makes").rewrite =
      FetchBehindTheFeed;
}

void AddError(std::vector<Mutant>& all) {
  Add(all, "error.1", "only-the-cancellation", "the cancellation that follows is reported",
      "the cancellation of the loop was reported in place of its error")
      .report = [](const Status& status) {
    return status.code() == Code::kResourceExhausted || status.rule() != ""
               ? status
               : Cancelled("the step was cancelled");
  };
  Add(all, "error.1", "an-index-out-of-range-gives-the-last", "an index is brought into range",
      "an index out of range gave a value on one device and an error on another")
      .kernels.emplace_back(
          "GatherV2", [](const reference::Kernel& standard, reference::KernelContext& context) {
            const Status status = standard(context);
            if (status.ok() || context.inputs[1].dtype() != DType::kInt32) return status;
            TAGFLOW_ASSIGN_OR_RETURN(context.inputs[1],
                                     Tensor::Allocate(DType::kInt32, context.inputs[1].dims()));
            return standard(context);
          });
  Add(all, "error.2", "goes-on", "what does not need the failed node still runs").options =
      [](const Graph&, RunOptions& options) { options.collect_errors = true; };
  Add(all, "error.3", "names-nothing", "an error says neither where nor why").report =
      [](const Status& status) { return Status(status.code(), "the step failed"); };
}

}  // namespace

void AddStepMutants(std::vector<Mutant>& mutants) {
  AddStep(mutants);
  AddFeed(mutants);
  AddPruning(mutants);
  AddFetch(mutants);
  AddError(mutants);
}

}  // namespace tagflow::fuzz
