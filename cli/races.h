#ifndef TAGFLOW_CLI_RACES_H_
#define TAGFLOW_CLI_RACES_H_

// `tagflow run --races`: which firings of a step nothing orders, and what its orders can give.

#include <string>
#include <vector>

#include "cli/run_session.h"
#include "conformance/op_library.h"
#include "graph/graph.h"
#include "graph/saved/saved_model.h"
#include "graph/status.h"
#include "reference/explore.h"

namespace tagflow::cli {

// What is explored, after steps that come before it.
struct ExploredCall {
  RunSession::Feeds feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::vector<std::string> init;           // nodes to run first, a step each, with the same feeds
  int64_t steps_before = 0;                // of the same call
  bool soft_placement = false;             // a device that is not there is not asked for
  std::vector<ModelInit> model_init = {};  // before all these, what makes a model ready
};

// Explores on the reference.
//   Errors: of the call itself, and of the steps before; what happens in the step is an outcome
Result<reference::Exploration> ExploreCall(const ExploredCall& call, Graph graph,
                                           const OpLibrary& library,
                                           const reference::ExploreOptions& options);

// A line for each race, a paragraph for each outcome, and whether that is all, or at which bound
// the exploration ended.
//   labels: of the fetches, for users
std::string RacesText(const reference::Exploration& found, const std::vector<std::string>& labels,
                      const reference::ExploreOptions& options);
// {"races":[…],"outcomes":[{"orders":1,"outputs":{…}},{"orders":1,"error":{…}}],"orders":2,
// "exhaustive":true}
std::string RacesJson(const reference::Exploration& found, const std::vector<std::string>& labels);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_RACES_H_
