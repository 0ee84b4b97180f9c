#ifndef TAGFLOW_CLI_EXPLORE_EXPLORE_JSON_H_
#define TAGFLOW_CLI_EXPLORE_EXPLORE_JSON_H_

// ExploreJson tells the page of `tagflow explore` and `tagflow diff --html` a graph and what a step
// of it did; model.js reads that.
//
// Tested by explore_json_test.cc.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/tensor.h"
#include "reference/history.h"

namespace tagflow::cli {

// A kernel of the engine in a lane.
struct LaneEvent {
  std::string node;
  std::string tag;
  double begin_us = 0;  // of the step
  double took_us = 0;
};
struct EngineLane {
  std::string name;
  std::vector<LaneEvent> events;
};

// Another run of the step, beside the one that is shown.
struct ComparedRun {
  std::string name;                            // "optimized-tokens"
  std::string against;                         // the run that is shown: "reference"
  std::map<int64_t, std::string> differences;  // by firing: what there is instead, in words
  std::string first;  // the first difference, in lines; empty: there is none
};

struct ExploredStep {
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<reference::TraceEvent> firings;  // the first ones
  int64_t total = 0;                           // of firings
  std::vector<std::pair<std::string, Tensor>> results;
  Status status;
  // The engine runs the step besides, in these lanes; none: it did not run.
  std::vector<EngineLane> lanes;
  std::string about;
  std::vector<std::string> notes;
  std::optional<ComparedRun> other;
};

// As a JSON object in ASCII, in which no '<' stands, so that nothing in it can end the element that
// holds it.
std::string ExploreJson(const std::string& title, const Graph& graph, const ExploredStep& step);

}  // namespace tagflow::cli

#endif  // TAGFLOW_CLI_EXPLORE_EXPLORE_JSON_H_
