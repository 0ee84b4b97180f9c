#ifndef TAGFLOW_CLI_STAGES_H_
#define TAGFLOW_CLI_STAGES_H_

// RunStages runs a graph after each of the transformations on the way to its result, so that one
// sees after which of them the result is another: `tagflow diff --stages`.
//
// The reference runs the graph as it is written, then what each transformation makes of it; so that
// a difference up to there is the transformation's. Then the engine runs it, without and with all
// of them.
//
// Tested by stages_test.cc.

#include <string>
#include <vector>

#include "conformance/op_library.h"
#include "fuzz/harness/token_trace.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::cli {

struct Stage {
  using Values = Result<std::vector<Tensor>>;
  std::string name;           // "lower"
  std::string what;           // "the reference, with functions in their places"
  std::string left_out;       // why it was not run; empty: it was
  std::vector<Values> calls;  // by call, up to the first that failed
};

// All stages, in their order.
//   calls: of the graph as it is written, functions and all
//   timeout_s: of one call
std::vector<Stage> RunStages(const fuzz::CallSequence& calls, const OpLibrary& library,
                             double timeout_s);

// How a stage's results differ from those of the first.
struct StageDifference {
  std::string text;          // "y:0 [3]: …"; empty: not a bit
  bool is_rounding = false;  // by no more than the tolerance
};
//   tolerance: how far a number may be off, as a part of the largest of its tensor
StageDifference Compare(const fuzz::CallSequence& calls, const Stage& first, const Stage& stage,
                        double tolerance);

// A line per stage, and one that names the first that differs.
struct StageReport {
  std::string text;
  bool differs = false;
};
StageReport ReportOf(const fuzz::CallSequence& calls, const std::vector<Stage>& stages,
                     double tolerance);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_STAGES_H_
