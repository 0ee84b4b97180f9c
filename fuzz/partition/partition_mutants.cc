#include "fuzz/partition/partition_mutants.h"

#include <map>
#include <utility>

#include "fuzz/partition/check_small_graphs.h"
#include "fuzz/partition/placed_session.h"
#include "fuzz/partition/stateful_loop.h"
#include "graph/test_graph.h"

namespace tagflow::fuzz {
namespace {

constexpr uint64_t kOrders = 40;

std::string InSmallGraphs(Surroundings surroundings, int body, PartitionFault fault) {
  Space space{.surroundings = surroundings, .body = body, .parallel_iterations = 1};
  space.options.fault = fault;
  return CheckSmallGraphs(space).problem.value_or("");
}

PlacedSession PlaceState(const std::vector<std::string>& on_b, PartitionFault fault) {
  Graph graph = TestGraph(kStatefulLoop, OpRegistry::Standard()).Take();
  std::map<std::string, std::string> device_of;
  for (const std::string& name : on_b) device_of[name] = "b";
  Placement placement = PlacementOf(graph, {"a", "b"}, device_of);
  PartitionOptions options;
  options.fault = fault;
  return PlacedSession(std::move(graph), std::move(placement), options);
}

// The variable far from the loop, in several orders.
std::string InAStatefulLoop(PartitionFault fault) {
  PlacedSession session = PlaceState({"v", "init", "read", "write"}, fault);
  for (uint64_t seed = 0; seed < kOrders; ++seed) {
    reference::RunOptions options;
    options.seed = seed;
    options.max_firings = 10'000;
    if (const auto made = session.Run({}, {}, {"init"}); !made.ok()) {
      return made.status().ToString();
    }
    const auto values = session.Run({}, {"exit"}, {}, options);
    if (!values.ok()) return values.status().ToString();
    if (const auto x = (*values)[0].scalar<int32_t>(); x != 6) {
      return "6 became " + std::to_string(x);
    }
  }
  return "";
}

std::string InAHandleThatWouldCross(PartitionFault fault) {
  const Status status = PlaceState({"init"}, fault).Run({}, {}, {"init"}).status();
  return status.rule() == "partition.4" ? "" : "a refusal became " + status.ToString();
}

}  // namespace

const std::vector<PartitionMutant>& PartitionMutants() {
  static const std::vector<PartitionMutant> mutants = {
      {"partition.1-control-crosses-live", "partition.1",
       "a control edge that is dead arrives live", PartitionFault::kControlCrossesLive},
      {"partition.2-enters-cross", "partition.2",
       "what an Enter makes crosses, and not what it takes", PartitionFault::kEntersCross},
      {"partition.3-loops-only-where-received", "partition.3",
       "a device on which nothing of a loop is received has no loop of its own",
       PartitionFault::kLoopsOnlyWhereReceived},
      {"partition.4-references-cross", "partition.4", "references and handles are not refused",
       PartitionFault::kReferencesCross},
      {"partition.5-state-does-not-wait", "partition.5",
       "an iteration begins on another device before the NextIteration that begins it",
       PartitionFault::kStateDoesNotWait},
  };
  return mutants;
}

FaultFound FindFault(PartitionFault fault) {
  const std::pair<const char*, std::string (*)(PartitionFault)> finders[] = {
      {"conds of 2 ops",
       [](PartitionFault fault) { return InSmallGraphs(Surroundings::kCond, 2, fault); }},
      {"loops of 1 op",
       [](PartitionFault fault) { return InSmallGraphs(Surroundings::kLoop, 1, fault); }},
      {"loops of 1 op whose Merge waits",
       [](PartitionFault fault) { return InSmallGraphs(Surroundings::kWaiting, 1, fault); }},
      {"a loop with a variable elsewhere", InAStatefulLoop},
      {"a handle that would cross", InAHandleThatWouldCross},
  };
  for (const auto& [by, find] : finders) {
    if (std::string why = find(fault); !why.empty()) return {by, std::move(why)};
  }
  return {};
}

}  // namespace tagflow::fuzz
