#ifndef TAGFLOW_FUZZ_GRAPHS_PROPERTIES_H_
#define TAGFLOW_FUZZ_GRAPHS_PROPERTIES_H_

// What must hold of graphs made straight from nodes. Each property is a function that says what is
// wrong, or nothing; it draws whatever else it needs (orders, limits) from the choices. The
// reference runs under `rules`: the standard's, or a mutant's that the property is to notice.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/generate/choices.h"
#include "fuzz/graphs/sample.h"
#include "reference/rules.h"

namespace tagflow::fuzz {

using Problem = std::optional<std::string>;

struct GraphProperty {
  std::string name;
  std::string about;  // one line
  GraphSample (*generate)(Choices&);
  Problem (*check)(const GraphSample&, Choices&, const reference::Rules&);  // of the reference
  // Where the engine under test is not the reference, it must give what the reference gives for
  enum class Elsewhere : uint8_t {
    kRuns,     // the sample's runs
    kCalls,    // calls of the sample's graph, which are drawn beside it
    kPasses,   // the runs; and our own engine must pass the check, which is of its passes
    kDevices,  // the runs, spread over devices
  } elsewhere = Elsewhere::kRuns;
};

// small-steps, orders, run-ahead, exported, stops, subset, calls, simplify; altered, shapes,
// placed; refusal.
const std::vector<GraphProperty>& GraphProperties();
// Null when there is none.
const GraphProperty* FindGraphProperty(std::string_view name);

// The naive executor and the reference agree: on the outcome and on every firing, where nothing
// races; on an error that some order may report, where there is one.
Problem AgreesWithSmallSteps(const GraphSample& sample, Choices& choices,
                             const reference::Rules& rules = reference::StandardRules());
// Every order gives one outcome and the same firings; or an error that some order may report; or,
// where a race is reported, an outcome that the exploration of orders knows.
Problem OrdersAgree(const GraphSample& sample, Choices& choices,
                    const reference::Rules& rules = reference::StandardRules());
// The same of two orders, for samples that are dear.
Problem TwoOrdersAgree(const GraphSample& sample, Choices& choices,
                       const reference::Rules& rules = reference::StandardRules());
// No iteration begins before parallel_iterations allow it ([next.3]); no node fires before those
// that it waits for by control edges ([fire.1], [merge.2], [merge.4]).
Problem RunsAheadAsAllowed(const GraphSample& sample, Choices& choices,
                           const reference::Rules& rules = reference::StandardRules());
// Written as text and as bytes, read again, with the nodes in another order: the same results.
Problem SurvivesExport(const GraphSample& sample, Choices& choices,
                       const reference::Rules& rules = reference::StandardRules());
// A limit at any firing, or a cancellation, ends the step and leaves the session as good as new.
Problem StopsCleanly(const GraphSample& sample, Choices& choices,
                     const reference::Rules& rules = reference::StandardRules());
// What is fetched does not depend on what else is ([feed.4]); of samples without effects.
Problem SubsetIsEnough(const GraphSample& sample, Choices& choices,
                       const reference::Rules& rules = reference::StandardRules());
// Calls that fetch and run this and that, one after the other in one session, give each what it
// gives alone; of samples without effects.
Problem CallsAreAlone(const GraphSample& sample, Choices& choices,
                      const reference::Rules& rules = reference::StandardRules());
// Each pass of transform/simplify alone, and all of them in any order: the same results, or an
// error that some order may report.
Problem SurvivesSimplification(const GraphSample& sample, Choices& choices,
                               const reference::Rules& rules = reference::StandardRules());
// What nodes give, in all iterations, has the shapes that InferShapes says.
Problem HasForeseenShapes(const GraphSample& sample, Choices& choices,
                          const reference::Rules& rules = reference::StandardRules());
// Cut over devices, each an interpreter, a graph gives what it gives whole (placed_property.h).
Problem SurvivesCuttingByRules(const GraphSample& sample, Choices& choices,
                               const reference::Rules& rules = reference::StandardRules());
// An invalid sample is refused with the code, the rule and the node it was made to break.
Problem IsRefused(const GraphSample& sample, Choices& choices,
                  const reference::Rules& rules = reference::StandardRules());

}  // namespace tagflow::fuzz

#endif  // TAGFLOW_FUZZ_GRAPHS_PROPERTIES_H_
