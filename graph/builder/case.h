#ifndef TAGFLOW_GRAPH_BUILDER_CASE_H_
#define TAGFLOW_GRAPH_BUILDER_CASE_H_

// One of many branches, as nested Conds. Branches follow the rules of cond.h.

#include <string>
#include <utility>
#include <vector>

#include "graph/builder/cond.h"

namespace tagflow {

struct CaseOptions {
  std::string name = "case";
  bool exclusive = false;  // more than one true predicate fails the step
};

// Runs the first branch whose predicate is true, else `default_branch`. Without a default one of
// the predicates must be true, or the step fails.
//   Errors: INVALID_ARGUMENT for no branch at all; Cond's.
CondResult Case(const Scope& scope, const std::vector<std::pair<Output, BranchFunction>>& branches,
                const BranchFunction& default_branch = nullptr, const CaseOptions& options = {});

// Runs branch `index` (an integer scalar), else `default_branch`; without one the last branch
// stands for any other index. A captured tensor passes about log2(n) Switches on its way.
//   Errors: INVALID_ARGUMENT for no branch at all, or an index that is no integer; Cond's.
CondResult SwitchCase(const Scope& scope, const Output& index,
                      const std::vector<BranchFunction>& branches,
                      const BranchFunction& default_branch = nullptr,
                      std::string_view name = "switch_case");

}  // namespace tagflow

#endif  // TAGFLOW_GRAPH_BUILDER_CASE_H_
