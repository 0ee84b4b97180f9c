#include "transform/structure/recover_functions.h"

#include <utility>

#include "transform/structure/emitter.h"
#include "transform/structure/recover_tree.h"

namespace tagflow {

Result<RecoveredGraph> RecoverFunctions(const Graph& graph, const CallSpec& call) {
  TAGFLOW_ASSIGN_OR_RETURN(recovery::RecoveredTree made, recovery::RecoverTree(graph, call));
  RecoveredGraph recovered;
  if (!made.why_not.empty()) {
    recovered.graph = graph.Clone();
    recovered.call = call;
    recovered.declined.push_back(made.why_not);
    return recovered;
  }
  recovered.num_loops = static_cast<int64_t>(made.tree().loops.size());
  recovered.num_choices = static_cast<int64_t>(made.tree().choices.size());
  for (const recovery::Declined& declined : made.tree().declined) {
    recovered.declined.push_back(declined.why);
  }
  recovered.graph = recovery::Emitter(made).Run(recovered.call);
  return recovered;
}

Result<RecoveredGraph> RecoverFunctions(const Graph& graph) {
  return RecoverFunctions(graph, recovery::WholeCall(graph));
}

}  // namespace tagflow
