#include "cli/show_placement.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "cli/file.h"
#include "cli/placing.h"
#include "cli/progress_line.h"
#include "cli/stats_table.h"
#include "optimized/devices/planned_kinds.h"
#include "optimized/session.h"
#include "transform/lower/lower.h"
#include "transform/placement/measured_times.h"

namespace tagflow::cli {
namespace {

Result<MeasuredTimes> TimesOf(const Args& args) {
  if (!args.Has("--times")) return MeasuredTimes();
  TAGFLOW_ASSIGN_OR_RETURN(const std::string text, ReadFile(args.Last("--times")));
  return ParseMeasuredTimes(text);
}

// Devices that are not there, which the rest is told of as if they were.
std::string MissingText(const std::vector<std::string>& devices, const OpLibrary& library) {
  const auto opened =
      optimized::Devices::Create(devices, *library.device_kinds, /*does_without=*/true);
  std::string text;
  if (!opened.ok()) return text;
  for (const auto& [name, why] : (*opened)->missing()) {
    text += "note: '" + name + "' is not there: " + why.message() + "\n";
  }
  return text;
}

// The graph with the device of each node that the call needs.
Graph Placed(const Graph& graph, const PlacementReport& report) {
  Graph placed = graph.Clone();
  for (const NodeId id : placed.NodeIds()) {
    if (report.reasons[Index(id)] == "not needed") continue;
    placed.mutable_node(id).device = report.placement.device_of[Index(id)];
  }
  return placed;
}

// Makes the call of the command line ready. All Placeholders are fed; without a fetch or a target,
// all nodes are targets.
Result<const optimized::Callable*> MakeReady(optimized::Session& session, const Graph& graph,
                                             const Args& args) {
  std::vector<std::string> feeds = args.All("--feed"), targets = args.All("--target");
  const bool is_whole = args.All("--fetch").empty() && targets.empty();
  for (const NodeId id : graph.NodeIds()) {
    const Node& node = graph.node(id);
    const bool is_fed = std::ranges::find(feeds, node.name) != feeds.end();
    if (node.op == "Placeholder" && !is_fed) feeds.push_back(node.name);
    if (is_whole) targets.push_back(node.name);
  }
  return session.MakeCallable(feeds, args.All("--fetch"), targets);
}

}  // namespace

Result<std::string> HowItWouldRun(const Graph& graph, const PlacementReport& report,
                                  const std::vector<std::string>& devices, const Args& args,
                                  const OpLibrary& library) {
  optimized::SessionOptions options;
  options.devices = devices;
  options.device_kinds = optimized::PlannedKinds(*library.device_kinds);
  options.kernels = library.kernels;
  TAGFLOW_ASSIGN_OR_RETURN(const auto session,
                           optimized::Session::Create(Placed(graph, report), options));
  TAGFLOW_ASSIGN_OR_RETURN(const optimized::Callable* const call, MakeReady(*session, graph, args));
  std::string text = "the call would run by " + call->about() + "\n";
  for (const std::string& note : call->Notes()) text += "  " + note + "\n";
  return text;
}

std::string PlacementText(const Graph& graph, const PlacementReport& report) {
  std::vector<std::vector<std::string>> estimates = {{"a step, as estimated", "", ""}};
  for (size_t i = 0; i < report.candidates.size(); ++i) {
    const PlacementCandidate& candidate = report.candidates[i];
    estimates.push_back({"  " + candidate.name, TimeText(candidate.makespan_ns),
                         i == report.chosen            ? "chosen"
                         : candidate.lacks_memory >= 0 ? "does not fit the memory"
                                                       : ""});
  }
  std::vector<std::vector<std::string>> nodes = {{"node", "op", "device", "why"}};
  int left_out = 0;
  for (const NodeId id : graph.NodeIds()) {
    const std::string& why = report.reasons[Index(id)];
    left_out += why == "not needed" ? 1 : 0;
    if (why == "not needed") continue;
    nodes.push_back(
        {graph.node(id).name, graph.node(id).op, report.placement.device_of[Index(id)], why});
  }
  std::string text = AlignedText(estimates, 3) + "\n" + AlignedText(nodes, 4);
  if (left_out > 0) text += "and " + CountText(left_out) + " that the call does not need\n";
  return text;
}

PlacementFailure ShowPlacement(const Graph& graph, const Args& args, const OpLibrary& library) {
  Graph lowered = graph.Clone();  // what the engine places
  LowerFunctions(lowered);
  const Result<std::vector<std::string>> devices = DevicesOf(args.Last("--devices"));
  if (!devices.ok()) return {devices.status(), kExitUsage};
  const Result<DeviceCatalog> catalog = CatalogOf(*devices, args.All("--without"), library);
  if (!catalog.ok()) return {catalog.status(), kExitUsage};
  Result<CallSpec> call = CallOf(lowered, args);
  if (!call.ok()) return {call.status(), kExitBadInput};
  Result<MeasuredTimes> times = TimesOf(args);
  if (!times.ok()) return {times.status(), kExitBadInput};
  PlacementOptions options{args.Has("--soft-placement"), *std::move(call), {}};
  options.costs.measured = *std::move(times);
  const Result<PlacementReport> report = [&] {
    const ProgressLine line("placing");
    return Place(lowered, *catalog, options);
  }();
  std::fputs(MissingText(*devices, library).c_str(), stderr);
  if (!report.ok()) return {report.status(), kExitFailed};
  std::fputs(PlacementText(lowered, *report).c_str(), stdout);
  const Result<std::string> how = HowItWouldRun(lowered, *report, *devices, args, library);
  const std::string refused = "the call would not run: " + how.status().ToString() + "\n";
  std::printf("\n%s", how.ok() ? how->c_str() : refused.c_str());
  return {};
}

}  // namespace tagflow::cli
