#ifndef TAGFLOW_FUZZ_GRAPHS_SAMPLE_H_
#define TAGFLOW_FUZZ_GRAPHS_SAMPLE_H_

// A graph made straight from nodes, with the calls to make of it: what the generators of this
// folder produce and its properties judge.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/call.h"
#include "graph/graph.h"
#include "graph/status.h"
#include "graph/tensor.h"

namespace tagflow::fuzz {

// The error that a sample made invalid on purpose must give, in every run and every order.
struct ExpectedError {
  std::string violation;  // what was done to the graph, for people
  Code code = Code::kInvalidArgument;
  std::string rule;  // label of docs/semantics.md; "" where the error carries none
  std::string node;  // the node to blame; "" when it may be any
};

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// One call of a graph.
struct GraphCall {
  NamedTensors feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
};

struct GraphSample {
  Graph graph;
  std::vector<NamedTensors>
      runs;  // feeds of each run, made in order in one session; the same names
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::vector<std::string> devices;    // offered; empty: whatever is asked for
  std::optional<ExpectedError> error;  // of samples made invalid
  // Whatever a run does, it does in one order: so that after one that failed, too, it is known what
  // the next must give.
  bool in_order = false;
  double deadline_s = 0;  // of each run on an engine, in place of a limit of firings; 0: none

  GraphSample Clone() const;
  GraphCall CallOf(size_t run) const { return {runs[run], fetches, targets}; }
  // The first `count` runs.
  std::vector<GraphCall> Calls(size_t count) const;
  // What all runs ask of the graph.   Errors: ResolveCall's
  Result<CallSpec> Resolve() const;
  // With that call as its only run.
  GraphSample With(const GraphCall& call) const;
};

// One node per line, then the calls: "add = AddV2(x, y:1, ^c) T=int32".
std::string ToText(const GraphSample& sample);

// How shrinking measures samples.
inline size_t SizeOf(const GraphSample& sample) { return sample.graph.num_nodes(); }

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_SAMPLE_H_
