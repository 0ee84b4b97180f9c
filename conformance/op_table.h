#ifndef TAGFLOW_CONFORMANCE_OP_TABLE_H_
#define TAGFLOW_CONFORMANCE_OP_TABLE_H_

// docs/ops.md: a row for each op that is defined, with who computes it and how many cases hold it.
// It is made from the registries, never written by hand.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/op_def.h"
#include "graph/status.h"

namespace tagflow::conformance {

// Something that knows some ops: what a row says of it. `says` is null where this build does not
// know; every row then has a dash.
struct OpColumn {
  std::string heading;
  std::function<std::string(const OpDef&)> says;
};

// Those of docs/ops.md: the engines, and the gradients. The kernels of GPUs are only in a build
// with a CUDA toolkit; no GPU is needed.
std::vector<OpColumn> OpColumns();

// Whether the engine runs the op, by a kernel or by a rule of the standard.
bool ReferenceRuns(const OpDef& op);
bool EngineRuns(const OpDef& op);

// The dtypes that a GPU has kernels of the op for: of its first type attr. "yes" where it does not
// hang on a dtype, also for what the executor does by itself; a dash where there is none.
std::string OnGpu(const OpDef& op);

// "yes" where gradients go through the op, "stop" where they stop at it, else a dash.
std::string_view GradientOf(const OpDef& op);

// The dtypes of the attr that says what the op works on: "floats, int32", "any"; those of its
// inputs where no attr does. Groups are named where all of a group is allowed.
std::string DTypesOf(const OpDef& op);

// How many of the cases under `folder` have a graph with the op, by op.
//   Errors: NOT_FOUND for the folder; those of a case that cannot be read.
Result<std::map<std::string, int>> CountCases(const std::string& folder);

// The page, with a row for each op of the registry.
std::string OpTable(const OpRegistry& registry, const std::vector<OpColumn>& columns,
                    const std::map<std::string, int>& cases);

}  // namespace tagflow::conformance

#endif  // TAGFLOW_CONFORMANCE_OP_TABLE_H_
