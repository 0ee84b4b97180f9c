#include "fuzz/simplify/simplified.h"

#include <utility>

#include "graph/validate.h"
#include "reference/session.h"

namespace tagflow::fuzz {
namespace {

Result<std::vector<Tensor>> RunAlone(const RunOnce& run, const Node& node,
                                     std::span<const Tensor> inputs) {
  TAGFLOW_ASSIGN_OR_RETURN(const Signature signature, ResolveSignature(node));
  Graph graph;
  TAGFLOW_ASSIGN_OR_RETURN(const NodeId id, graph.AddNode("op", node.op));
  graph.mutable_node(id).attrs = node.attrs;
  std::vector<std::pair<std::string, Tensor>> feeds;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = "x" + std::to_string(i);
    TAGFLOW_ASSIGN_OR_RETURN(const NodeId from, graph.AddNode(name, "Placeholder"));
    graph.SetAttr(from, "dtype", inputs[i].dtype());
    graph.SetAttr(from, "shape", PartialShape());
    graph.mutable_node(id).inputs.push_back({from, 0});
    feeds.emplace_back(name, inputs[i]);
  }
  std::vector<std::string> fetches;
  for (size_t i = 0; i < signature.outputs.size(); ++i) {
    fetches.push_back("op:" + std::to_string(i));
  }
  return run(std::move(graph), feeds, fetches);
}

}  // namespace

Evaluate EvaluateBy(RunOnce run) {
  return [run = std::move(run)](const Node& node, std::span<const Tensor> inputs) {
    return RunAlone(run, node, inputs);
  };
}

Evaluate EvaluateByReference() {
  return EvaluateBy([](Graph graph, const reference::NamedTensors& feeds,
                       const std::vector<std::string>& fetches) -> Result<std::vector<Tensor>> {
    TAGFLOW_ASSIGN_OR_RETURN(auto session, reference::Session::Create(std::move(graph)));
    return session->Run(feeds, fetches);
  });
}

std::vector<std::vector<Pass>> PassOrders(Choices& choices) {
  std::vector<std::vector<Pass>> orders;
  for (const Pass pass : AllPasses()) orders.push_back({pass});
  for (int i = 0; i < 2; ++i) {
    std::vector<Pass> order = AllPasses();
    for (size_t left = order.size(); left > 1; --left) {
      std::swap(order[left - 1], order[choices.Below(static_cast<size_t>(left))]);
    }
    const std::vector<Pass> again = order;
    order.insert(order.end(), again.begin(), again.end());
    orders.push_back(std::move(order));
  }
  return orders;
}

std::string NamesOf(const std::vector<Pass>& passes) {
  std::string names;
  for (const Pass pass : passes) names += (names.empty() ? "" : ",") + std::string(PassName(pass));
  return names;
}

Result<Graph> RunPasses(const Graph& graph, const CallSpec& call, const std::vector<Pass>& passes,
                        const Evaluate& evaluate) {
  Graph changed = graph.Clone();
  for (const Pass pass : passes) {
    RunPass(pass, changed, call, evaluate);
    const Status status = ValidateCall(changed, call).status();
    if (status.ok()) continue;
    return Internal("after " + std::string(PassName(pass)) + " of " + NamesOf(passes) + ": " +
                    status.ToString());
  }
  return changed;
}

}  // namespace tagflow::fuzz
