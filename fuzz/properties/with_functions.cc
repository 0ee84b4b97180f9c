#include "fuzz/properties/with_functions.h"

#include "fuzz/functions/outline.h"

namespace tagflow::fuzz {

Result<CallSpec> WholeCallOf(const Lowered& lowered) {
  return ResolveCall(lowered.graph, lowered.feeds, lowered.fetches, lowered.init);
}

Result<RecoveredGraph> WithFunctions(const Lowered& lowered, const CallSpec& call,
                                     Choices& choices) {
  TAGFLOW_ASSIGN_OR_RETURN(RecoveredGraph made, RecoverFunctions(lowered.graph, call));
  TAGFLOW_RETURN_IF_ERROR(OutlineCalls(made.graph, made.call, choices));
  return made;
}

std::vector<std::string> TargetsOf(const Graph& graph, const CallSpec& call) {
  std::vector<std::string> names;
  for (const NodeId target : call.targets) names.push_back(graph.node(target).name);
  return names;
}

}  // namespace tagflow::fuzz
